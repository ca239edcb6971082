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
    caughtBy: ['chat-sessions/new-each-time', 'chat-answers/to-the-run-that-asked', 'chat-lock/not-while-waiting'],
  },
  'session-has-to-be-known': {
    description: 'An unseen session_id is 404.',
    mutant: refusesPrompts(
      ({ sessionId, intern }, runs) =>
        sessionId !== undefined && !runs.list(intern.id).some((run) => run.session_id === sessionId),
      () => new Refusal('session_not_found'),
    ),
    caughtBy: ['chat-sessions/unseen-id', 'chat-sessions/same-id-elsewhere', 'chat-sessions/unfit-id'],
  },
  'session-id-of-128-at-most': {
    description: 'A session_id of more than 128 characters is refused.',
    mutant: sessionIds((id) => (typeof id === 'string' && id.length > 128 ? '' : id)),
    caughtBy: ['chat-sessions/unseen-id', 'chat-sessions/unfit-id'],
  },
  'steered-prompt-is-busy': {
    description: 'A prompt to a session whose run streams is 409 busy.',
    mutant: refusesPrompts(
      (request, runs) =>
        request.sessionId !== undefined && goingIn(runs, request.intern.id, request.sessionId)?.status === 'running',
    ),
    caughtBy: [
      'chat-steering/steered',
      'chat-steering/steered-answer',
      'chat-steering/steered-shows',
      'chat-lock/race',
    ],
  },
  'steered-prompt-is-200': {
    description: 'A steered prompt answers 200.',
    mutant: rewriteStatus('chat', 202, 200),
    caughtBy: ['chat-steering/steered-answer', 'chat-steering/steered-shows', 'chat-lock/race'],
  },
  'steered-prompt-is-started': {
    description: 'A steered prompt says status started.',
    mutant: rewriteJson(['chat'], (body) => ({ ...body, status: 'started' })),
    caughtBy: ['chat-steering/steered', 'chat-steering/steered-answer', 'chat-steering/steered-into-waiting'],
  },
  'steered-text-lost': {
    description: 'A steered prompt does not reach the run.',
    mutant: steering(() => ''),
    caughtBy: [
      'chat-steering/steered-shows',
      'chat-steering/steered-shows-after-answer',
      'chat-steering/delivered-live',
    ],
  },
  'waiting-run-is-not-steered': {
    description: 'A prompt to a session whose run waits is 409 busy.',
    mutant: refusesPrompts(
      (request, runs) =>
        request.sessionId !== undefined && goingIn(runs, request.intern.id, request.sessionId)?.status === 'waiting',
    ),
    caughtBy: ['chat-steering/steered-into-waiting', 'chat-steering/steered-answer', 'chat-deadlines/not-extended'],
  },
  'ended-session-is-closed': {
    description: 'A session whose run was cancelled takes no further prompt.',
    mutant: refusesPrompts(
      (request, runs) =>
        runs.list(request.intern.id).find((run) => run.session_id === request.sessionId)?.ended === 'cancelled',
    ),
    caughtBy: ['chat-steering/not-steered-when-over', 'chat-endings/suspend-while-waiting', 'disconnect/while-silent'],
  },
  'invoke-session-is-not-for-chat': {
    description: 'A session of invoke is 404 for chat.',
    mutant: refusesPrompts(
      (request, runs) =>
        runs.list(request.intern.id).some((run) => run.session_id === request.sessionId && run.origin === 'invoke'),
      () => new Refusal('session_not_found'),
    ),
    caughtBy: ['chat-sessions/of-the-intern', 'chat-sessions/invoke-session-going'],
  },
});
