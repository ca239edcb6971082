import { STATUSES } from '../habits/status-words.js';
import { isModel, type RecordFields } from '../model/intern.js';
import { isRecord } from '../probe/json.js';

/** Whether a value is a text of `least` to `most` code points. */
function text(value: unknown, least: number, most: number): boolean {
  // A code point is one or two code units: most texts need no counting.
  if (typeof value !== 'string' || value.length < least || value.length > 2 * most) return false;
  if (value.length <= most && value.length >= 2 * least) return true;
  const { length } = [...value];
  return length >= least && length <= most;
}
const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const isName = (value: unknown): boolean => text(value, 2, 17) && NAME.test(String(value));
const isBoolean = (value: unknown): boolean => typeof value === 'boolean';
const optional = (row: RecordFields, key: string, right: (value: unknown) => boolean): boolean =>
  !(key in row) || right(row[key]);
const orNull = (right: (value: unknown) => boolean) => (value: unknown) => value === null || right(value);
const only = (row: RecordFields, ...keys: readonly string[]): boolean =>
  Object.keys(row).every((key) => keys.includes(key));
/** Whether a value is a list of 1 to 100 items. */
const isListOf = (value: unknown, right: (item: unknown) => boolean): value is readonly unknown[] =>
  Array.isArray(value) && value.length >= 1 && value.length <= 100 && value.every(right);

const isDescription = orNull((value) => text(value, 0, 2000));
const areInstructions = orNull((value) => text(value, 0, 100_000));

/** Whether a create is published (CREATE-5). */
export const isCreate = (row: RecordFields): boolean =>
  only(row, 'name', 'workspace_id', 'description', 'instructions', 'provision', 'vault_id') &&
  isName(row.name) &&
  optional(row, 'workspace_id', (value) => typeof value === 'string' && value !== '') &&
  optional(row, 'description', isDescription) &&
  optional(row, 'instructions', areInstructions) &&
  optional(row, 'provision', isBoolean);

/** Whether an update is published (UPDATE-1). */
export const isUpdate = (row: RecordFields): boolean =>
  only(row, 'name', 'description', 'instructions', 'model') &&
  optional(row, 'name', isName) &&
  optional(row, 'description', isDescription) &&
  optional(row, 'instructions', areInstructions) &&
  optional(row, 'model', (value) => value === null || (typeof value === 'string' && isModel(value)));

/** Whether the body of a delete is published (DELETE-2). */
export const isDelete = (row: RecordFields): boolean =>
  only(row, 'acknowledge_workspace_loss') && optional(row, 'acknowledge_workspace_loss', isBoolean);

const contentOf = (value: unknown): string | undefined =>
  typeof value === 'string'
    ? value
    : Array.isArray(value) &&
        value.every((part) => isRecord(part) && part.type === 'text' && typeof part.text === 'string')
      ? value.map((part) => String((part as RecordFields).text)).join('')
      : undefined;
const isSession = (value: unknown): boolean => text(value, 1, 256) && !/\p{Cc}/u.test(String(value));

/** Whether the body of a chat is published (CHAT-15). */
export function isChat({ messages, stream, session_id: session, approval_mode: mode }: RecordFields): boolean {
  const last = Array.isArray(messages) ? messages.at(-1) : undefined;
  if (!isRecord(last) || stream !== true) return false;
  if (session !== undefined && session !== null && !isSession(session)) return false;
  if (mode !== undefined && mode !== null && mode !== 'manual' && mode !== 'self-drive') return false;
  if (last.role === 'tool') return session !== undefined && typeof last.tool_call_id === 'string';
  return last.role === 'user' && text(contentOf(last.content), 1, 32_000);
}

/** Whether the body of an invoke is published (INVOKE-1). */
export const isInvoke = ({ input, session_id: session }: RecordFields): boolean =>
  text(input, 1, 32_000) && (session === undefined || session === null || isSession(session));

/** Whether the statuses of a list are published. */
export function areStatuses(query: URLSearchParams): boolean {
  const statuses = query.getAll('status').flatMap((one) => one.split(','));
  return statuses.every((one) => STATUSES.includes(one)) && statuses.length <= 8;
}

/** Whether each value of a parameter is a whole number from `least` to `most`. */
export const areNumbers = (query: URLSearchParams, key: string, least: number, most: number): boolean =>
  query.getAll(key).every((one) => /^\d+$/.test(one) && Number(one) >= least && Number(one) <= most);

/** Whether a value is the SHA-256 of a body, in hexadecimal (SIGN-2). */
export const isDigest = (value: unknown): boolean => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);

/** Whether a path is one of a request line: one slash, percent-encoded, without origin, query and fragment (SIGN-3). */
const isRoutePath = (value: unknown): boolean =>
  typeof value === 'string' && /^\/(?!\/)(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})*$/.test(value);

/** Whether a route can be signed: a permitted method, and a path (SIGN-3). */
export const isRoute = (value: unknown, methods: readonly string[]): boolean =>
  isRecord(value) && methods.some((method) => value.method === method) && isRoutePath(value.path);

const SECRET_NAME = /^(?=.{1,255}$)[a-z](?:[a-z0-9]|_(?!_))*(?<!_)$/;

/** Whether a secret can have a name (VAULT-3). */
export const isSecretName = (value: unknown): boolean => typeof value === 'string' && SECRET_NAME.test(value);

/** Whether the body of a copy is published (VAULT-7). */
export const isCopy = (row: RecordFields): boolean =>
  only(row, 'names') && isListOf(row.names, isSecretName) && new Set(row.names).size === row.names.length;

const isHost = (value: unknown): boolean => typeof value === 'string' && value !== '' && !/[/:*\s[\]]/.test(value);

/** An exact DNS name in ASCII, which is no address. */
const EXACT =
  /^(?=.{1,253}\.?$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*(?!\d+\.?$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.?$/i;

/** Whether the hosts of a store are exact names, and its value has no half of a surrogate pair (VAULT-3). */
export const isExactSecret = ({ value, hosts }: RecordFields): boolean =>
  !/\p{Surrogate}/u.test(String(value)) && (!Array.isArray(hosts) || hosts.every((host) => EXACT.test(String(host))));

/** Whether the body of a store is published (VAULT-3). Its value counts in UTF-16 code units. */
export const isSecret = ({ value, hosts, ...others }: RecordFields): boolean =>
  Object.keys(others).length === 0 &&
  typeof value === 'string' &&
  value.length >= 1 &&
  value.length <= 65_536 &&
  isListOf(hosts, isHost);
