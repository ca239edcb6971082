import { DAEMON_REFUSALS, type DaemonReason, type RefusalKey } from './daemon.js';
import { ERRORS, type ErrorKey } from './errors.js';
import type { FieldProblem } from './problem.js';

/** A field that a requirement of its own speaks of: `operation field`. */
const OF_FIELD: Readonly<Record<string, string>> = {
  'chat stream': 'CHAT-1',
  'chat approval_mode': 'CHAT-8',
  'create name': 'CREATE-5',
  'create provision': 'CREATE-3',
  'create workspace_id': 'CREATE-1',
  'delete acknowledge_workspace_loss': 'DELETE-2',
  'list status': 'LIST-2',
  'list workspace_id': 'LIST-2',
  'scim keep_members': 'SCIM-5',
  'sign bodySha256': 'SIGN-2',
  'sign route': 'SIGN-3',
  'update name': 'CREATE-5',
};

/** The requirement of a refusal on one operation: `operation key`. */
const OF_OPERATION: Readonly<Record<string, string>> = {
  'create intern_busy': 'CREATE-4',
  'delete invalid_body': 'DELETE-2',
  'invoke bad_request': 'INVOKE-1',
  'invoke intern_not_ready': 'INVOKE-1',
  'provision invalid_body': 'BODY-1',
  'scim invalid_query': 'SCIM-3',
  'sign personal_identity_required': 'AUTH-8',
  'sign rate_limited': 'SIGN-8',
  'suspend intern_busy': 'SUSP-1',
  'suspend invalid_body': 'BODY-1',
  'update intern_busy': 'UPDATE-1',
  'vault-store invalid_body': 'VAULT-3',
  'vault-copy invalid_body': 'VAULT-7',
  'vault-copy secret_not_found': 'VAULT-7',
  'vault-list invalid_query': 'VAULT-5',
};

const ownOf = (key: RefusalKey) =>
  (key in ERRORS ? ERRORS[key as ErrorKey] : DAEMON_REFUSALS[key as DaemonReason]).requirement;

/** The requirement of a refusal, for a reader who looks up why (docs/requirements.md). */
export const requirementOf = (
  key: RefusalKey,
  operation: string | undefined,
  fields: readonly FieldProblem[],
): string | undefined =>
  OF_FIELD[`${operation} ${String(fields[0]?.path[0])}`] ??
  OF_OPERATION[`${operation} ${key}`] ??
  ownOf(key) ??
  undefined;
