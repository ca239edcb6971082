import { answersItself, endsAfter } from '../combinators/behaviours.js';
import { bodyOf, isObject } from '../combinators/exchange.js';
import { settings, wrap } from '../combinators/parts.js';
import {
  answers,
  errorReply,
  errors,
  exchanges,
  responseOf,
  rewriteJson,
  rewriteStatus,
} from '../combinators/replies.js';
import { refuseBody, rewriteFields, rewriteTexts } from '../combinators/requests.js';
import { goingIn } from '../combinators/runs.js';
import { defineDeviations, together } from '../mutant.js';

export const INVOKE = defineDeviations({
  'invoke-is-200': {
    description: 'invoke answers 200.',
    mutant: rewriteStatus('invoke', 202, 200),
  },
  'invoke-answers-accepted': {
    description: 'invoke says status accepted.',
    mutant: rewriteJson('invoke', (body) => (body.status === 'started' ? { ...body, status: 'accepted' } : body)),
  },
  'invoke-answers-what-was-said': {
    description: 'invoke answers with the output of the run.',
    mutant: rewriteJson('invoke', (body) => ({ ...body, output: 'Hello.' })),
  },
  'invoke-ends-with-its-answer': {
    description: 'A run of invoke is cancelled a second after its answer.',
    mutant: endsAfter(1_000, 'cancelled', ({ origin }) => origin === 'invoke'),
  },
  'invoke-cuts-its-input': {
    description: 'input that is too long is cut.',
    mutant: rewriteTexts('invoke', ['input'], (input) => [...input].slice(0, 32_000).join('')),
  },
  'invoke-takes-anything-as-input': {
    description: 'An input that is not a text is taken as one.',
    mutant: rewriteFields('invoke', (body) =>
      body.input !== undefined && typeof body.input !== 'string'
        ? { ...body, input: JSON.stringify(body.input) }
        : body,
    ),
  },
  'invoke-refuses-unknown-fields': {
    description: 'A field that invoke does not know is 400.',
    mutant: refuseBody(
      'invoke',
      (body) => isObject(body) && Object.keys(body).some((key) => !['input', 'session_id'].includes(key)),
      errorReply(400, 'Invalid request body', 'bad_request'),
    ),
  },
  'invoke-invalid-body-of-another-reason': {
    description: 'An invalid body of chat and invoke has the reason invalid_body.',
    mutant: errors({ reason: 'bad_request', status: 400 }, { reason: 'invalid_body' }),
  },
  'invoke-always-new': {
    description: 'Every invoke starts a session of its own.',
    mutant: rewriteFields('invoke', ({ session_id: _, ...body }) => body),
  },
  'invoke-queues-instead-of-steering': {
    description: 'With a run going invoke starts another in the session.',
    mutant: wrap({
      createRuns: (usual) => ({
        async invoke(request) {
          const going = goingIn(usual, request.intern.id, request.sessionId);
          if (going?.origin !== 'invoke') return usual.invoke(request);
          const { sessionId: _, ...rest } = request;
          await usual.invoke(rest);
          return { session_id: going.session_id, status: 'started' };
        },
      }),
    }),
  },
  'invoke-session-of-any-intern': {
    description: 'A session of invoke is taken on every intern of its caller.',
    mutant: () => {
      const home = new Map<string, string>();
      return together(
        wrap({
          createRuns: (usual) => ({
            ownedSession: (intern, session, caller) => usual.ownedSession(home.get(session) ?? intern, session, caller),
            async invoke(request) {
              const { sessionId, ...rest } = request;
              const elsewhere =
                sessionId !== undefined && (home.get(sessionId) ?? request.intern.id) !== request.intern.id;
              const started = await usual.invoke(elsewhere ? rest : request);
              return elsewhere ? { ...started, session_id: sessionId } : started;
            },
          }),
        }),
        rewriteJson('invoke', (body, { internId = '' }) => {
          const session = String(body.session_id);
          home.set(session, home.get(session) ?? internId);
          return body;
        }),
      );
    },
  },
  'invoke-session-refused-with-403': {
    description: 'A session of another caller is 403.',
    mutant: errors({ status: 404, says: 'Session not found' }, { status: 403 }),
  },
  'invoke-session-refused-for-another-reason': {
    description: 'The reason of a refused session is session_not_found.',
    mutant: errors({ status: 404, says: 'Session not found' }, { reason: 'session_not_found', retryable: false }),
  },
  'invoke-session-refusals-differ': {
    description: 'The refusal of a session of another caller differs from that of an unknown one.',
    mutant: () => {
      const issued = new Set<unknown>();
      return together(
        rewriteJson('invoke', (body) => {
          issued.add(body.session_id);
          return body;
        }),
        exchanges(async ({ operation, request }, next) => {
          const body = operation === 'invoke' ? await bodyOf(request) : undefined;
          const response = await next(request);
          return response.status === 404 && isObject(body) && issued.has(body.session_id)
            ? responseOf(errorReply(404, 'Session of another caller'))
            : response;
        }),
      );
    },
  },
  'invoke-declines-every-question': {
    description: 'A run of invoke ignores the fallback of a question.',
    mutant: answersItself((ask, turn) =>
      turn.origin === 'invoke' && ask.kind === 'elicitation' ? { action: 'decline' } : undefined,
    ),
  },
  'invoke-cancels-questions-without-fallback': {
    description: 'A question without a fallback is cancelled.',
    mutant: answersItself((ask, turn) =>
      turn.origin === 'invoke' && ask.kind === 'elicitation' && !ask.fallback ? { action: 'cancel' } : undefined,
    ),
  },
  'invoke-for-half-an-hour': {
    description: 'A run of invoke is ended after half an hour.',
    mutant: settings({ execution_deadline: 1_800_000 }),
  },
  'invoke-a-few-milliseconds-longer': {
    description: 'A run of invoke is ended three milliseconds after its hour.',
    mutant: settings({ execution_deadline: 3_600_003 }),
  },
  'invoke-again-is-200': {
    description: 'An invoke that names its session answers 200.',
    mutant: exchanges(async ({ operation, request }, next) => {
      const body = operation === 'invoke' ? await bodyOf(request) : undefined;
      const { status, headers, body: answer } = await next(request);
      const again = status === 202 && isObject(body) && 'session_id' in body;
      return new Response(answer, { status: again ? 200 : status, headers });
    }),
  },
  'invoke-into-its-run-is-busy': {
    description: 'An invoke into a session with a run going is 409 busy.',
    mutant: answers({ of: 'invoke', says: '"steered"' }, errorReply(409, 'The intern is busy', 'busy', true)),
  },
});
