import type { Operation } from '../contract/fault.js';

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
  ['scim', 'GET', /^\/scim\/group-mappings\/[^/]+$/],
];

export const VERSION_SEGMENT = '/api/v1';

/** The operation that a request is, by method and path from the version segment on; null where there is none. */
export function operationOf(method: string, path: string): Operation | null {
  const below = (path.split('?')[0] ?? '').slice(VERSION_SEGMENT.length);
  const asked = method === 'HEAD' ? 'GET' : method;
  return OPERATIONS.find(([, of, pattern]) => of === asked && pattern.test(below))?.[0] ?? null;
}
