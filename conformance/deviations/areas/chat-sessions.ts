import { Refusal } from '../../../emulator/contract/errors.js';
import { behaviours } from '../combinators/behaviours.js';
import { isObject } from '../combinators/exchange.js';
import { rewriteJson, rewriteStatus } from '../combinators/replies.js';
import { rewriteBody, rewritePrompts } from '../combinators/requests.js';
import { goingIn, refusesPrompts } from '../combinators/runs.js';
import { defineDeviations, type Mutant } from '../mutant.js';

/** Changes the session_id that a chat request names. */
const sessionIds = (change: (id: unknown) => unknown): Mutant =>
  rewriteBody('chat', (value) =>
    isObject(value) && 'session_id' in value ? { ...value, session_id: change(value.session_id) } : value,
  );

/** Changes what a steered prompt leaves in the run. */
const steering = (change: (text: string) => string): Mutant =>
  behaviours((behaviour) => ({ ...behaviour, steered: (said) => change(`(steered: ${said})`) }));

export const CHAT_SESSIONS = defineDeviations({
  // Prompts without session_id go on in the last session of the intern.
  'session-of-the-intern': rewritePrompts((body) => ({ session_id: 'the-session', ...body })),
  // An unseen session_id is 404.
  'session-has-to-be-known': refusesPrompts(
    ({ sessionId, intern }, runs) =>
      sessionId !== undefined && !runs.list(intern.id).some((run) => run.session_id === sessionId),
    () => new Refusal('session_not_found'),
  ),
  // A session_id of more than 128 characters is refused.
  'session-id-of-128-at-most': sessionIds((id) => (typeof id === 'string' && id.length > 128 ? '' : id)),
  // A prompt to a session whose run streams is 409 busy.
  'steered-prompt-is-busy': refusesPrompts(
    (request, runs) =>
      request.sessionId !== undefined && goingIn(runs, request.intern.id, request.sessionId)?.status === 'running',
  ),
  'steered-prompt-is-200': rewriteStatus('chat', 202, 200),
  'steered-prompt-is-started': rewriteJson(['chat'], (body) => ({ ...body, status: 'started' })),
  // A steered prompt does not reach the run.
  'steered-text-lost': steering(() => ''),
  // A prompt to a session whose run waits is 409 busy.
  'waiting-run-is-not-steered': refusesPrompts(
    (request, runs) =>
      request.sessionId !== undefined && goingIn(runs, request.intern.id, request.sessionId)?.status === 'waiting',
  ),
  // A session whose run was cancelled takes no further prompt.
  'ended-session-is-closed': refusesPrompts(
    (request, runs) =>
      runs.list(request.intern.id).find((run) => run.session_id === request.sessionId)?.ended === 'cancelled',
  ),
  // A session of invoke is 404 for chat.
  'invoke-session-is-not-for-chat': refusesPrompts(
    (request, runs) =>
      runs.list(request.intern.id).some((run) => run.session_id === request.sessionId && run.origin === 'invoke'),
    () => new Refusal('session_not_found'),
  ),
});
