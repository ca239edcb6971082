import { AUTH } from './auth.js';
import { BASE } from './base.js';
import { BODIES } from './bodies.js';
import { CHAT_LOCK } from './chat-lock.js';
import { CHAT_ANSWERS, CHAT_QUESTIONS } from './chat-questions.js';
import { CHAT_REQUESTS } from './chat-requests.js';
import { CHAT_SESSIONS } from './chat-sessions.js';
import { CHAT_STREAM } from './chat-stream.js';
import { CHAT_DEADLINES, CHAT_NOT_TAKEN, CHAT_REFUSALS } from './chat-turns.js';
import { CONTROL } from './control.js';
import { CREATE } from './create.js';
import { DELETE } from './delete.js';
import type { Deviation } from './deviation.js';
import { DISCONNECT } from './disconnect.js';
import { FAULTS } from './faults.js';
import { INVOKE } from './invoke.js';
import { KEEPALIVE } from './keepalive.js';
import { LIMITER } from './limiter.js';
import { LIST } from './list.js';
import { PROOF } from './proof.js';
import { PROVISION } from './provision.js';
import { SCRIPTS } from './scripts.js';
import { DAEMON, SCIM, SIGNING } from './signing.js';
import { SUSPEND } from './suspend.js';
import { UPDATE } from './update.js';

/** Every deviation, area by area. */
export const deviations: readonly Deviation[] = [
  ...BASE,
  ...AUTH,
  ...LIST,
  ...CREATE,
  ...UPDATE,
  ...PROVISION,
  ...SUSPEND,
  ...DELETE,
  ...CHAT_STREAM,
  ...CHAT_QUESTIONS,
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
  ...SIGNING,
  ...DAEMON,
  ...SCIM,
  ...PROOF,
  ...BODIES,
  ...CHAT_REQUESTS,
  ...SCRIPTS,
  ...FAULTS,
  ...CONTROL,
];
