import type { Aliases, AliasKind } from './aliases.js';

/** Which values get an alias, by the key that they stand under, wherever in a body. */
const BY_KEY: Readonly<Record<string, AliasKind>> = {
  intern_id: 'intern',
  workspace_id: 'workspace',
  vault_id: 'vault',
  attached_vault_id: 'vault',
  hostname: 'hostname',
  next_cursor: 'cursor',
  starting_after: 'cursor',
  session_id: 'session',
  tool_call_id: 'question',
  scim_group_id: 'group',
  organization_id: 'organization',
  bodySha256: 'digest',
};

/** Keys under which people send what gives access, in a body or a query. */
const SECRET_KEY = /^(?:.*[_-])?(?:api[_-]?key|key|token|secret|password|authorization|credential)$/i;

/** What `id` names, by the operation whose body it stands in. */
const ID_OF: Readonly<Record<string, AliasKind>> = {
  list: 'intern',
  create: 'intern',
  get: 'intern',
  update: 'intern',
  scim: 'mapping',
};

/** The keys of a signing answer, by how the profile's header names end. */
const PROOF: readonly (readonly [RegExp, AliasKind])[] = [
  [/-signature(-v2)?$/, 'signature'],
  [/-nonce$/, 'nonce'],
  [/-user$/, 'subject'],
];

/** An id that somebody made up (`/interns/nope`) stays what it is. */
const LOOKS_LIKE_AN_ID = /^(?=.*\d)[\w-]{8,}$/;

const DIGEST = /^[0-9a-f]{64}$/;

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function kindOf(key: string, holder: Record<string, unknown>, operation: string | null): AliasKind | undefined {
  if (key === 'id') {
    if (holder.type === 'function' || isRecord(holder.function)) return 'question';
    if (holder.object === 'chat.completion.chunk') return 'completion';
    return ID_OF[operation ?? ''];
  }
  if (operation === 'daemon') {
    if (key === 'origin') return 'daemon_origin';
    if (key === 'token') return 'token';
  }
  if (operation === 'sign') {
    const proof = PROOF.find(([pattern]) => pattern.test(key));
    if (proof) return proof[1];
  }
  return BY_KEY[key] ?? (SECRET_KEY.test(key) ? 'key' : undefined);
}

/** Gives aliases to the values of a JSON body. */
export function discoverInJson(aliases: Aliases, operation: string | null, value: unknown): void {
  if (Array.isArray(value)) {
    for (const item of value) discoverInJson(aliases, operation, item);
    return;
  }
  if (!isRecord(value)) return;
  for (const [key, item] of Object.entries(value)) {
    const kind = typeof item === 'string' && item !== '' ? kindOf(key, value, operation) : undefined;
    // A digest that is none was sent to be refused.
    if (kind && (kind !== 'digest' || DIGEST.test(String(item)))) aliases.of(kind, item as string);
    else discoverInJson(aliases, operation, item);
  }
}

/** What a parameter of a query carries, where its value gets an alias. */
export const kindOfParameter = (name: string): AliasKind | undefined =>
  BY_KEY[name] ?? (SECRET_KEY.test(name) ? 'key' : undefined);

/** Gives aliases to the values of a path with its query. */
export function discoverInPath(aliases: Aliases, path: string): void {
  const [bare = '', query = ''] = path.split('?');
  const intern = /\/interns\/([^/]+)/.exec(bare)?.[1];
  if (intern !== undefined && LOOKS_LIKE_AN_ID.test(intern)) aliases.of('intern', intern);
  const mapping = /\/scim\/group-mappings\/([^/]+)$/.exec(bare)?.[1];
  if (mapping !== undefined && LOOKS_LIKE_AN_ID.test(mapping)) aliases.of('mapping', mapping);
  for (const [key, value] of new URLSearchParams(query)) {
    const kind = kindOfParameter(key);
    if (kind && value !== '') aliases.of(kind, value);
  }
}

const CREDENTIAL_HEADER = /^(?:authorization|proxy-authorization|x-api-key|api-key|cookie|x-.*(?:key|token|secret).*)$/;

const cookieValues = (value: string) => value.split(/;\s*/).map((pair) => pair.slice(pair.indexOf('=') + 1));

/** A credential without its scheme; of Basic both as it is and the password in it. */
function authorizationValues(value: string): string[] {
  const [, scheme = '', credential = ''] = /^\s*(?:([A-Za-z]+)\s+)?(.*?)\s*$/s.exec(value) ?? [];
  if (scheme.toLowerCase() !== 'basic') return [credential];
  const decoded = Buffer.from(credential, 'base64').toString();
  return [decoded.slice(decoded.indexOf(':') + 1), credential];
}

/** Gives aliases to the credentials among the headers of a request, those that are not recorded included. */
export function discoverInHeaders(aliases: Aliases, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (name === 'idempotency-key') aliases.of('idempotency_key', value);
    if (!CREDENTIAL_HEADER.test(name)) continue;
    for (const credential of name === 'cookie' ? cookieValues(value) : authorizationValues(value)) {
      if (credential !== '') aliases.of('key', credential);
    }
  }
}
