import type { Operation } from '../contract/operation.js';

/** The interface's operations by method and path below the version segment. */
const OPERATIONS: readonly (readonly [operation: Operation, method: string, path: RegExp])[] = [
  ['list', 'GET', /^\/interns$/],
  ['create', 'POST', /^\/interns$/],
  ['get', 'GET', /^\/interns\/[^/]+$/],
  ['update', 'PATCH', /^\/interns\/[^/]+$/],
  ['delete', 'DELETE', /^\/interns\/[^/]+$/],
  ['provision', 'POST', /^\/interns\/[^/]+\/provision$/],
  ['suspend', 'POST', /^\/interns\/[^/]+\/suspend$/],
  ['chat', 'POST', /^\/interns\/[^/]+\/chat\/completions$/],
  ['invoke', 'POST', /^\/interns\/[^/]+\/invoke$/],
  ['daemon', 'GET', /^\/interns\/[^/]+\/daemon(-access)?$/],
  ['sign', 'POST', /^\/interns\/[^/]+\/daemon(-access)?\/sign$/],
  ['scim', 'GET', /^\/scim\/(group-mappings(\/[^/]+)?|groups|sync-jobs\/[^/]+)$/],
  ['scim', 'POST', /^\/scim\/(group-mappings|sync-jobs)$/],
  ['scim', 'PATCH', /^\/scim\/group-mappings\/[^/]+$/],
  ['scim', 'DELETE', /^\/scim\/group-mappings\/[^/]+$/],
  ['vault-list', 'GET', /^\/vault(\/interns\/[^/]+)?\/secrets$/],
  ['vault-store', 'PUT', /^\/vault(\/interns\/[^/]+)?\/secrets\/[^/]+$/],
  ['vault-delete', 'DELETE', /^\/vault(\/interns\/[^/]+)?\/secrets\/[^/]+$/],
  ['vault-copy', 'POST', /^\/vault\/interns\/[^/]+\/secrets\/copy$/],
];

export const VERSION_SEGMENT = '/api/v1';

/** The operation of a request, by method and path from the version segment on; null if there is none. */
export function operationOf(method: string, path: string): Operation | null {
  const below = (path.split('?')[0] ?? '').slice(VERSION_SEGMENT.length);
  const asked = method === 'HEAD' ? 'GET' : method;
  return OPERATIONS.find(([, of, pattern]) => of === asked && pattern.test(below))?.[0] ?? null;
}

/** The path from the version segment on; a deployment's prefix before it is its own. */
export function fromVersion(path: string): string {
  const bare = path.split('?', 1)[0] ?? '';
  const at = bare.search(/\/api\/v1(?:\/|$)/);
  return at > 0 ? path.slice(at) : path;
}

/** The target of a request without scheme and host, which a request to a proxy may have. */
export function originForm(target: string): string {
  const [authority] = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(target) ?? [];
  if (authority === undefined) return target;
  const rest = target.slice(authority.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}
