import { OPERATIONS as ALL, type OperationName } from '../model/operations.js';
import type { CredentialName, Send } from '../probe/request.js';
import type { Ctx } from '../run/context.js';

/** A valid request for an operation of the interface, for an intern in the right state. */
export interface OperationRow {
  readonly name: string;
  readonly method: string;
  /** Path below the base; the collection takes no id. */
  path(id: string): string;
  /** A valid body; undefined for operations that take none. */
  readonly body?: Body | undefined;
  /** A credential that the operation accepts. */
  readonly as: CredentialName;
  readonly on: 'collection' | 'intern';
}
type Body = (ctx: Pick<Ctx, 'interns'>) => Record<string, unknown>;

/** A valid digest. */
export const DIGEST = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

const BODIES: Partial<Record<OperationName, Body>> = {
  create: ({ interns }) => interns.body(),
  update: () => ({ description: 'looked at' }),
  chat: () => ({ messages: [{ role: 'user', content: 'Hello.' }], stream: true }),
  invoke: () => ({ input: 'Hello.' }),
  sign: () => ({ bodySha256: DIGEST }),
  'sign alias': () => ({ bodySha256: DIGEST }),
};

/** Every operation under `/interns`, including the deprecated aliases. */
export const OPERATIONS: readonly OperationRow[] = ALL.filter(({ area }) => area === 'interns').map(
  ({ name, method, place, right }) => ({
    name,
    method,
    path: (id) => place.replace('ID', encodeURIComponent(id)),
    body: BODIES[name],
    as: right === 'key' ? 'api_key' : 'oauth_token',
    on: place.includes('ID') ? 'intern' : 'collection',
  }),
);

/** Operations on one intern. */
export const ON_INTERN: readonly OperationRow[] = OPERATIONS.filter(({ on }) => on === 'intern');

/** Operations that an API key may use. */
export const BY_KEY: readonly OperationRow[] = OPERATIONS.filter(({ as }) => as === 'api_key');

/** The operation of this name. */
export function operation(name: string): OperationRow {
  const found = OPERATIONS.find((row) => row.name === name);
  if (found === undefined) throw new Error(`no operation ${name}`);
  return found;
}

/** The operation as a request on an intern, with a valid body if it takes one. */
export function request(ctx: Pick<Ctx, 'interns'>, row: OperationRow, id: string, over: Partial<Send> = {}): Send {
  const given = over.json !== undefined || over.body !== undefined;
  return {
    method: row.method,
    path: row.path(id),
    as: row.as,
    ...(row.body === undefined || given ? {} : { json: row.body(ctx) }),
    ...over,
  };
}

/** The paths of the interface with their methods. */
export const PATHS: readonly (Pick<OperationRow, 'path'> & { readonly methods: readonly string[] })[] =
  OPERATIONS.flatMap(({ path }, at) => {
    const there = OPERATIONS.filter((row) => row.path('ID') === path('ID'));
    return there[0] === OPERATIONS[at] ? [{ path, methods: there.map(({ method }) => method) }] : [];
  });

/** Declares a body as JSON. */
export const JSON_TYPE = { 'content-type': 'application/json' };

/** JSON as bytes: a body that brings no content type of its own. */
export const jsonBytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

/** Text as bytes: a body that brings no content type of its own. */
export const textBytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** JSON of exactly `size` bytes, filled up with white space after the value. */
export function padded(value: unknown, size: number): Uint8Array {
  const json = jsonBytes(value);
  const bytes = new Uint8Array(size).fill(0x20);
  bytes.set(json);
  return bytes;
}

/** The same bytes in pieces of `length`, to be sent chunk by chunk without a length. */
export function pieces(bytes: Uint8Array, length: number): Uint8Array[] {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += length) parts.push(bytes.subarray(at, at + length));
  return parts;
}
