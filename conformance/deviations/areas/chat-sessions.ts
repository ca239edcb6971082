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
  'session-of-the-intern': {
    description: 'Prompts without session_id go on in the last session of the intern.',
    mutant: rewritePrompts((body) => ({ session_id: 'the-session', ...body })),
  },
  'session-has-to-be-known': {
    description: 'An unseen session_id is 404.',
    mutant: refusesPrompts(
      ({ sessionId, intern }, runs) =>
        sessionId !== undefined && !runs.list(intern.id).some((run) => run.session_id === sessionId),
      () => new Refusal('session_not_found'),
    ),
  },
  'session-id-of-128-at-most': {
    description: 'A session_id of more than 128 characters is refused.',
    mutant: sessionIds((id) => (typeof id === 'string' && id.length > 128 ? '' : id)),
  },
  'steered-prompt-is-busy': {
    description: 'A prompt to a session whose run streams is 409 busy.',
    mutant: refusesPrompts(
      (request, runs) =>
        request.sessionId !== undefined && goingIn(runs, request.intern.id, request.sessionId)?.status === 'running',
    ),
  },
  'steered-prompt-is-200': {
    description: 'A steered prompt answers 200.',
    mutant: rewriteStatus('chat', 202, 200),
  },
  'steered-prompt-is-started': {
    description: 'A steered prompt says status started.',
    mutant: rewriteJson(['chat'], (body) => ({ ...body, status: 'started' })),
  },
  'steered-text-lost': {
    description: 'A steered prompt does not reach the run.',
    mutant: steering(() => ''),
  },
  'waiting-run-is-not-steered': {
    description: 'A prompt to a session whose run waits is 409 busy.',
    mutant: refusesPrompts(
      (request, runs) =>
        request.sessionId !== undefined && goingIn(runs, request.intern.id, request.sessionId)?.status === 'waiting',
    ),
  },
  'ended-session-is-closed': {
    description: 'A session whose run was cancelled takes no further prompt.',
    mutant: refusesPrompts(
      (request, runs) =>
        runs.list(request.intern.id).find((run) => run.session_id === request.sessionId)?.ended === 'cancelled',
    ),
  },
  'invoke-session-is-not-for-chat': {
    description: 'A session of invoke is 404 for chat.',
    mutant: refusesPrompts(
      (request, runs) =>
        runs.list(request.intern.id).some((run) => run.session_id === request.sessionId && run.origin === 'invoke'),
      () => new Refusal('session_not_found'),
    ),
  },
});
