import type { Asked } from './exchange.js';
import { onceInARow } from './options.js';

/** The callers that may ask for an operation. */
export type Right = 'key' | 'oauth' | 'vault-oauth' | 'management';

export interface Operation {
  readonly name: OperationName;
  readonly method: string;
  readonly path: RegExp;
  /** The path with `ID` for each id. */
  readonly place: string;
  readonly area: 'interns' | 'scim' | 'vault';
  readonly right: Right;
  /** The success statuses of the interface and the published API. */
  readonly success: readonly number[];
  /** Whether it changes nothing. */
  readonly reads?: true;
}

const ID = '([^/]+)';
const row = (
  name: OperationName,
  method: string,
  path: string,
  right: Right,
  success: readonly number[],
  more: { reads?: true; area?: 'scim' | 'vault' } = {},
): Operation => ({
  name,
  method,
  path: new RegExp(`^${path.replaceAll('ID', ID)}$`),
  place: path,
  area: 'interns',
  right,
  success,
  ...more,
});

export type OperationName =
  | 'list'
  | 'create'
  | 'get'
  | 'update'
  | 'delete'
  | 'provision'
  | 'suspend'
  | 'chat'
  | 'invoke'
  | 'daemon'
  | 'daemon alias'
  | 'sign'
  | 'sign alias'
  | 'scim'
  | 'secrets'
  | 'store secret'
  | 'delete secret'
  | 'intern secrets'
  | 'store intern secret'
  | 'delete intern secret'
  | 'copy secrets';

/** The operations of the interface, in its order. */
export const OPERATIONS: readonly Operation[] = [
  row('list', 'GET', '/interns', 'key', [200], { reads: true }),
  row('create', 'POST', '/interns', 'key', [200, 201]),
  row('get', 'GET', '/interns/ID', 'key', [200], { reads: true }),
  row('update', 'PATCH', '/interns/ID', 'key', [200]),
  row('delete', 'DELETE', '/interns/ID', 'key', [202]),
  row('provision', 'POST', '/interns/ID/provision', 'key', [202]),
  row('suspend', 'POST', '/interns/ID/suspend', 'key', [200]),
  row('chat', 'POST', '/interns/ID/chat/completions', 'key', [200, 202]),
  row('invoke', 'POST', '/interns/ID/invoke', 'key', [202]),
  row('daemon', 'GET', '/interns/ID/daemon', 'oauth', [200], { reads: true }),
  row('daemon alias', 'GET', '/interns/ID/daemon-access', 'oauth', [200], { reads: true }),
  row('sign', 'POST', '/interns/ID/daemon/sign', 'vault-oauth', [200]),
  row('sign alias', 'POST', '/interns/ID/daemon-access/sign', 'vault-oauth', [200]),
  row('scim', 'GET', '/scim/group-mappings/ID', 'management', [200], { reads: true, area: 'scim' }),
  row('secrets', 'GET', '/vault/secrets', 'key', [200], { reads: true, area: 'vault' }),
  row('store secret', 'PUT', '/vault/secrets/ID', 'key', [200], { area: 'vault' }),
  row('delete secret', 'DELETE', '/vault/secrets/ID', 'key', [204], { area: 'vault' }),
  row('intern secrets', 'GET', '/vault/interns/ID/secrets', 'key', [200], { reads: true, area: 'vault' }),
  row('copy secrets', 'POST', '/vault/interns/ID/secrets/copy', 'key', [200], { area: 'vault' }),
  row('store intern secret', 'PUT', '/vault/interns/ID/secrets/ID', 'key', [200], { area: 'vault' }),
  row('delete intern secret', 'DELETE', '/vault/interns/ID/secrets/ID', 'key', [204], { area: 'vault' }),
];

/** The operation of a request, and the ids in its path. */
export interface Named {
  readonly operation: Operation;
  /** The intern, or the SCIM mapping. */
  readonly id: string | undefined;
  readonly secret: string | undefined;
}

/** A decoded segment of a path. A wrongly encoded one stays unchanged. */
export const decoded = (segment: string): string => {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

/** The intern in a path, and the rest after its id: `suspend`, `chat/completions`, or nothing. */
export function placeOf({ path }: Pick<Asked, 'path'>): { readonly id: string | undefined; readonly rest: string } {
  const [, id, rest = ''] = /^\/interns\/([^/]+)(?:\/(.*))?$/.exec(path) ?? [];
  return { id: id === undefined ? undefined : decoded(id), rest };
}

type Placed = Pick<Asked, 'method' | 'path'>;

/** The operation of a request; undefined for an unknown path or method. */
export const operationOf = onceInARow(({ method, path }: Placed): Named | undefined => {
  for (const operation of OPERATIONS) {
    const found = operation.method === method ? operation.path.exec(path) : null;
    if (found === null) continue;
    const [, first, second] = found;
    const of = (segment: string | undefined) => (segment === undefined ? undefined : decoded(segment));
    const bare = operation.name === 'store secret' || operation.name === 'delete secret';
    return { operation, id: of(bare ? undefined : first), secret: of(bare ? first : second) };
  }
  return undefined;
});

export const isPrompt = ({ name }: Operation): boolean => name === 'chat' || name === 'invoke';
export const SIGNING: readonly OperationName[] = ['sign', 'sign alias'];
export const DAEMON: readonly OperationName[] = ['daemon', 'daemon alias'];
export const isSigning = ({ name }: Operation): boolean => SIGNING.includes(name);
export const isDaemon = ({ name }: Operation): boolean => DAEMON.includes(name);
