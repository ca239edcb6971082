import { Refusal } from '../../emulator/contract/errors.js';
import { acts, bodies, errors, numbers, parses, reads, remeta, statuses } from './change.js';
import { isObject } from './change-lifecycle.js';
import { goingIn, makes } from './change-runs.js';
import { defineDeviations, together } from './deviation.js';

const objects = (change: (body: Record<string, unknown>) => Record<string, unknown>) =>
  reads('invoke', (value) => (isObject(value) ? change(value) : value));

export const INVOKE = defineDeviations([
  {
    name: 'invoke-is-200',
    requirement: 'INVOKE-1',
    description: 'invoke answers 200.',
    alters: statuses('invoke', 202, 200),
    caughtBy: ['invoke/accepted', 'invoke/published-answer', 'model/conversations', 'invoke-sessions/continue'],
  },
  {
    name: 'invoke-without-session',
    requirement: 'INVOKE-1',
    description: 'invoke answers without a session_id.',
    alters: bodies('invoke', ({ session_id: _, ...body }) => body),
    caughtBy: ['invoke/accepted', 'invoke/published-answer', 'invoke-sessions/continue-live'],
  },
  {
    name: 'invoke-answers-accepted',
    requirement: 'INVOKE-1',
    description: 'invoke says status accepted.',
    alters: bodies('invoke', (body) => (body.status === 'started' ? { ...body, status: 'accepted' } : body)),
    caughtBy: ['invoke/published-answer', 'invoke-runs/ended-by-suspend', 'invoke-sessions/steered'],
  },
  {
    name: 'invoke-tells-what-was-said',
    requirement: 'INVOKE-7',
    description: 'invoke answers with the output of the run.',
    alters: bodies('invoke', (body, call) => ({ ...body, output: (call.input as { input: string }).input })),
    caughtBy: ['invoke/no-progress'],
  },
  {
    name: 'invoke-ends-with-its-answer',
    requirement: 'INVOKE-1',
    description: 'A run of invoke is cancelled a second after its answer.',
    alters: makes('runner', (create) => (deps) => {
      const runner = create(deps);
      return {
        ...runner,
        start(run, prompt, intern) {
          if (run.origin === 'invoke') deps.clock.timer(1_000, () => runner.end(run, { ended: 'cancelled' }));
          return runner.start(run, prompt, intern);
        },
      };
    }),
    caughtBy: ['invoke-runs/goes-on', 'invoke-runs/deadline', 'invoke-runs/client-gone'],
  },
  {
    name: 'invoke-cuts-its-input',
    requirement: 'INVOKE-1',
    description: 'input that is too long is cut.',
    alters: objects((body) =>
      typeof body.input === 'string' ? { ...body, input: [...body.input].slice(0, 32_000).join('') } : body,
    ),
    caughtBy: ['invoke/input-length'],
  },
  {
    name: 'invoke-counts-code-units',
    requirement: 'INVOKE-1',
    description: 'input has at most 32000 UTF-16 code units.',
    alters: objects((body) =>
      typeof body.input === 'string' && body.input.length > 32_000 ? { ...body, input: '' } : body,
    ),
    caughtBy: ['invoke/input-length'],
  },
  {
    name: 'invoke-takes-anything-as-input',
    requirement: 'INVOKE-1',
    description: 'input that is no text is taken as text.',
    alters: objects((body) =>
      body.input !== undefined && typeof body.input !== 'string'
        ? { ...body, input: JSON.stringify(body.input) }
        : body,
    ),
    caughtBy: ['invoke/invalid-body'],
  },
  {
    name: 'invoke-ignores-unfit-sessions',
    requirement: 'INVOKE-1',
    description: 'A session_id that is none is ignored.',
    alters: objects((body) => {
      const { session_id, ...rest } = body;
      return typeof session_id === 'string' && session_id !== '' ? body : rest;
    }),
    caughtBy: ['invoke/invalid-body'],
  },
  {
    name: 'invoke-refuses-unknown-fields',
    requirement: 'INVOKE-1',
    description: 'A field that invoke does not know is 400.',
    alters: parses('invoke', (parse, parts) => {
      const value = parts.json();
      if (isObject(value) && Object.keys(value).some((key) => !['input', 'session_id'].includes(key)))
        throw new Refusal('bad_request');
      return parse(parts);
    }),
    caughtBy: ['invoke/unknown-fields', 'invoke-runs/consents'],
  },
  {
    name: 'invoke-invalid-body-of-another-reason',
    requirement: 'INVOKE-1',
    description: 'An invalid body of chat and invoke has the reason invalid_body.',
    alters: remeta('bad_request', 400, { reason: 'invalid_body' }),
    caughtBy: [
      'invoke/invalid-body',
      'bodies/chat-and-invoke-reason',
      'chat-requests/length',
      'chat-requests/messages',
    ],
  },
  {
    name: 'invoke-always-new',
    requirement: 'INVOKE-2',
    description: 'Every invoke starts a session of its own.',
    alters: objects(({ session_id: _, ...body }) => body),
    caughtBy: [
      'invoke-sessions/continue',
      'invoke-sessions/continue-live',
      'invoke-sessions/steered',
      'model/conversations',
    ],
  },
  {
    name: 'invoke-queues-instead-of-steering',
    requirement: 'INVOKE-2',
    description: 'With a run going invoke starts another in the session.',
    alters: {
      runs: (usual) => ({
        ...usual,
        async invoke(request) {
          const going = goingIn(usual, request.intern.id, request.sessionId);
          if (going?.origin !== 'invoke') return usual.invoke(request);
          const { sessionId: _, ...rest } = request;
          await usual.invoke(rest);
          return { session_id: going.session_id, status: 'started' };
        },
      }),
    },
    caughtBy: ['invoke-sessions/steered', 'invoke-sessions/steered-live', 'invoke-runs/deadline-not-extended'],
  },
  {
    name: 'invoke-of-a-busy-session-is-409',
    requirement: 'INVOKE-2',
    description: 'With a run going invoke is 409 busy.',
    alters: {
      runs: (usual) => ({
        ...usual,
        async invoke(request) {
          if (goingIn(usual, request.intern.id, request.sessionId)) throw new Refusal('busy');
          return usual.invoke(request);
        },
      }),
    },
    caughtBy: ['invoke-sessions/steered', 'invoke-sessions/steered-live'],
  },
  {
    name: 'invoke-session-of-anybody',
    requirement: 'INVOKE-3',
    description: 'A session of invoke is taken from every caller.',
    alters: makes('sessions', (create) => (rows) => {
      const sessions = create(rows);
      const owners = new Map<string, string>();
      return {
        ...sessions,
        owned: (intern, session, caller) =>
          sessions.owned(intern, session, owners.get(`${intern} ${session}`) ?? caller),
        issue(intern, session, caller) {
          if (!owners.has(`${intern} ${session}`)) owners.set(`${intern} ${session}`, caller);
          sessions.issue(intern, session, caller);
        },
      };
    }),
    caughtBy: ['invoke-sessions/session-of-the-caller', 'invoke-sessions/session-of-an-own-key'],
  },
  {
    name: 'invoke-session-of-any-intern',
    requirement: 'INVOKE-3',
    description: 'A session of invoke is taken on every intern of its caller.',
    alters: makes('sessions', (create) => (rows) => {
      const sessions = create(rows);
      const home = new Map<string, string>();
      return {
        ...sessions,
        owned: (intern, session, caller) => sessions.owned(home.get(session) ?? intern, session, caller),
        issue(intern, session, caller) {
          if (!home.has(session)) home.set(session, intern);
          sessions.issue(intern, session, caller);
        },
      };
    }),
    caughtBy: ['invoke-sessions/session-elsewhere', 'invoke-sessions/steered-live'],
  },
  {
    name: 'invoke-session-of-chat',
    requirement: 'INVOKE-3',
    description: 'A session of chat is taken by invoke.',
    alters: () => {
      let known: (intern: string, session: string) => boolean = () => false;
      return together(
        {
          runs(usual) {
            known = (intern, session) =>
              usual.list(intern).some((run) => run.session_id === session && run.origin === 'chat');
            return usual;
          },
        },
        makes('sessions', (create) => (rows) => {
          const sessions = create(rows);
          return {
            ...sessions,
            owned(intern, session, caller) {
              if (!known(intern, session)) sessions.owned(intern, session, caller);
            },
          };
        }),
      );
    },
    caughtBy: ['invoke-sessions/session-elsewhere', 'invoke-sessions/busy-chat-session', 'model/conversations'],
  },
  {
    name: 'invoke-session-of-nobody',
    requirement: 'INVOKE-3',
    description: 'A session_id that was never issued starts a session.',
    alters: makes('sessions', (create) => (rows) => {
      const sessions = create(rows);
      return {
        ...sessions,
        owned(intern, session, caller) {
          if (rows.get(`${intern}\n${session}`)) sessions.owned(intern, session, caller);
        },
      };
    }),
    caughtBy: ['invoke-sessions/session-elsewhere'],
  },
  {
    name: 'invoke-session-refused-with-403',
    requirement: 'INVOKE-3',
    description: 'A session of another caller is 403.',
    alters: errors(({ status, error }) =>
      status === 404 && error.message === 'Session not found' ? { status: 403 } : undefined,
    ),
    caughtBy: [
      'invoke-sessions/session-of-the-caller',
      'invoke-sessions/session-elsewhere',
      'invoke-sessions/busy-chat-session',
    ],
  },
  {
    name: 'invoke-session-refused-for-another-reason',
    requirement: 'INVOKE-3',
    description: 'The reason of a refused session is session_not_found.',
    alters: errors(({ status, error }) =>
      status === 404 && error.message === 'Session not found'
        ? { error: { ...error, metadata: { reason: 'session_not_found', retryable: false } } }
        : undefined,
    ),
    caughtBy: ['invoke-sessions/refused-reason'],
  },
  {
    name: 'invoke-session-refusal-tells',
    requirement: 'INVOKE-3',
    description: 'The refusal of a session of others is told from that of a session of nobody.',
    alters: makes('sessions', (create) => (rows) => {
      const sessions = create(rows);
      return {
        ...sessions,
        owned(intern, session, caller) {
          const row = rows.get(`${intern}\n${session}`);
          if (row && row.caller !== caller)
            throw new Refusal('session_not_found', { message: 'Session of another caller' });
          sessions.owned(intern, session, caller);
        },
      };
    }),
    caughtBy: ['invoke-sessions/told-apart-by-nothing'],
  },
  {
    name: 'invoke-asks-for-leave',
    requirement: 'INVOKE-4',
    description: 'A run of invoke waits for an approval that nobody can give.',
    alters: makes(
      'ownAnswer',
      (usual) => (run, ask) => (run.origin === 'invoke' && ask.kind === 'permission' ? undefined : usual(run, ask)),
    ),
    caughtBy: ['invoke-runs/consents'],
  },
  {
    name: 'invoke-refuses-by-itself',
    requirement: 'INVOKE-4',
    description: 'A run of invoke rejects what needs approval.',
    alters: makes(
      'ownAnswer',
      (usual) => (run, ask) => (run.origin === 'invoke' && ask.kind === 'permission' ? 'reject_once' : usual(run, ask)),
    ),
    caughtBy: ['invoke-runs/consents'],
  },
  {
    name: 'invoke-declines-every-question',
    requirement: 'INVOKE-4',
    description: 'A run of invoke ignores the fallback of a question.',
    alters: makes(
      'ownAnswer',
      (usual) => (run, ask) =>
        run.origin === 'invoke' && ask.kind === 'elicitation' ? { action: 'decline' } : usual(run, ask),
    ),
    caughtBy: ['invoke-runs/fallback'],
  },
  {
    name: 'invoke-cancels-questions-without-fallback',
    requirement: 'INVOKE-4',
    description: 'A question without a fallback is cancelled.',
    alters: makes(
      'ownAnswer',
      (usual) => (run, ask) =>
        run.origin === 'invoke' && ask.kind === 'elicitation' && !ask.fallback ? { action: 'cancel' } : usual(run, ask),
    ),
    caughtBy: ['invoke-runs/no-fallback'],
  },
  {
    name: 'invoke-for-half-an-hour',
    requirement: 'INVOKE-5',
    description: 'A run of invoke is ended after half an hour.',
    alters: numbers({ execution_deadline: 1_800_000 }),
    caughtBy: ['invoke-runs/deadline', 'invoke-runs/deadline-shown', 'invoke-runs/deadline-not-extended'],
  },
  {
    name: 'invoke-for-ever',
    requirement: 'INVOKE-5',
    description: 'A run of invoke has no deadline.',
    alters: numbers({ execution_deadline: 360_000_000 }),
    caughtBy: ['invoke-runs/deadline', 'invoke-runs/deadline-shown', 'invoke-runs/deadline-not-extended'],
  },
  {
    name: 'invoke-a-few-milliseconds-longer',
    requirement: 'INVOKE-5',
    description: 'A run of invoke is ended three milliseconds after its hour.',
    alters: numbers({ execution_deadline: 3_600_003 }),
    caughtBy: ['invoke-runs/deadline', 'invoke-runs/deadline-shown'],
  },
  {
    name: 'invoke-deadline-extended-by-steering',
    requirement: 'INVOKE-5',
    description: 'Steering gives a run of invoke another hour.',
    alters: () => {
      const again = new Map<string, () => void>();
      return together(
        makes('runner', (create) => (deps) => {
          const runner = create(deps);
          return {
            ...runner,
            async start(run, prompt, intern) {
              await runner.start(run, prompt, intern);
              again.set(run.sessionId, () => {
                run.timer?.cancel();
                run.timer = deps.clock.timer(deps.executionDeadline(), () => runner.end(run, { ended: 'deadline' }));
              });
            },
          };
        }),
        acts('invoke', (answer, call) => {
          if (String(answer.body).includes('"steered"'))
            again.get((call.input as { sessionId?: string }).sessionId ?? '')?.();
          return answer;
        }),
      );
    },
    caughtBy: ['invoke-runs/deadline-not-extended'],
  },
  {
    name: 'invoke-accepts-what-the-intern-does-not',
    requirement: 'INVOKE-1',
    description: 'invoke answers 202 although the intern cannot be reached.',
    alters: {
      runs: (usual) => ({
        ...usual,
        async invoke(request) {
          try {
            return await usual.invoke(request);
          } catch (error) {
            if (error instanceof Refusal && ['intern_unreachable', 'turn_failed'].includes(error.key))
              return { session_id: request.intern.id, status: 'started' };
            throw error;
          }
        },
      }),
    },
    caughtBy: ['invoke/not-accepted'],
  },
]);
