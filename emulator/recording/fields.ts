import { SEARCHED_FROM } from '../credentials/beginnings.js';
import type { Literal } from '../credentials/literals.js';
import { isSecretName, isSecretParameter } from '../credentials/names.js';
import { DELTA } from '../credentials/redaction.js';
import type { AliasKind } from './aliases.js';

/** The place of a text in an exchange. */
export interface Place {
  readonly operation: string | null;
  readonly path: string;
  /** Whether the text is in the request. */
  readonly sent: boolean;
  readonly part: 'path' | 'header' | 'body' | 'bytes';
  readonly name?: string;
  /** Whether the text is a stream of events, each with its own JSON. */
  readonly stream: boolean;
  /** Whether the text may end within a secret. */
  readonly cut: boolean;
}

/** Fields that get an alias in every body and query. */
const ALIASED: ReadonlyMap<string, AliasKind> = new Map([
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

/** Fields that get an alias only in some operations. */
const ALIASED_IN: Readonly<Record<string, Readonly<Record<string, AliasKind>>>> = {
  list: { id: 'intern' },
  create: { id: 'intern' },
  get: { id: 'intern' },
  update: { id: 'intern' },
  chat: { id: 'completion' },
  daemon: { origin: 'daemon_origin', token: 'token' },
  'vault-list': { fingerprint: 'fingerprint', name: 'secret' },
  'vault-store': { fingerprint: 'fingerprint', name: 'secret' },
  'vault-copy': { fingerprint: 'fingerprint', name: 'secret', names: 'secret' },
};

/** The kind of thing that `id` names in a body of SCIM, by its path. */
const SCIM_ID: readonly (readonly [path: RegExp, kind: AliasKind])[] = [
  [/\/scim\/group-mappings/, 'mapping'],
  [/\/scim\/groups/, 'group'],
  [/\/scim\/sync-jobs/, 'job'],
];
const scimKind = (path: string): AliasKind | undefined => SCIM_ID.find(([pattern]) => pattern.test(path))?.[1];

/** The keys of a signing answer, by how the profile's header names end. */
const PROOF: readonly (readonly [RegExp, AliasKind])[] = [
  [/-signature(-v2)?$/, 'signature'],
  [/-nonce$/, 'nonce'],
  [/-user$/, 'subject'],
];

/** Fields that hold free text or a word of the interface. They get no alias in any operation. */
const OF_ERRORS = ['code', 'message', 'reason'];
const OF_INTERNS = ['name', 'description', 'instructions', 'model', 'status', 'last_failure_message', 'step_label'];
/** Further fields without an alias, by operation. */
const STAY: Readonly<Record<string, readonly string[]>> = {
  list: OF_INTERNS,
  create: OF_INTERNS,
  get: OF_INTERNS,
  update: OF_INTERNS,
  chat: ['object', 'model', 'role', 'type', 'text', 'name', 'finish_reason', 'approval_mode', 'status'],
  invoke: ['input', 'status'],
  sign: ['method', 'path'],
  scim: ['role', 'status', 'display_name', 'external_id', 'error_message'],
  'vault-list': ['name', 'hosts'],
  'vault-store': ['name', 'hosts'],
  'vault-copy': ['name', 'names', 'hosts'],
};
const PARAMETERS: ReadonlySet<string> = new Set(['limit', 'status']);

/** The `nope` of `/interns/nope` is no id. */
const LOOKS_LIKE_AN_ID = /^(?=.*\d)[\w-]{8,}$/;

/** A moment is never a credential, under any name. */
export const MOMENT = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/;

/** Times, by the name of the member. */
const TIMES: readonly {
  readonly name: RegExp;
  readonly value: RegExp;
  readonly kind: Literal['kind'];
  readonly alias: string;
}[] = [
  { name: /^created$/, value: /^\d{9,}$/, kind: 'number', alias: '$unix' },
  { name: /^\w+_at$/, value: /^\d{4}-\d\d-\d\dT[\d:.]+Z$/, kind: 'string', alias: '$time' },
  { name: /^[\w-]+-timestamp$/, value: /^\d{9,}$/, kind: 'string', alias: '$unix' },
];

/** The alias of a time; undefined if the literal is none. */
export function timeOf({ kind, value, within }: Literal): string | undefined {
  // The last character excludes nearly every member: `created`, `…_at`, `…-timestamp`.
  if (within === undefined || !/[dtp]$/.test(within.name)) return undefined;
  return TIMES.find((time) => time.kind === kind && time.name.test(within.name) && time.value.test(value))?.alias;
}

/** Whether a secret's name gets an alias. A short one would be found within other texts. An invalid one is never stored. */
const isSecretsName = (name: string): boolean => name.length >= SEARCHED_FROM && /^[a-z](?:_?[a-z0-9])*$/.test(name);

/** A word has letters of one case, and two digits at most: `eu-west-1`, `Created`. An id and a credential have more. */
export const isWord = (token: string): boolean =>
  token.length < SEARCHED_FROM ||
  (!/\d.*\d.*\d/.test(token) &&
    token.split(/[^\p{L}\p{N}]+/u).every((part) => /^(?:\p{Lu}?[\p{Ll}\p{N}]*|[\p{Lu}\p{N}]*)$/u.test(part)));

/** A name is a word or camel case (`bodySha256`). Text with many capitals, or with three numbers, is not a name. */
export const isName = (name: string): boolean =>
  /^[a-z_]*$/.test(name) ||
  isWord(name) ||
  (!/\d{5}|(?:\d+\D+){2}\d/.test(name) &&
    name.split(/[^\p{L}\p{N}]+/u).every((part) => part.split(/(?=\p{Lu}\P{Lu})/u).length * 4 <= part.length + 4));

/** Whether a value may stay in a place that the interface does not define: only words may. */
export const mayStay = (value: string): boolean => MOMENT.test(value) || value.split(/\s+/).every(isWord);

/** The kind of alias that a string in a body gets; undefined if the text stays. Only known secrets in it are replaced. */
export function kindOf({ value, within }: Literal, { operation, path }: Place): AliasKind | undefined {
  const { name = '', outer } = within ?? {};
  // Below the name of a credential, every long string is one.
  if (outer?.secret) return value.length >= SEARCHED_FROM ? 'key' : undefined;
  // A value that is stored in a vault appears in no recording.
  if (name === 'value' && /\/secrets\/[^/?]+/.test(path)) return 'key';
  const proof = operation === 'sign' ? PROOF.find(([pattern]) => pattern.test(name)) : undefined;
  const kind =
    name === 'id' && outer?.name === 'tool_calls'
      ? 'question'
      : (proof?.[1] ??
        ALIASED_IN[operation ?? '']?.[name] ??
        (name === 'id' && operation === 'scim' ? scimKind(path) : undefined) ??
        ALIASED.get(name));
  if (kind === 'secret') return isSecretsName(value) ? kind : undefined;
  if (kind !== undefined) return kind;
  // Outside the interface, a top-level `code` is a credential: a login exchanges it for a token.
  if (isSecretName(name) || (operation === null && !outer && isSecretParameter(name))) return 'key';
  const stays = OF_ERRORS.includes(name) || DELTA.has(name) || STAY[operation ?? '']?.includes(name);
  return stays || mayStay(value) ? undefined : 'value';
}

/** The kind of alias that a parameter of a query or a form gets. */
export function kindOfParameter(name: string, value: string): AliasKind | undefined {
  const kind = ALIASED.get(name) ?? (isSecretParameter(name) ? 'key' : undefined);
  return kind ?? (PARAMETERS.has(name) || mayStay(value) ? undefined : 'value');
}

/** The kind of alias that a segment of a path gets. `before` is the path up to it. */
export function kindOfSegment(value: string, before: string): AliasKind | undefined {
  if (before.endsWith('/secrets/') && isSecretsName(value)) return 'secret';
  if (LOOKS_LIKE_AN_ID.test(value)) {
    if (before.endsWith('/interns/')) return 'intern';
    const kind = /\/scim\/[\w-]+\/$/.test(before) ? scimKind(before) : undefined;
    if (kind !== undefined) return kind;
  }
  return mayStay(value) ? undefined : 'value';
}
