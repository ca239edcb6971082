import type { ErrorKey } from './errors.js';
import type { FieldProblem } from './problem.js';

/** The requirement of a refusal, where neither its operation nor its field has one of its own. */
const REQUIREMENTS: Readonly<Record<ErrorKey, string | undefined>> = {
  regional: 'BASE-4',
  unauthorized: 'AUTH-1',
  not_found: 'AUTH-3',
  path_not_found: 'BASE-5',
  workspace_not_found: 'AUTH-2',
  session_not_found: 'INVOKE-3',
  secret_not_found: 'VAULT-6',
  method_not_allowed: 'BASE-5',
  personal_identity_required: 'AUTH-7',
  payload_too_large: 'BODY-2',
  unsupported_media_type: 'BODY-3',
  invalid_body: 'BODY-4',
  invalid_query: 'LIST-3',
  invalid_idempotency_key: 'CREATE-4',
  bad_request: 'CHAT-15',
  idempotency_key_reused: 'CREATE-4',
  name_conflict: 'CREATE-5',
  vault_unavailable: 'CREATE-2',
  vault_full: 'VAULT-3',
  secret_unbound: 'VAULT-7',
  vault_writes_disabled: 'VAULT-8',
  intern_busy: 'PROV-1',
  intern_not_ready: 'CHAT-16',
  intern_not_running: 'DAEMON-1',
  daemon_unreachable: 'DAEMON-1',
  interaction_unknown: 'CHAT-6',
  interaction_not_pending: 'CHAT-7',
  attachment_failed: 'CHAT-7',
  attachment_gone: 'CHAT-7',
  busy: 'CHAT-14',
  too_many_waiting: 'CHAT-16',
  rate_limited: 'CHAT-17',
  timeout: 'SIGN-9',
  run_ended: 'CHAT-12',
  stream_severed: 'CHAT-13',
  intern_unreachable: 'CHAT-16',
  turn_failed: 'CHAT-16',
  turn_timeout: 'CHAT-16',
  upstream_unavailable: 'CREATE-4',
  service_unavailable: undefined,
  gateway_timeout: undefined,
  internal_error: undefined,
  malformed_request: 'BASE-5',
  misdirected: undefined,
  request_timeout: undefined,
  expectation_failed: undefined,
  headers_too_large: undefined,
  scim_unauthorized: 'AUTH-6',
  scim_not_found: 'SCIM-2',
  scim_mapping_conflict: 'SCIM-4',
  scim_internal: 'SCIM-2',
};

/** A field that a requirement of its own speaks of: `operation field`. */
const OF_FIELD: Readonly<Record<string, string>> = {
  'chat stream': 'CHAT-1',
  'chat approval_mode': 'CHAT-8',
  'create name': 'CREATE-5',
  'create provision': 'CREATE-3',
  'create workspace_id': 'CREATE-1',
  'delete acknowledge_workspace_loss': 'DELETE-2',
  'list status': 'LIST-2',
  'sign bodySha256': 'SIGN-2',
  'sign route': 'SIGN-3',
  'update name': 'CREATE-5',
};

/** The requirement of a refusal on one operation: `operation key`. */
const OF_OPERATION: Readonly<Record<string, string>> = {
  'create intern_busy': 'CREATE-4',
  'delete invalid_body': 'DELETE-2',
  'invoke bad_request': 'INVOKE-1',
  'provision invalid_body': 'BODY-1',
  'suspend intern_busy': 'SUSP-1',
  'suspend invalid_body': 'BODY-1',
  'update intern_busy': 'UPDATE-1',
  'vault-store invalid_body': 'VAULT-3',
  'vault-copy invalid_body': 'VAULT-7',
  'vault-list invalid_query': 'VAULT-5',
};

/** The requirement of a refusal, for a reader who looks up why (docs/requirements.md). */
export const requirementOf = (
  key: ErrorKey,
  operation: string | undefined,
  fields: readonly FieldProblem[],
): string | undefined =>
  OF_FIELD[`${operation} ${String(fields[0]?.path[0])}`] ?? OF_OPERATION[`${operation} ${key}`] ?? REQUIREMENTS[key];
