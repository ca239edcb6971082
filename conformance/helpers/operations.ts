import type { Ctx } from '../framework/context.js';
import { type CredentialName, internPath, type Send } from '../probe/request.js';

/** An operation of the interface, as a request that an intern in the right state accepts. */
export interface Operation {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path below the base; the collection takes no id. */
  path(id: string): string;
  /** A valid body; undefined for operations that take none. */
  body?(ctx: Pick<Ctx, 'interns'>): Record<string, unknown>;
  /** A credential that the operation accepts. */
  readonly as: CredentialName;
  readonly on: 'collection' | 'intern';
}

/** A digest that fits, for requests in which it does not matter. */
export const DIGEST = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

const collection = () => '/interns';
const below = (rest: string) => (id: string) => internPath(id, `${rest}`);

/** Every operation under `/interns`, the deprecated aliases among them. */
export const OPERATIONS: readonly Operation[] = [
  { name: 'list', method: 'GET', path: collection, as: 'api_key', on: 'collection' },
  {
    name: 'create',
    method: 'POST',
    path: collection,
    body: ({ interns }) => interns.body(),
    as: 'api_key',
    on: 'collection',
  },
  { name: 'get', method: 'GET', path: below(''), as: 'api_key', on: 'intern' },
  {
    name: 'update',
    method: 'PATCH',
    path: below(''),
    body: () => ({ description: 'looked at' }),
    as: 'api_key',
    on: 'intern',
  },
  { name: 'delete', method: 'DELETE', path: below(''), as: 'api_key', on: 'intern' },
  { name: 'provision', method: 'POST', path: below('/provision'), as: 'api_key', on: 'intern' },
  { name: 'suspend', method: 'POST', path: below('/suspend'), as: 'api_key', on: 'intern' },
  {
    name: 'chat',
    method: 'POST',
    path: below('/chat/completions'),
    body: () => ({ messages: [{ role: 'user', content: 'Hello.' }], stream: true }),
    as: 'api_key',
    on: 'intern',
  },
  {
    name: 'invoke',
    method: 'POST',
    path: below('/invoke'),
    body: () => ({ input: 'Hello.' }),
    as: 'api_key',
    on: 'intern',
  },
  { name: 'daemon', method: 'GET', path: below('/daemon'), as: 'oauth_token', on: 'intern' },
  { name: 'daemon alias', method: 'GET', path: below('/daemon-access'), as: 'oauth_token', on: 'intern' },
  {
    name: 'sign',
    method: 'POST',
    path: below('/daemon/sign'),
    body: () => ({ bodySha256: DIGEST }),
    as: 'oauth_token',
    on: 'intern',
  },
  {
    name: 'sign alias',
    method: 'POST',
    path: below('/daemon-access/sign'),
    body: () => ({ bodySha256: DIGEST }),
    as: 'oauth_token',
    on: 'intern',
  },
];

/** Those on one intern. */
export const ON_INTERN: readonly Operation[] = OPERATIONS.filter(({ on }) => on === 'intern');

/** Checks that an API key is enough for. */
export const BY_KEY: readonly Operation[] = OPERATIONS.filter(({ as }) => as === 'api_key');

/** The operation of this name. */
export function operation(name: string): Operation {
  const found = OPERATIONS.find((row) => row.name === name);
  if (found === undefined) throw new Error(`no operation ${name}`);
  return found;
}

/** The operation as a request on an intern, with a valid body if it takes one. */
export function request(ctx: Pick<Ctx, 'interns'>, row: Operation, id: string, over: Partial<Send> = {}): Send {
  const given = over.json !== undefined || over.body !== undefined;
  return {
    method: row.method,
    path: row.path(id),
    as: row.as,
    ...(row.body === undefined || given ? {} : { json: row.body(ctx) }),
    ...over,
  };
}

/** Methods by path of the interface, for what other methods answer there. */
export const PATHS: readonly { readonly path: (id: string) => string; readonly methods: readonly string[] }[] = [
  { path: collection, methods: ['GET', 'POST'] },
  { path: below(''), methods: ['GET', 'PATCH', 'DELETE'] },
  { path: below('/provision'), methods: ['POST'] },
  { path: below('/suspend'), methods: ['POST'] },
  { path: below('/chat/completions'), methods: ['POST'] },
  { path: below('/invoke'), methods: ['POST'] },
  { path: below('/daemon'), methods: ['GET'] },
  { path: below('/daemon-access'), methods: ['GET'] },
  { path: below('/daemon/sign'), methods: ['POST'] },
  { path: below('/daemon-access/sign'), methods: ['POST'] },
];
