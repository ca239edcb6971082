import type { Check } from '../run/check.js';
import { AUTH } from './auth.js';
import { BASE } from './base.js';
import { BODIES } from './bodies.js';
import { CHAT_ANSWERS } from './chat-answers.js';
import { CHAT_CONTENT } from './chat-content.js';
import { CHAT_DEADLINES } from './chat-deadlines.js';
import { CHAT_ENDINGS } from './chat-endings.js';
import { CHAT_LOCK } from './chat-lock.js';
import { CHAT_MODES } from './chat-modes.js';
import { CHAT_NOT_TAKEN } from './chat-not-taken.js';
import { CHAT_QUESTIONS } from './chat-questions.js';
import { CHAT_REFUSALS } from './chat-refusals.js';
import { CHAT_REQUESTS } from './chat-requests.js';
import { CHAT_SESSIONS } from './chat-sessions.js';
import { CHAT_STEERING } from './chat-steering.js';
import { CLOCK } from './clock.js';
import { CONTROL } from './control.js';
import { CREATE } from './create.js';
import { DAEMON } from './daemon.js';
import { DAEMON_REACHED } from './daemon-reached.js';
import { DELETE } from './delete.js';
import { DISCONNECT } from './disconnect.js';
import { FAULTS } from './faults.js';
import { IDEMPOTENCY } from './idempotency.js';
import { INVOKE_RUNS } from './invoke-runs.js';
import { INVOKE_SESSIONS } from './invoke-sessions.js';
import { KEEPALIVE } from './keepalive.js';
import { LIMITER } from './limiter.js';
import { LIMITER_COUNTS } from './limiter-counts.js';
import { PAGING } from './paging.js';
import { PATH_CHECKS } from './paths.js';
import { PROOFS } from './proofs.js';
import { PROVISION } from './provision.js';
import { ROWS, RULE_CHECKS, WALK } from './rows.js';
import { SCIM_JOBS } from './scim-jobs.js';
import { SCIM_LISTS } from './scim-lists.js';
import { SCIM_MAPPINGS } from './scim-mappings.js';
import { SCRIPTS } from './scripts.js';
import { SECRETS } from './secrets.js';
import { SIGN } from './sign.js';
import { SIGN_TIME } from './sign-time.js';
import { SUSPEND } from './suspend.js';
import { UPDATE } from './update.js';
import { VAULT_CHECKS } from './vault.js';
import { VAULT_COPY } from './vault-copy.js';
import { VAULT_LISTS } from './vault-lists.js';
import { VAULT_SECRECY } from './vault-secrecy.js';
import { VAULT_VALUES } from './vault-values.js';
import { VISIBILITY } from './visibility.js';

/** Every check, area by area. */
export const checks: readonly Check[] = [
  ...AUTH,
  ...BASE,
  ...BODIES,
  ...CHAT_ANSWERS,
  ...CHAT_CONTENT,
  ...CHAT_DEADLINES,
  ...CHAT_ENDINGS,
  ...CHAT_LOCK,
  ...CHAT_MODES,
  ...CHAT_NOT_TAKEN,
  ...CHAT_QUESTIONS,
  ...CHAT_REFUSALS,
  ...CHAT_REQUESTS,
  ...CHAT_SESSIONS,
  ...CHAT_STEERING,
  ...CLOCK,
  ...CONTROL,
  ...CREATE,
  ...DAEMON,
  ...DAEMON_REACHED,
  ...DELETE,
  ...DISCONNECT,
  ...FAULTS,
  ...IDEMPOTENCY,
  ...INVOKE_RUNS,
  ...INVOKE_SESSIONS,
  ...KEEPALIVE,
  ...LIMITER,
  ...LIMITER_COUNTS,
  ...PAGING,
  ...PATH_CHECKS,
  ...PROOFS,
  ...PROVISION,
  ...SCIM_JOBS,
  ...SCIM_LISTS,
  ...SCIM_MAPPINGS,
  ...SCRIPTS,
  ...SECRETS,
  ...SIGN,
  ...SIGN_TIME,
  ...SUSPEND,
  ...UPDATE,
  ...VAULT_CHECKS,
  ...VAULT_COPY,
  ...VAULT_LISTS,
  ...VAULT_SECRECY,
  ...VAULT_VALUES,
  ...VISIBILITY,
  ...WALK,
  ...ROWS,
  // Rules stand last: they judge what all others met.
  ...RULE_CHECKS,
];
