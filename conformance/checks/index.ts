import type { Check } from '../check.js';
import { AUTH } from './auth.js';
import { BASE } from './base.js';
import { CHAT_ANSWERS } from './chat-answers.js';
import { CHAT_DEADLINES } from './chat-deadlines.js';
import { CHAT_ENDINGS } from './chat-endings.js';
import { CHAT_LOCK } from './chat-lock.js';
import { CHAT_QUESTIONS } from './chat-questions.js';
import { CHAT_REFUSALS } from './chat-refusals.js';
import { CHAT_REQUESTS } from './chat-requests.js';
import { CHAT_SESSIONS } from './chat-sessions.js';
import { CHAT_STREAM } from './chat-stream.js';
import { CREATE } from './create.js';
import { DISCONNECT } from './disconnect.js';
import { FAULTS } from './faults.js';
import { FIELDS } from './fields.js';
import { IDEMPOTENCY } from './idempotency.js';
import { INVOKE_CHECKS } from './invoke.js';
import { KEEPALIVE } from './keepalive.js';
import { LIFECYCLE_MODEL } from './lifecycle-model.js';
import { LIMITER } from './limiter.js';
import { LIST } from './list.js';
import { PAGING } from './paging.js';
import { PATH_CHECKS } from './paths.js';
import { SAMPLES } from './samples.js';
import { SCRIPTS } from './scripts.js';
import { VISIBILITY } from './visibility.js';

/** Every check, area by area. */
export const checks: readonly Check[] = [
  ...AUTH,
  ...BASE,
  ...CHAT_ANSWERS,
  ...CHAT_DEADLINES,
  ...CHAT_ENDINGS,
  ...CHAT_LOCK,
  ...CHAT_QUESTIONS,
  ...CHAT_REFUSALS,
  ...CHAT_REQUESTS,
  ...CHAT_SESSIONS,
  ...CHAT_STREAM,
  ...CREATE,
  ...DISCONNECT,
  ...FAULTS,
  ...FIELDS,
  ...IDEMPOTENCY,
  ...INVOKE_CHECKS,
  ...KEEPALIVE,
  ...LIFECYCLE_MODEL,
  ...LIMITER,
  ...LIST,
  ...PAGING,
  ...PATH_CHECKS,
  ...SAMPLES,
  ...SCRIPTS,
  ...VISIBILITY,
];
