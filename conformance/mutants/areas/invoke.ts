import { isRecord, valueAt } from '../../../emulator/wire/json.js';
import { bodyOf } from '../../../emulator/wire/request.js';
import { defineMutants, together } from '../mutant.js';
import { answers, errorReply, errors, exchanges, field, refused, responseOf, status } from '../operators/answers.js';
import { answersItself, endsAfter, hesitates } from '../operators/behaviours.js';
import { settings, wrap } from '../operators/parts.js';
import { refuseFields, sends, texts } from '../operators/requests.js';
import { runOf, runsOf } from '../operators/runs.js';

const NO_SESSION = { status: 404, says: 'Session not found' };

export const INVOKE = defineMutants({
  'invoke-is-200': status('invoke', 202, 200),
  'invoke-answers-accepted': field('invoke', 'status', (status) => (status === 'started' ? 'accepted' : status)),
  'invoke-answers-what-was-said': field('invoke', 'output', 'Hello.'),
  'invoke-ends-with-its-answer': endsAfter(1_000, 'cancelled', ({ origin }) => origin === 'invoke'),
  'invoke-cuts-its-input': texts('invoke', 'input', (input) => [...input].slice(0, 32_000).join('')),
  'invoke-takes-anything-as-input': sends<unknown>('invoke', 'input', (input) =>
    typeof input === 'string' ? input : JSON.stringify(input),
  ),
  'invoke-refuses-unknown-fields': refuseFields('invoke', ['input', 'session_id'], refused('bad_request')),
  'invoke-invalid-body-of-another-reason': errors({ reason: 'bad_request', status: 400 }, { reason: 'invalid_body' }),
  'invoke-always-new': sends('invoke', 'session_id', undefined),
  'invoke-queues-instead-of-steering': wrap({
    createRuns: (usual) => ({
      async invoke(request) {
        const going = runOf(usual.list(request.intern.id), request.sessionId, true);
        if (going?.origin !== 'invoke') return usual.invoke(request);
        const { sessionId: _, ...rest } = request;
        await usual.invoke(rest);
        return { session_id: going.session_id, status: 'started' };
      },
    }),
  }),
  // A session of invoke is taken on every intern of its caller.
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
      field('invoke', 'session_id', (session, { internId = '' }) => {
        home.set(session, home.get(session) ?? internId);
        return session;
      }),
    );
  },
  'invoke-session-refused-with-403': errors(NO_SESSION, { status: 403 }),
  'invoke-session-refused-for-another-reason': errors(NO_SESSION, { reason: 'session_not_found', retryable: false }),
  // The refusal of a session of another caller differs from that of an unknown one.
  'invoke-session-refusals-differ': () => {
    const issued = new Set<unknown>();
    return together(
      field('invoke', 'session_id', (session) => {
        issued.add(session);
        return session;
      }),
      exchanges(async ({ operation, request }, next) => {
        const session = operation === 'invoke' ? valueAt(await bodyOf(request), 'session_id') : undefined;
        const response = await next(request);
        return response.status === 404 && issued.has(session)
          ? responseOf(errorReply(404, 'Session of another caller'))
          : response;
      }),
    );
  },
  'invoke-waits-for-an-answer': hesitates(600_000, (_, { origin }) => origin === 'invoke'),
  // A run of invoke ignores the fallback of a question.
  'invoke-declines-every-question': answersItself((ask, turn) =>
    turn.origin === 'invoke' && ask.kind === 'elicitation' ? { action: 'decline' } : undefined,
  ),
  'invoke-cancels-questions-without-fallback': answersItself((ask, turn) =>
    turn.origin === 'invoke' && ask.kind === 'elicitation' && !ask.fallback ? { action: 'cancel' } : undefined,
  ),
  'invoke-for-half-an-hour': settings({ execution_deadline: 1_800_000 }),
  'invoke-a-few-milliseconds-longer': settings({ execution_deadline: 3_600_003 }),
  // An invoke that names its session answers 200.
  'invoke-again-is-200': exchanges(async ({ operation, request }, next) => {
    const asked = operation === 'invoke' ? await bodyOf(request) : undefined;
    const { status, headers, body } = await next(request);
    const again = status === 202 && isRecord(asked) && 'session_id' in asked;
    return new Response(body, { status: again ? 200 : status, headers });
  }),
  // An invoke that continues a session is answered when its run has ended.
  'invoke-again-is-held': exchanges(async (exchange, next) => {
    const { operation, request, emulator } = exchange;
    const asked = operation === 'invoke' ? await bodyOf(request) : undefined;
    const response = await next(request);
    if (response.status !== 202 || !isRecord(asked) || typeof asked.session_id !== 'string') return response;
    while (runOf(await runsOf(exchange), asked.session_id, true)) await emulator.clock.sleep(1_000);
    return response;
  }),
  // An intern knows the last three sessions that invoke began.
  'invoke-forgets-all-but-three-sessions': () => {
    const known = new Map<string | undefined, unknown[]>();
    return exchanges(async ({ operation, request, internId }, next) => {
      const asked = operation === 'invoke' ? await bodyOf(request) : undefined;
      const session = isRecord(asked) ? asked.session_id : undefined;
      const own = known.get(internId) ?? [];
      if (own.includes(session) && !own.slice(-3).includes(session))
        return responseOf(errorReply(404, 'Session not found'));
      const response = await next(request);
      if (response.status === 202 && session === undefined)
        known.set(internId, [...own, valueAt(await response.clone().json(), 'session_id')]);
      return response;
    });
  },
  // An invoke into a session with a run going is 409 busy.
  'invoke-into-its-run-is-busy': answers({ of: 'invoke', says: '"steered"' }, refused('busy')),
});
