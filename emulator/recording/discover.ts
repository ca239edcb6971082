import { jsonOf } from '../contract/nesting.js';
import { SEARCHED_FROM } from '../credentials/known.js';
import type { Aliases, AliasKind } from './aliases.js';
import { isSecretHeader, isSecretName, isSecretParameter } from './secret-names.js';
import { secretsIn } from './secret-scan.js';

/** Which values get an alias, by their key, wherever in a body. */
const BY_KEY: ReadonlyMap<string, AliasKind> = new Map([
  ['intern_id', 'intern'],
  ['workspace_id', 'workspace'],
  ['vault_id', 'vault'],
  ['attached_vault_id', 'vault'],
  ['hostname', 'hostname'],
  ['next_cursor', 'cursor'],
  ['starting_after', 'cursor'],
  ['session_id', 'session'],
  ['tool_call_id', 'question'],
  ['scim_group_id', 'group'],
  ['organization_id', 'organization'],
  ['bodySha256', 'digest'],
]);

/** What `id` names, by the operation of the body. */
const ID_OF: ReadonlyMap<string, AliasKind> = new Map([
  ['list', 'intern'],
  ['create', 'intern'],
  ['get', 'intern'],
  ['update', 'intern'],
]);

/** What `id` names in a body of SCIM, by its path. */
const SCIM_ID: readonly (readonly [path: RegExp, kind: AliasKind])[] = [
  [/\/scim\/group-mappings/, 'mapping'],
  [/\/scim\/groups/, 'group'],
  [/\/scim\/sync-jobs/, 'job'],
];
const scimKind = (path: string): AliasKind | undefined => SCIM_ID.find(([pattern]) => pattern.test(path))?.[1];

/** The name of a secret in a path; `copy` there is an operation as a rule, and short names stay as they are. */
const SECRET_IN_PATH = /\/vault(?:\/interns\/[^/]+)?\/secrets\/([^/]+)$/;

/** The keys of a signing answer, by how the profile's header names end. */
const PROOF: readonly (readonly [RegExp, AliasKind])[] = [
  [/-signature(-v2)?$/, 'signature'],
  [/-nonce$/, 'nonce'],
  [/-user$/, 'subject'],
];

/** An id that somebody made up (`/interns/nope`) stays as it is. */
const LOOKS_LIKE_AN_ID = /^(?=.*\d)[\w-]{8,}$/;

const DIGEST = /^[0-9a-f]{64}$/;

/** A moment is never a credential, under any name. */
const MOMENT = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/;

/** What a request for a token has beside a code: then the code gives access. */
const BESIDE_A_CODE = ['grant_type', 'client_id', 'redirect_uri', 'code_verifier'];

/** The keys whose strings are pieces of one text over the events of a stream. */
const DELTA_KEYS: ReadonlySet<string> = new Set(['content', 'reasoning', 'arguments']);

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** A short name would be found in the middle of other texts, and an invalid one was sent to be refused. */
const isSecretsName = (name: unknown): name is string =>
  typeof name === 'string' && name.length >= SEARCHED_FROM && /^[a-z](?:_?[a-z0-9])*$/.test(name);

/** Aliases in a body of the vault. */
function vaultKind(key: string, holder: Record<string, unknown>): AliasKind | undefined {
  if (key === 'fingerprint') return 'fingerprint';
  if (key !== 'name') return undefined;
  return isSecretsName(holder.name) ? 'secret' : undefined;
}

function kindOf(
  key: string,
  holder: Record<string, unknown>,
  operation: string | null,
  path: string,
): AliasKind | undefined {
  if (operation?.startsWith('vault-')) {
    const kind = vaultKind(key, holder);
    if (kind) return kind;
  }
  if (key === 'id') {
    if (holder.type === 'function' || isRecord(holder.function)) return 'question';
    if (holder.object === 'chat.completion.chunk') return 'completion';
    return operation === 'scim' ? scimKind(path) : ID_OF.get(operation ?? '');
  }
  if (operation === 'daemon') {
    if (key === 'origin') return 'daemon_origin';
    if (key === 'token') return 'token';
  }
  if (operation === 'sign') {
    const proof = PROOF.find(([pattern]) => pattern.test(key));
    if (proof) return proof[1];
  }
  if (key === 'code' && BESIDE_A_CODE.some((name) => name in holder)) return 'key';
  return BY_KEY.get(key) ?? (isSecretName(key) ? 'key' : undefined);
}

/** The schemes that may precede a credential in a body. Any other word before it may be part of it. */
const SCHEMED = /^\s*(?:(bearer|basic|token)\s+)?(.*?)\s*$/is;
/** In the header, the first word always is one. */
const AUTHORIZATION = /^\s*(?:([A-Za-z]+)\s+)?(.*?)\s*$/s;

/** A credential without its scheme; of Basic both the whole and the password in it. */
function authorizationValues(value: string, pattern: RegExp): string[] {
  const [, scheme = '', credential = ''] = pattern.exec(value) ?? [];
  if (scheme.toLowerCase() !== 'basic') return [credential];
  const decoded = Buffer.from(credential, 'base64').toString();
  return [decoded.slice(decoded.indexOf(':') + 1), credential];
}

/** Gives a value its alias; a credential without its scheme. */
function give(aliases: Aliases, kind: AliasKind, value: string, schemes = SCHEMED): void {
  if (kind !== 'key') {
    // A malformed digest was sent to be refused.
    if (value !== '' && (kind !== 'digest' || DIGEST.test(value))) aliases.of(kind, value);
    return;
  }
  for (const credential of authorizationValues(value, schemes))
    if (credential !== '' && !MOMENT.test(credential)) aliases.of('key', credential);
}

/** A value on its way through JSON. Below the name of a credential, every long string is one. */
interface Step {
  readonly value: unknown;
  readonly secret: boolean;
}

type KindAt = (key: string, holder: Record<string, unknown>) => AliasKind | undefined;

/** What is reported of strings in JSON. */
interface Finds {
  named(kind: AliasKind, value: string): void;
  text(key: string, value: string): void;
}

/** Walks through JSON in its order, without recursion. */
function walk(json: unknown, kindAt: KindAt, found: Finds): void {
  const open: Step[] = [{ value: json, secret: false }];
  for (let step = open.pop(); step; step = open.pop()) {
    const { value, secret } = step;
    if (typeof value === 'string') {
      if (secret && value.length >= SEARCHED_FROM) found.named('key', value);
      continue;
    }
    if (!isRecord(value)) continue;
    const inner: Step[] = [];
    for (const [key, item] of Object.entries(value)) {
      const kind = secret || Array.isArray(value) ? undefined : kindAt(key, value);
      if (kind !== undefined && typeof item === 'string') found.named(kind, item);
      else inner.push({ value: item, secret: secret || kind === 'key' });
      if (typeof item === 'string') found.text(key, item);
    }
    for (const one of inner.reverse()) open.push(one);
  }
}

/** How long a text may be, in UTF-16 units, to be read as JSON as a whole: that takes a multiple of its memory. */
const LONGEST_JSON = 4_194_304;

/** How JSON with names in it begins. Other text is not parsed: of a million lines each would throw. */
const CONTAINER = /^\s*[[{]/;

/** A body, and its context. */
export interface Body {
  readonly operation: string | null;
  readonly path: string;
  readonly text: string;
  /** Whether it is a stream of events, each with JSON of its own. */
  readonly isStream: boolean;
}

/** A value in a body that breaks off somewhere, without its end. */
const BROKEN_VALUE = /"value"\s*:\s*("(?:[^"\\]|\\.)*)/;

/** Gives aliases to the names that a copy lists. */
function discoverNames(aliases: Aliases, json: unknown): void {
  const names = isRecord(json) && Array.isArray(json.names) ? json.names : [];
  for (const name of names) if (isSecretsName(name)) give(aliases, 'secret', name);
}

/** A value that is stored in a vault appears in no recording. */
const STORES = /\/secrets\/[^/?]+/;

/** Gives aliases to the values of a body. */
export function discoverInBody(aliases: Aliases, { operation, path, text, isStream }: Body): void {
  const deltas = new Map<string, string[]>();
  const stores = STORES.test(path);
  const kindAt = (key: string, holder: Record<string, unknown>) =>
    stores && key === 'value' ? 'key' : kindOf(key, holder, operation, path);
  const texts = isStream ? [...text.matchAll(/^data: ?([^\r\n]*)/gm)].map(([, data = '']) => data) : [text];
  // What was to be stored, and is no JSON: the value is somewhere in it.
  if (operation === 'vault-store' && text.trim() !== '' && jsonOf(text) === undefined) {
    const value = jsonOf(`${BROKEN_VALUE.exec(text)?.[1] ?? ''}"`);
    if (typeof value === 'string') give(aliases, 'key', value);
    give(aliases, 'key', text.trim());
  }
  if (operation === 'vault-copy') discoverNames(aliases, jsonOf(text));
  for (const one of texts) {
    if (one.length > LONGEST_JSON || !CONTAINER.test(one)) continue;
    walk(jsonOf(one), kindAt, {
      named: (kind, value) => give(aliases, kind, value),
      text(key, value) {
        if (!isStream || !DELTA_KEYS.has(key)) return;
        const said = deltas.get(key);
        if (said) said.push(value);
        else deltas.set(key, [value]);
      },
    });
  }
  for (const one of [text, ...[...deltas.values()].map((said) => said.join(''))])
    for (const value of secretsIn(one)) give(aliases, 'key', value);
}

/** What a parameter of a query or a form holds, if its value gets an alias. */
export const kindOfParameter = (name: string): AliasKind | undefined =>
  BY_KEY.get(name) ?? (isSecretParameter(name) ? 'key' : undefined);

/** Gives aliases to the values of a query, or of a form. */
export function discoverInPairs(aliases: Aliases, pairs: string): void {
  for (const [key, value] of new URLSearchParams(pairs)) {
    const kind = kindOfParameter(key);
    if (kind) give(aliases, kind, value);
  }
}

/** Gives aliases to the values of a path with its query. */
export function discoverInPath(aliases: Aliases, path: string): void {
  const [, bare = '', query = ''] = /^([^?]*)\??(.*)$/s.exec(path) ?? [];
  const intern = /\/interns\/([^/]+)/.exec(bare)?.[1];
  if (intern !== undefined && LOOKS_LIKE_AN_ID.test(intern)) aliases.of('intern', intern);
  const row = /\/scim\/[\w-]+\/([^/]+)$/.exec(bare)?.[1];
  const kind = scimKind(bare);
  if (row !== undefined && kind !== undefined && LOOKS_LIKE_AN_ID.test(row)) aliases.of(kind, row);
  const secret = SECRET_IN_PATH.exec(bare)?.[1];
  if (isSecretsName(secret)) give(aliases, 'secret', secret);
  discoverInPairs(aliases, query);
}

const cookieValues = (value: string) => value.split(/;\s*/).map((pair) => pair.slice(pair.indexOf('=') + 1));

/** Gives aliases to the credentials among headers, even those that are not recorded. */
export function discoverInHeaders(aliases: Aliases, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (name === 'idempotency-key') aliases.of('idempotency_key', value);
    if (!isSecretHeader(name)) {
      for (const secret of secretsIn(value)) give(aliases, 'key', secret);
    } else if (name === 'set-cookie') {
      for (const one of cookieValues(value)) if (one.length >= SEARCHED_FROM) give(aliases, 'key', one);
    } else {
      const schemes = name.endsWith('authorization') ? AUTHORIZATION : SCHEMED;
      for (const one of name === 'cookie' ? cookieValues(value) : [value]) give(aliases, 'key', one, schemes);
    }
  }
}
