import { Refusal } from '../contract/errors.js';
import { isRecord } from '../contract/record.js';
import type { InternRow } from '../contract/state.js';
import {
  type CopySecretsBody,
  copySecretsSchema,
  MAX_SECRETS_OFFSET,
  MAX_SECRETS_PAGE,
  normalizeHost,
  type SecretRow,
  type StoreSecretBody,
  secretNameSchema,
  storeSecretSchema,
  type VaultSecret,
} from '../contract/vault.js';
import { REDACTED } from '../credentials/redaction.js';
import type { Caller } from '../domain/caller.js';
import type { Interns } from '../domain/interns.js';
import { parseJson } from '../requests/request-body.js';
import type { Store } from '../store/store.js';
import type { Vaults } from '../vault/vaults.js';
import { checked, countOf, wrongField } from './checked.js';
import { json, NO_CONTENT } from './response.js';
import { type Call, type PathNames, type RequestParts, type Route, route } from './route.js';

export interface VaultRoutesDeps {
  readonly vaults: Vaults;
  readonly interns: Pick<Interns, 'visible'>;
  readonly store: Pick<Store, 'commit'>;
}

const JSON_BODY = { read: true, json: 'ignored', invalid: 'invalid_body' } as const;

/** A secret as it is shown: never its value (VAULT-2). */
const view = ({ name, hosts, fingerprint, created_at }: SecretRow): VaultSecret => ({
  name,
  hosts,
  fingerprint,
  created_at,
});

/** Throws the 400 of an invalid name, on every operation that has one in its path (VAULT-3). */
function parseName({ secretName }: Pick<RequestParts, 'secretName'>): string {
  const read = secretNameSchema().safeParse(secretName);
  if (!read.success) throw wrongField('invalid_body', 'name', read.error.issues[0]?.message ?? '');
  return read.data;
}

/**
 * The part of a stored secret's body that the journal may show: its fields and valid hosts. Any other text may hold the
 * value, misplaced or cut in half.
 */
export function concealStore(bytes: Uint8Array): { shown: string; secret: string | undefined } {
  let body: unknown;
  try {
    body = parseJson(bytes);
  } catch {}
  if (!isRecord(body)) return { shown: REDACTED, secret: undefined };
  const { value, hosts, ...rest } = body;
  const shownHost = (host: unknown) =>
    typeof host === 'string' && host !== value && normalizeHost(host) !== undefined ? host : REDACTED;
  const shown = {
    ...(value === undefined ? {} : { value: REDACTED }),
    ...(hosts === undefined ? {} : { hosts: Array.isArray(hosts) ? hosts.map(shownHost) : REDACTED }),
    ...(Object.keys(rest).length === 0 ? {} : { [REDACTED]: REDACTED }),
  };
  return { shown: JSON.stringify(shown), secret: typeof value === 'string' ? value : undefined };
}

/** The operations on secrets (VAULT-1 to VAULT-8), each on the vault of the key's workspace and on that of an intern. */
export function vaultRoutes({ vaults, interns, store }: VaultRoutesDeps): Route[] {
  /** A vault that is being torn down is gone, and one that a create has yet to make does not exist. */
  const vaultOf = ({ record, unfinished }: InternRow): string => {
    if (record.vault_id === null || record.status === 'destroying' || unfinished.includes('vault'))
      throw new Refusal('not_found', { wrong: `the intern has no vault while it is ${record.status}` });
    return record.vault_id;
  };
  const scopes = [
    { path: '/vault/secrets', vault: ({ caller }: Call<unknown>) => caller.workspaceId },
    {
      path: '/vault/interns/:id/secrets',
      vault: ({ intern }: Call<unknown>) => vaultOf(intern),
      admit: (caller: Caller, { internId = '' }: PathNames) => void vaultOf(interns.visible(caller, internId)),
    },
  ] as const;

  const ofScope = ({ path, vault, ...admission }: (typeof scopes)[number]): Route[] => [
    route<{ limit: number; offset: number }>({
      ...admission,
      operation: 'vault-list',
      method: 'GET',
      path,
      parse: ({ query }) => ({
        limit: countOf(query, 'limit', 1, MAX_SECRETS_PAGE, MAX_SECRETS_PAGE),
        offset: countOf(query, 'offset', 0, MAX_SECRETS_OFFSET, 0),
      }),
      handle(call) {
        const { limit, offset } = call.input;
        const all = vaults.list(vault(call));
        return json({ data: all.slice(offset, offset + limit).map(view), has_more: all.length > offset + limit });
      },
    }),
    route<{ name: string; body: StoreSecretBody }>({
      ...admission,
      operation: 'vault-store',
      method: 'PUT',
      path: `${path}/:secretName`,
      body: { ...JSON_BODY, conceal: concealStore },
      parse: (parts) => ({ name: parseName(parts), body: checked(storeSecretSchema, parts.json()) }),
      async handle(call) {
        const { name, body } = call.input;
        const row = vaults.put(vault(call), name, body);
        await store.commit();
        return json({ data: view(row) });
      },
    }),
    route<string>({
      ...admission,
      operation: 'vault-delete',
      method: 'DELETE',
      path: `${path}/:secretName`,
      parse: parseName,
      authorize: (call) => void vaults.get(vault(call), call.input),
      async handle(call) {
        const at = vault(call);
        vaults.get(at, call.input);
        vaults.delete(at, call.input);
        await store.commit();
        return NO_CONTENT;
      },
    }),
  ];

  const [, ofIntern] = scopes;
  return [
    ...scopes.flatMap(ofScope),
    route<CopySecretsBody>({
      operation: 'vault-copy',
      method: 'POST',
      path: `${ofIntern.path}/copy`,
      ofWorkspace: true,
      admit: ofIntern.admit,
      body: JSON_BODY,
      parse: (parts) => checked(copySecretsSchema, parts.json()),
      authorize({ caller, input }) {
        for (const [at, name] of input.names.entries()) vaults.get(caller.workspaceId, name, 'names', at);
      },
      async handle(call) {
        const rows = vaults.copy(call.caller.workspaceId, ofIntern.vault(call), call.input.names);
        await store.commit();
        return json({ data: rows.map(view) });
      },
    }),
  ];
}
