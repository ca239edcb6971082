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
