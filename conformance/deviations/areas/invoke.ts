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
  'invoke-is-200': rewriteStatus('invoke', 202, 200),
  'invoke-answers-accepted': rewriteJson('invoke', (body) =>
    body.status === 'started' ? { ...body, status: 'accepted' } : body,
  ),
  // invoke answers with the output of the run.
  'invoke-answers-what-was-said': rewriteJson('invoke', (body) => ({ ...body, output: 'Hello.' })),
  // A run of invoke is cancelled a second after its answer.
  'invoke-ends-with-its-answer': endsAfter(1_000, 'cancelled', ({ origin }) => origin === 'invoke'),
  // input that is too long is cut.
  'invoke-cuts-its-input': rewriteTexts('invoke', ['input'], (input) => [...input].slice(0, 32_000).join('')),
  // An input that is not a text is taken as one.
  'invoke-takes-anything-as-input': rewriteFields('invoke', (body) =>
    body.input !== undefined && typeof body.input !== 'string' ? { ...body, input: JSON.stringify(body.input) } : body,
  ),
  // A field that invoke does not know is 400.
  'invoke-refuses-unknown-fields': refuseBody(
    'invoke',
    (body) => isObject(body) && Object.keys(body).some((key) => !['input', 'session_id'].includes(key)),
    errorReply(400, 'Invalid request body', 'bad_request'),
  ),
  // An invalid body of chat and invoke has the reason invalid_body.
  'invoke-invalid-body-of-another-reason': errors({ reason: 'bad_request', status: 400 }, { reason: 'invalid_body' }),
  // Every invoke starts a session of its own.
  'invoke-always-new': rewriteFields('invoke', ({ session_id: _, ...body }) => body),
  'invoke-queues-instead-of-steering': wrap({
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
  'invoke-session-of-any-intern': () => {
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
  // A session of another caller is 403.
  'invoke-session-refused-with-403': errors({ status: 404, says: 'Session not found' }, { status: 403 }),
  'invoke-session-refused-for-another-reason': errors(
    { status: 404, says: 'Session not found' },
    { reason: 'session_not_found', retryable: false },
  ),
  'invoke-session-refusals-differ': () => {
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
  // A run of invoke ignores the fallback of a question.
  'invoke-declines-every-question': answersItself((ask, turn) =>
    turn.origin === 'invoke' && ask.kind === 'elicitation' ? { action: 'decline' } : undefined,
  ),
  'invoke-cancels-questions-without-fallback': answersItself((ask, turn) =>
    turn.origin === 'invoke' && ask.kind === 'elicitation' && !ask.fallback ? { action: 'cancel' } : undefined,
  ),
  // A run of invoke is ended after half an hour.
  'invoke-for-half-an-hour': settings({ execution_deadline: 1_800_000 }),
  // A run of invoke is ended three milliseconds after its hour.
  'invoke-a-few-milliseconds-longer': settings({ execution_deadline: 3_600_003 }),
  // An invoke that names its session answers 200.
  'invoke-again-is-200': exchanges(async ({ operation, request }, next) => {
    const body = operation === 'invoke' ? await bodyOf(request) : undefined;
    const { status, headers, body: answer } = await next(request);
    const again = status === 202 && isObject(body) && 'session_id' in body;
    return new Response(answer, { status: again ? 200 : status, headers });
  }),
  // An invoke into a session with a run going is 409 busy.
  'invoke-into-its-run-is-busy': answers(
    { of: 'invoke', says: '"steered"' },
    errorReply(409, 'The intern is busy', 'busy', true),
  ),
});
