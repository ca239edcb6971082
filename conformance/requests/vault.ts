import { fail, isArray, isObject, ok } from '../model/assert.js';
import type { Answer } from '../probe/client.js';
import { internPath, type Send } from '../probe/request.js';
import type { Ctx, SendOptions } from '../run/context.js';
import * as expect from '../run/expect.js';
import type { Ground } from './value.js';

/** The secrets of the key's workspace. */
export const WORKSPACE = '/vault/secrets';

/** The secrets of an intern. */
export const ofIntern = (id: string): string => `/vault${internPath(id, '/secrets')}`;

/** The path of one secret. */
export const secretAt = (scope: string, name: string): string => `${scope}/${encodeURIComponent(name)}`;

/** An unused name for a secret, with the prefix of the run. */
export const secretName = ({ interns }: Pick<Ground['ctx'], 'interns'>): string => interns.name().replaceAll('-', '_');

/** A value that occurs in no sentence: reports hide stored values everywhere. */
export const VALUE = 'kq7zr2mx4tw9v';
export const ANOTHER_VALUE = 'jd5wn8bp3xc6h';

export const HOSTS: readonly string[] = ['api.example.com'];

/** A secret as it is shown. */
export interface Secret {
  readonly name: unknown;
  readonly hosts: unknown;
  readonly fingerprint: unknown;
  readonly created_at: unknown;
}

/** The published fields of a secret. A service may show more. */
export const published = ({ name, hosts, fingerprint, created_at }: Record<string, unknown>): Secret => ({
  name,
  hosts,
  fingerprint,
  created_at,
});

type Sends = Pick<Ctx, 'send'>;

/** Sends `json` as the body of a store. */
export const put = ({ send }: Sends, scope: string, name: string, json: unknown, options: SendOptions = {}) =>
  send({ ...options, method: 'PUT', path: secretAt(scope, name), json });

export const remove = ({ send }: Sends, scope: string, name: string, options: SendOptions = {}) =>
  send({ ...options, method: 'DELETE', path: secretAt(scope, name) });

export const list = ({ send }: Sends, scope: string, query?: Send['query'], options: SendOptions = {}) =>
  send({ ...options, path: scope, ...(query === undefined ? {} : { query }) });

export const copy = ({ send }: Sends, internId: string, names: readonly unknown[], options: SendOptions = {}) =>
  send({ ...options, method: 'POST', path: `${ofIntern(internId)}/copy`, json: { names } });

/** The secret that an answer shows. */
export function secretOf(answer: Answer, what: string): Secret {
  expect.done(answer, what);
  isObject(answer.json, `body of ${what}`);
  isObject(answer.json.data, `data of ${what}`);
  return published(answer.json.data);
}

/** Stores a secret, and returns it as the answer shows it. */
export const store = async (
  ctx: Sends,
  scope: string,
  name: string,
  value: string,
  hosts: readonly string[] = HOSTS,
): Promise<Secret> => secretOf(await put(ctx, scope, name, { value, hosts }), 'the store of a secret');

/** One page of secrets. */
export function pageOf(answer: Answer, what: string): { data: Secret[]; has_more: boolean } {
  expect.status(answer, 200, what);
  isObject(answer.json, `body of ${what}`);
  const { data, has_more } = answer.json;
  isArray(data, `data of ${what}`);
  const secrets = data.map((entry) => {
    isObject(entry, `an entry of ${what}`);
    return published(entry);
  });
  ok(typeof has_more === 'boolean', `has_more of ${what}`, 'true or false', has_more);
  return { data: secrets, has_more };
}

/** Most pages that a list has: an offset goes up to 10000. */
const MOST_PAGES = 101;

/** All secrets of a vault, by name; of a workspace at a deployment, only those of the run. */
export async function secretsIn(ctx: Sends, scope: string, options?: SendOptions): Promise<Map<unknown, Secret>> {
  const found = new Map<unknown, Secret>();
  for (let page = 0; page < MOST_PAGES; page++) {
    const query = { limit: 100, offset: page * 100 };
    const { data, has_more } = pageOf(await list(ctx, scope, query, options), 'a list of secrets');
    for (const secret of data) found.set(secret.name, secret);
    if (!has_more) return found;
  }
  return fail('pages of a list of secrets', 'an end', MOST_PAGES);
}

/** Those of the names that a vault has, in their order, read until they are as `wanted`. */
export async function namesIn(
  ctx: Pick<Ctx, 'send' | 'eventually'>,
  scope: string,
  names: readonly string[],
  wanted: readonly string[] = names,
): Promise<string[]> {
  const read = async () => {
    const there = await secretsIn(ctx, scope);
    return names.filter((name) => there.has(name));
  };
  return ctx.eventually(read, (found) => found.length === wanted.length);
}

/** A secret of the list, read until it is as it should be. */
export const listedIn = (
  ctx: Pick<Ctx, 'send' | 'eventually'>,
  scope: string,
  name: string,
  holds: (secret: Secret) => boolean = () => true,
): Promise<Secret | undefined> =>
  ctx.eventually(
    async () => (await secretsIn(ctx, scope)).get(name),
    (secret) => secret !== undefined && holds(secret),
  );

/** A valid request for an operation on secrets, for a vault in the right state. */
export interface VaultOperation {
  readonly name: string;
  readonly of: 'workspace' | 'intern';
  readonly writes: boolean;
  request(internId: string, secret: string): Send;
}

const scopes = [
  { of: 'workspace', scope: () => WORKSPACE },
  { of: 'intern', scope: ofIntern },
] as const;

/** The seven operations on secrets. */
export const VAULT_OPERATIONS: readonly VaultOperation[] = [
  ...scopes.flatMap(({ of, scope }): VaultOperation[] => [
    { name: `the list of the ${of}`, of, writes: false, request: (id) => ({ path: scope(id) }) },
    {
      name: `the store in the ${of}`,
      of,
      writes: true,
      request: (id, name) => ({
        method: 'PUT',
        path: secretAt(scope(id), name),
        json: { value: VALUE, hosts: HOSTS },
      }),
    },
    {
      name: `the delete in the ${of}`,
      of,
      writes: true,
      request: (id, name) => ({ method: 'DELETE', path: secretAt(scope(id), name) }),
    },
  ]),
  {
    name: 'the copy',
    of: 'intern',
    writes: true,
    request: (id, name) => ({ method: 'POST', path: `${ofIntern(id)}/copy`, json: { names: [name] } }),
  },
];
