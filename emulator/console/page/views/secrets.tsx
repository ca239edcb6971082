import { useRef } from 'preact/hooks';
import type { Model } from '../model.js';
import type { VaultSecret } from '../types.js';
import { useServices } from '../ui/context.js';
import { Check, Form, Input } from '../ui/field.js';
import { DeleteButton, Empty, Table } from '../ui/parts.js';
import { useChosen, useForm } from '../ui/use-form.js';
import { useRead } from '../ui/use-read.js';

/** A vault as the page acts on it. */
export interface Vault {
  /** The path of its secrets, below the base. */
  path: string;
  /** The owner of the vault, in the words of a label. */
  of: string;
  key(model: Model): Promise<string>;
}

const CHANGES = new Set(['vault-store', 'vault-delete', 'vault-copy']);

async function read(model: Model, { path, key }: Vault): Promise<VaultSecret[]> {
  const secrets: VaultSecret[] = [];
  for (;;) {
    const response = await model.api.call('GET', `${path}?offset=${secrets.length}`, await key(model));
    const page = (await response.json()) as { data: VaultSecret[]; has_more: boolean };
    secrets.push(...page.data);
    if (!page.has_more) return secrets;
  }
}

/** The content of a vault, kept up to date; a text where it cannot be read. */
export const useSecrets = (vault: Vault, state = '') => {
  const { model } = useServices();
  return useRead(() => read(model, vault), [vault.path, vault.of, state], {
    changedBy: (one) => one.kind === 'entry' && CHANGES.has(one.entry.operation ?? ''),
  });
};

function Row({ vault, secret }: { vault: Vault; secret: VaultSecret }) {
  const { model } = useServices();
  const remove = () =>
    model.attempt(
      async () => model.api.call('DELETE', `${vault.path}/${secret.name}`, await vault.key(model)),
      `${secret.name} is deleted`,
    );
  return (
    <tr>
      <th scope="row" class="mono">
        {secret.name}
      </th>
      <td>
        {secret.hosts === null ? <span class="quiet">none: it cannot be released</span> : secret.hosts.join(', ')}
      </td>
      <td class="mono" title={secret.fingerprint ?? undefined}>
        {secret.fingerprint?.slice(0, 12) ?? '—'}
      </td>
      <td>
        <DeleteButton label={`Delete ${secret.name}`} onClick={remove} />
      </td>
    </tr>
  );
}

/** The value is in its box until it is stored, and nowhere else in the page: not in its state, and not in its markup. */
function StoreForm({ vault }: { vault: Vault }) {
  const { model } = useServices();
  const value = useRef<HTMLTextAreaElement>(null);
  const { values, set, field } = useForm({ name: '', hosts: '' });
  const { name, hosts } = values;
  const submit = async () => {
    const body = { value: value.current?.value ?? '', hosts: hosts.split(/[\s,]+/).filter((host) => host !== '') };
    const path = `${vault.path}/${encodeURIComponent(name)}`;
    const stored = await model.attempt(
      async () => model.api.call('PUT', path, await vault.key(model), { body }),
      `${name} is stored`,
    );
    if (!stored) return;
    if (value.current) value.current.value = '';
    set({ name: '', hosts: '' });
  };
  return (
    <Form panel title="Store a secret" submit="Store" icon="key" tone="primary" onSubmit={submit}>
      <Input label="Name" hint="Lower-case letters, digits and single underscores" required {...field('name')} />
      <Input label="Value" hint="It is never shown again" class="masked" rows={2} required area={value} />
      <Input
        label="Hosts"
        hint="Exact names, such as api.example.com, separated by spaces"
        required
        {...field('hosts')}
      />
    </Form>
  );
}

/** Chooses of the secrets of the workspace, and copies them all or none. */
function CopyForm({ vault, from }: { vault: Vault; from: Vault }) {
  const { model } = useServices();
  const { value: secrets = [] } = useSecrets(from);
  const { chosen, choose, chooseNone } = useChosen();
  const bound = secrets.flatMap(({ name, hosts }) => (hosts === null ? [] : [name]));
  const names = bound.filter((name) => chosen.has(name));
  const submit = async () => {
    const copied = await model.attempt(
      async () => model.api.call('POST', `${vault.path}/copy`, await from.key(model), { body: { names } }),
      names.length === 1 ? `${names[0]} is copied` : `${names.length} secrets are copied`,
    );
    if (copied) chooseNone();
  };
  return (
    <Form
      panel
      title="Copy from the workspace"
      submit="Copy"
      icon="copy"
      disabled={names.length === 0}
      onSubmit={submit}
    >
      {bound.length === 0 && <p class="quiet">The vault of the workspace holds nothing that can be copied.</p>}
      {bound.map((name) => (
        <Check key={name} label={name} value={chosen.has(name)} onChange={(on) => choose([name], on)} />
      ))}
    </Form>
  );
}

/** A vault: what it holds, and what may be done with it. `from` is the vault that it can be filled from. */
export function Secrets({ vault, from, state }: { vault: Vault; from?: Vault | undefined; state?: string }) {
  const { value: secrets, problem } = useSecrets(vault, state);
  if (problem !== '')
    return (
      <Empty icon="key" title="No vault">
        {problem}
      </Empty>
    );
  return (
    <div class="stack">
      {secrets?.length === 0 && <p class="quiet">The vault of {vault.of} holds nothing yet.</p>}
      {secrets !== undefined && secrets.length > 0 && (
        <Table deletable label={`Secrets of ${vault.of}`} columns={['Name', 'Hosts', 'Fingerprint']}>
          {secrets.map((secret) => (
            <Row key={secret.name} vault={vault} secret={secret} />
          ))}
        </Table>
      )}
      <div class="columns">
        <StoreForm vault={vault} />
        {from && <CopyForm vault={vault} from={from} />}
      </div>
    </div>
  );
}
