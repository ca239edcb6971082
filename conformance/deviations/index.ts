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
import { CHAT_STREAM } from './chat-stream.js';
import { CONTROL } from './control.js';
import { CREATE } from './create.js';
import { DAEMON } from './daemon.js';
import { DELETE } from './delete.js';
import type { Deviation } from './deviation.js';
import { DISCONNECT } from './disconnect.js';
import { FAULTS } from './faults.js';
import { FIELDS } from './fields.js';
import { IDEMPOTENCY } from './idempotency.js';
import { INVOKE } from './invoke.js';
import { KEEPALIVE } from './keepalive.js';
import { LIMITER } from './limiter.js';
import { LIST } from './list.js';
import { PROOF } from './proof.js';
import { PROVISION } from './provision.js';
import { SCIM } from './scim.js';
import { SCRIPTS } from './scripts.js';
import { SIGN } from './sign.js';
import { SIGN_IDENTITY } from './sign-identity.js';
import { SIGN_REFUSALS } from './sign-refusals.js';
import { SUSPEND } from './suspend.js';
import { UNFINISHED } from './unfinished.js';
import { UPDATE } from './update.js';
import { VISIBILITY } from './visibility.js';

/** Every deviation, area by area. */
export const deviations: readonly Deviation[] = [
  ...BASE,
  ...AUTH,
  ...VISIBILITY,
  ...LIST,
  ...CREATE,
  ...FIELDS,
  ...IDEMPOTENCY,
  ...UNFINISHED,
  ...UPDATE,
  ...PROVISION,
  ...SUSPEND,
  ...DELETE,
  ...CHAT_STREAM,
  ...CHAT_CONTENT,
  ...CHAT_ENDINGS,
  ...CHAT_QUESTIONS,
  ...CHAT_MODES,
  ...CHAT_ANSWERS,
  ...CHAT_REFUSALS,
  ...CHAT_DEADLINES,
  ...CHAT_NOT_TAKEN,
  ...CHAT_SESSIONS,
  ...CHAT_LOCK,
  ...KEEPALIVE,
  ...DISCONNECT,
  ...LIMITER,
  ...INVOKE,
  ...SIGN,
  ...SIGN_IDENTITY,
  ...SIGN_REFUSALS,
  ...DAEMON,
  ...SCIM,
  ...PROOF,
  ...BODIES,
  ...CHAT_REQUESTS,
  ...SCRIPTS,
  ...FAULTS,
  ...CONTROL,
];
