import { createHash } from 'node:crypto';
import { Refusal } from '../../../emulator/contract/errors.js';
import type { Vaults, VaultsDeps } from '../../../emulator/vault/vaults.js';
import { isRecord, type Json, valueAt } from '../../../emulator/wire/json.js';
import { bodyOf } from '../../../emulator/wire/request.js';
import { defineMutants, type Mutation, together } from '../mutant.js';
import { answers, errors, exchanges, field, jsonReply, NOTHING } from '../operators/answers.js';
import { all, type MutantExchange } from '../operators/exchange.js';
import { rewire, routes, wrap } from '../operators/parts.js';
import { again, cutsLimit, query, refuseBody, sends } from '../operators/requests.js';

const vaults = (change: (usual: Vaults) => Partial<Vaults>): Mutation => wrap({ createVaults: change });

const fingerprints = (change: (usual: VaultsDeps['sealing']['fingerprint']) => VaultsDeps['sealing']['fingerprint']) =>
  rewire({
    createVaults: (deps) => [{ ...deps, sealing: { ...deps.sealing, fingerprint: change(deps.sealing.fingerprint) } }],
  });

/** Adds the value that was sent to the answers that `shows` names: those of the vault, or of the control interface. */
const telling =
  (shows: (exchange: MutantExchange, status: number) => boolean, into = inJson) =>
  (): Mutation => {
    let value: string | undefined;
    return exchanges(async (exchange, next) => {
      const { operation, request } = exchange;
      const sent = operation === 'vault-store' ? valueAt(await bodyOf(request), 'value') : undefined;
      if (typeof sent === 'string') value = sent;
      const response = await next(request);
      const { status, headers } = response;
      if (value === undefined || !shows(exchange, status)) return response;
      return new Response(into(await response.text(), value), { status, headers });
    });
  };
const inJson = (text: string, value: string) => text.replace(/\}$/, `,"was":${JSON.stringify(value)}}`);

/** The contents of vaults, as they are kept and shown: secrecy, fingerprints, lists, deletes, copies (VAULT-2, VAULT-4 to VAULT-9). */
export const VAULT_CONTENTS = defineMutants({
  'vault-value-in-the-answer': telling(({ secretName }, status) => secretName !== undefined && status === 200),
  // The refusal of a store quotes the value.
  'vault-value-in-a-refusal': telling(
    ({ area }, status) => area === 'vault' && status === 400,
    (text, value) => text.replace('Invalid request body', (said) => `${said}: ${btoa(value)}`),
  ),
  'vault-value-in-the-journal': telling(({ area, path }) => area === 'control' && path === '/journal'),
  'vault-value-in-snapshots': telling(({ area, path }) => area === 'control' && path.startsWith('/snapshots/')),
  // A suspend empties the vault of its intern.
  'vault-emptied-by-a-suspend': exchanges(async ({ internId, noted, operation, request }, next) => {
    const answer = await next(request);
    if (operation === 'suspend' && answer.ok) noted.add(internId);
    return operation === 'vault-list' && answer.ok && noted.has(internId)
      ? Response.json({ data: [], has_more: false })
      : answer;
  }),
  // The hosts of a row that is older than host binding are an empty list.
  'vault-rows-without-hosts-are-empty': field<unknown>('vault-list', 'data.[].hosts', (hosts) => hosts ?? []),
  // A second store of a name adds its hosts to those of the first.
  'vault-hosts-merged': vaults((usual) => ({
    put(vault, name, secret) {
      const before = usual.list(vault).find((row) => row.name === name)?.hosts ?? [];
      return usual.put(vault, name, { ...secret, hosts: [...new Set([...before, ...secret.hosts])] });
    },
  })),
  // A replaced secret has a new created_at.
  'vault-first-time-forgotten': vaults((usual) => ({
    put(vault, name, secret) {
      usual.delete(vault, name);
      return usual.put(vault, name, secret);
    },
  })),
  // In a full vault no secret can be replaced.
  'vault-full-of-replacements': vaults((usual) => ({
    put(vault, name, secret) {
      if (usual.list(vault).length >= 1_000) throw new Refusal('vault_full');
      return usual.put(vault, name, secret);
    },
  })),
  'vault-full-is-400': errors({ reason: 'vault_full', status: 409 }, { status: 400 }),
  'vault-fingerprints-of-values-in-lower-case': fingerprints(
    (usual) => (vault, value) => usual(vault, value.toLowerCase()),
  ),
  'vault-fingerprints-of-normalized-values': fingerprints(
    (usual) => (vault, value) => usual(vault, value.normalize('NFC')),
  ),
  // Every store has a fingerprint of its own.
  'vault-fingerprints-anew': fingerprints((usual) => {
    let count = 0;
    return (vault, value) => usual(vault, `${value}${count++}`);
  }),
  'vault-fingerprints-without-a-key': fingerprints(
    () => (_, value) => createHash('sha256').update(value).digest('hex'),
  ),
  'vault-fingerprints-shortened': field('vault', ['data.fingerprint', 'data.[].fingerprint'], (digits) =>
    digits.slice(0, 32),
  ),
  'vault-list-backwards': vaults((usual) => ({ list: (vault) => usual.list(vault).reverse() })),
  'vault-list-as-people-sort': vaults((usual) => ({
    list: (vault) => usual.list(vault).sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true })),
  })),
  'vault-list-never-has-more': field('vault-list', 'has_more', false),
  'vault-offset-is-a-page': query('vault-list', 'offset', (offset, query) => {
    const limit = Number(query.get('limit') ?? 100);
    const at = Number(offset) * limit;
    return at > 0 && at <= 10_000 && limit <= 100 ? at : offset;
  }),
  'vault-pages-of-50': query('vault-list', 'limit', (limit) => limit ?? 50),
  'vault-limit-of-any-size': cutsLimit('vault-list', 100),
  'vault-delete-tells': answers({ of: 'vault-delete', status: 204 }, jsonReply(200, { deleted: true })),
  'vault-delete-of-nothing': answers({ of: 'vault-delete', status: 404, says: 'Secret not found' }, NOTHING),
  'vault-delete-keeps': vaults(() => ({ delete: () => {} })),
  'vault-unknown-secrets-are-interns': errors({ of: 'vault-delete', status: 404 }, { message: 'Intern not found' }),
  // A copy stops at the first name that cannot be copied; those before it stay.
  'vault-copies-one-by-one': together(
    routes('vault-copy', { authorize: undefined }),
    vaults((usual) => ({ copy: (from, to, names) => names.flatMap((name) => usual.copy(from, to, [name])) })),
  ),
  // Secrets without hosts are left out of a copy.
  'vault-copies-what-has-hosts': vaults((usual) => ({
    copy(from, to, names) {
      const bound = names.filter((name) => usual.get(from, name).hosts !== null);
      return usual.copy(from, to, bound);
    },
  })),
  // A copy takes as many as there is room for.
  'vault-copies-what-fits': vaults((usual) => ({
    copy: (from, to, names) => usual.copy(from, to, names.slice(0, 1_000 - usual.list(to).length)),
  })),
  // A copy leaves a secret of that name as it is.
  'vault-copy-keeps-what-is-there': vaults((usual) => ({
    copy: (from, to, names) =>
      names.flatMap((name) => usual.list(to).find((row) => row.name === name) ?? usual.copy(from, to, [name])),
  })),
  // A copy of no secrets is accepted.
  'vault-copy-of-none': refuseBody(
    'vault-copy',
    (body) => isRecord(body) && Array.isArray(body.names) && body.names.length === 0,
    jsonReply(200, { data: [] }),
  ),
  // A name may stand twice in a copy.
  'vault-copy-names-twice': sends<unknown>('vault-copy', 'names', (names) =>
    Array.isArray(names) ? [...new Set(names)] : names,
  ),
  'vault-copy-answers-nothing': field('vault-copy', 'data', () => []),
  'vault-copies-in-order-of-names': field('vault-copy', 'data', (secrets: Json[]) =>
    secrets.toSorted((a, b) => (String(a.name) < String(b.name) ? -1 : 1)),
  ),
  // A copy changes with its source.
  'vault-copies-follow': vaults((usual) => {
    const links = new Map<string, string[]>();
    return {
      copy(from, to, names) {
        for (const name of names) links.set(`${from} ${name}`, [...(links.get(`${from} ${name}`) ?? []), to]);
        return usual.copy(from, to, names);
      },
      put(vault, name, secret) {
        for (const to of links.get(`${vault} ${name}`) ?? []) usual.put(to, name, secret);
        return usual.put(vault, name, secret);
      },
    };
  }),
  // While writes are disabled lists are 503.
  'vault-reads-off-too': {
    factories: ({ createVaults }) => ({
      createVaults(deps) {
        const usual = createVaults(deps);
        const list: Vaults['list'] = (vault) => {
          if (deps.settings().vault_writes === 'off') throw new Refusal('vault_writes_disabled');
          return usual.list(vault);
        };
        return { ...usual, list };
      },
    }),
  },
  // While writes are disabled a delete is 204, and does nothing.
  'vault-deletes-while-writes-are-off': answers({ of: 'vault-delete', status: 503 }, NOTHING),
  'vault-writes-off-for-good': errors({ reason: 'vault_writes_disabled', status: 503 }, { retryable: false }),
  // Faults of the vault leave interns alone.
  'vault-faults-of-workspaces-alone': again(
    { of: all('vault', ({ internId }) => internId !== undefined), status: 502 },
    (request) => request,
  ),
  // A secret is released to every name below its hosts.
  'vault-releases-to-subdomains': vaults((usual) => ({
    release: (all, name, to) => {
      const verdict = usual.release(all, name, to);
      return verdict === 'refused: host' ? usual.release(all, name, to.split('.').slice(1).join('.')) : verdict;
    },
  })),
  // The borrowed vault comes before the own one.
  'vault-releases-borrowed-first': vaults((usual) => ({
    release: (all, name, to) => usual.release([...all].reverse(), name, to),
  })),
});
