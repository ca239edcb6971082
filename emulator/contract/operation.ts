/** The operations that faults, the journal and the documentation name. */
export const OPERATIONS = [
  'list',
  'create',
  'get',
  'update',
  'delete',
  'provision',
  'suspend',
  'chat',
  'invoke',
  'daemon',
  'sign',
  'scim',
  'vault-list',
  'vault-store',
  'vault-delete',
  'vault-copy',
] as const;
export type Operation = (typeof OPERATIONS)[number];

/** Further operations for disturbances: chat requests that answer a question, and requests to a daemon. */
export const DISTURBED_ONLY = ['answer', 'daemon-request'] as const;
/** The journal's name of a request to a daemon. */
export const DAEMON_REQUEST = 'daemon-request' satisfies (typeof DISTURBED_ONLY)[number];
/** The operations of requests in the journal. */
export const JOURNALED = [...OPERATIONS, DAEMON_REQUEST] as const;
export type Called = Operation | (typeof DISTURBED_ONLY)[number];

/** The operations by method and path below the base of the interface. */
const PATHS: readonly (readonly [operation: Operation, method: string, path: RegExp])[] = [
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

/** Whether the interface has a path, below its base. */
export const isPath = (path: string): boolean => PATHS.some(([, , pattern]) => pattern.test(path));

/** The operation of a request, by its method and its path below the base of the interface. A HEAD is a GET. */
export function operationOf(method: string, path: string): Operation | undefined {
  const asked = method === 'HEAD' ? 'GET' : method;
  return PATHS.find(([, of, pattern]) => of === asked && pattern.test(path))?.[0];
}
