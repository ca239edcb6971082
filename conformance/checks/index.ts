import type { Check } from '../check.js';
import { AUTH } from './auth.js';
import { BASE } from './base.js';
import { CHAT_ANSWERS } from './chat-answers.js';
import { CHAT_CONTENT } from './chat-content.js';
import { CHAT_DEADLINES } from './chat-deadlines.js';
import { CHAT_ENDINGS } from './chat-endings.js';
import { CHAT_FINAL } from './chat-final.js';
import { CHAT_LOCK } from './chat-lock.js';
import { CHAT_MODES } from './chat-modes.js';
import { CHAT_NOT_TAKEN } from './chat-not-taken.js';
import { CHAT_QUESTIONS } from './chat-questions.js';
import { CHAT_REFUSALS } from './chat-refusals.js';
import { CHAT_REQUESTS } from './chat-requests.js';
import { CHAT_SESSIONS } from './chat-sessions.js';
import { CHAT_STREAM } from './chat-stream.js';
import { CHAT_UNACCEPTABLE } from './chat-unacceptable.js';
import { CREATE } from './create.js';
import { DISCONNECT } from './disconnect.js';
import { FAULTS } from './faults.js';
import { FIELDS } from './fields.js';
import { IDEMPOTENCY } from './idempotency.js';
import { INVOKE_CHECKS } from './invoke.js';
import { INVOKE_RUNS } from './invoke-runs.js';
import { INVOKE_SESSIONS } from './invoke-sessions.js';
import { KEEPALIVE } from './keepalive.js';
import { LIFECYCLE_MODEL } from './lifecycle-model.js';
import { LIMITER } from './limiter.js';
import { LIMITER_COUNTS } from './limiter-counts.js';
import { LIST } from './list.js';
import { PAGING } from './paging.js';
import { PATH_CHECKS } from './paths.js';
import { SAMPLES } from './samples.js';
import { SCRIPTS } from './scripts.js';
import { SHIPPED_SCRIPTS } from './shipped-scripts.js';
import { VISIBILITY } from './visibility.js';

/** Every check, area by area. */
export const checks: readonly Check[] = [
  ...AUTH,
  ...BASE,
  ...CHAT_ANSWERS,
  ...CHAT_CONTENT,
  ...CHAT_DEADLINES,
  ...CHAT_ENDINGS,
  ...CHAT_FINAL,
  ...CHAT_LOCK,
  ...CHAT_MODES,
  ...CHAT_NOT_TAKEN,
  ...CHAT_QUESTIONS,
  ...CHAT_REFUSALS,
  ...CHAT_REQUESTS,
  ...CHAT_SESSIONS,
  ...CHAT_STREAM,
  ...CHAT_UNACCEPTABLE,
  ...CREATE,
  ...DISCONNECT,
  ...FAULTS,
  ...FIELDS,
  ...IDEMPOTENCY,
  ...INVOKE_CHECKS,
  ...INVOKE_RUNS,
  ...INVOKE_SESSIONS,
  ...KEEPALIVE,
  ...LIFECYCLE_MODEL,
  ...LIMITER,
  ...LIMITER_COUNTS,
  ...LIST,
  ...PAGING,
  ...PATH_CHECKS,
  ...SAMPLES,
  ...SCRIPTS,
  ...SHIPPED_SCRIPTS,
  ...VISIBILITY,
];
