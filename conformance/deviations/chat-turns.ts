import { Refusal } from '../../emulator/contract/errors.js';
import type { Run } from '../../emulator/domain/run.js';
import type { ReplyRequest, Runs } from '../../emulator/domain/runs.js';
import type { Alterations } from '../../emulator/parts.js';
import { acts, errorAnswer, errors, numbers, operationOf, reads, remeta, restatus, served } from './change.js';
import { isObject } from './change-lifecycle.js';
import { makes, replies, streamingIn, watches } from './change-runs.js';
import { defineDeviations } from './deviation.js';

type Body = Record<string, unknown> & { messages: { role?: unknown; [field: string]: unknown }[] };

/** Changes the body of a reply, which is one whose last message is of a tool. */
const replyBodies = (change: (body: Body) => unknown): Alterations =>
  reads('chat', (value) => {
    if (!isObject(value) || !Array.isArray(value.messages)) return value;
    const body = value as Body;
    return body.messages.at(-1)?.role === 'tool' ? change(body) : value;
  });

/** Refuses a reply otherwise than for the reason it is refused for. */
const otherwise = (judge: (error: Refusal, request: ReplyRequest, runs: Runs) => Refusal | undefined): Alterations =>
  replies(async (usual, request, runs) => {
    try {
      return await usual(request);
    } catch (error) {
      throw (error instanceof Refusal && judge(error, request, runs)) || error;
    }
  });

const acceptable = (content: string) =>
  ['allow_once', 'allow_always', 'reject_once', 'reject_always', 'cancel'].includes(content);

const waitingOf = (runs: Runs, request: ReplyRequest) =>
  runs.list(request.intern.id).find((run) => run.session_id === request.sessionId && run.status === 'waiting');

export const CHAT_REFUSALS = defineDeviations([
  {
    name: 'reply-without-session-is-unknown',
    requirement: 'CHAT-7',
    description: 'A reply without session_id is 404.',
    alters: replyBodies((body) => ({ session_id: 'none', ...body })),
    caughtBy: ['chat-refusals/session-before-call', 'chat-unacceptable/without-session'],
  },
  {
    name: 'reply-to-an-unknown-call-is-409',
    requirement: 'CHAT-7',
    description: 'A call that was never asked is 409 interaction_not_pending.',
    alters: otherwise((error) =>
      error.key === 'interaction_unknown' ? new Refusal('interaction_not_pending') : undefined,
    ),
    caughtBy: ['chat-refusals/unknown-call', 'chat-refusals/unknown-before-ended', 'chat-refusals/session-before-call'],
  },
  {
    name: 'reply-ended-before-unknown',
    requirement: 'CHAT-7',
    description: 'In a session whose run has ended any call is 409 interaction_not_pending.',
    alters: otherwise((error, request, runs) =>
      error.key === 'interaction_unknown' &&
      runs.list(request.intern.id).some((run) => run.session_id === request.sessionId && run.status === 'ended')
        ? new Refusal('interaction_not_pending')
        : undefined,
    ),
    caughtBy: ['chat-refusals/unknown-before-ended'],
  },
  {
    name: 'reply-forgets-ended-runs',
    requirement: 'CHAT-7',
    description: 'The call of a run that has ended is unknown.',
    alters: otherwise((error, request, runs) =>
      error.key === 'interaction_not_pending' && !waitingOf(runs, request)
        ? new Refusal('interaction_unknown')
        : undefined,
    ),
    caughtBy: [
      'chat-refusals/unknown-before-ended',
      'chat-refusals/ended-before-busy',
      'chat-refusals/ended-before-unacceptable',
      'chat-deadlines/late-answer',
    ],
  },
  {
    name: 'reply-streaming-before-unknown',
    requirement: 'CHAT-7',
    description: 'While a run streams an unknown call is 409 attachment_failed.',
    alters: otherwise((error, request, runs) =>
      error.key === 'interaction_unknown' && streamingIn(runs, request.intern).length > 0
        ? new Refusal('attachment_failed')
        : undefined,
    ),
    caughtBy: ['chat-refusals/unknown-before-streaming'],
  },
  {
    name: 'reply-busy-before-ended',
    requirement: 'CHAT-7',
    description: 'While another run streams a reply to an ended run is busy.',
    alters: otherwise((error, request, runs) =>
      error.key === 'interaction_not_pending' && streamingIn(runs, request.intern).length > 0
        ? new Refusal('busy', { headers: { 'retry-after': '1' } })
        : undefined,
    ),
    caughtBy: ['chat-refusals/ended-before-busy', 'chat-refusals/stale-before-busy'],
  },
  {
    name: 'reply-content-before-ended',
    requirement: 'CHAT-7',
    description: 'An unacceptable answer is 400 whether its run has ended or not.',
    alters: otherwise((error, request, runs) =>
      error.key === 'interaction_not_pending' && !acceptable(request.content) && !waitingOf(runs, request)
        ? new Refusal('bad_request')
        : undefined,
    ),
    caughtBy: ['chat-refusals/ended-before-unacceptable', 'chat-deadlines/late-answer'],
  },
  {
    name: 'reply-content-before-all',
    requirement: 'CHAT-7',
    description: 'An unacceptable answer is 400 before anything of its run is looked at.',
    alters: replies(async (usual, request) => {
      if (request.content === 'no such option') throw new Refusal('bad_request');
      return usual(request);
    }),
    caughtBy: [
      'chat-refusals/ended-before-unacceptable',
      'chat-refusals/stale',
      'chat-refusals/busy-before-unacceptable',
      'chat-refusals/streaming-before-stale',
      'chat-deadlines/at-the-deadline',
    ],
  },
  {
    name: 'reply-stale-before-streaming',
    requirement: 'CHAT-7',
    description: 'While the run streams an answer to its old question is interaction_not_pending.',
    alters: otherwise((error) =>
      error.key === 'attachment_failed' ? new Refusal('interaction_not_pending') : undefined,
    ),
    caughtBy: ['chat-refusals/streaming-before-stale', 'chat-refusals/unknown-before-streaming'],
  },
  {
    name: 'reply-to-the-old-question-counts',
    requirement: 'CHAT-7',
    description: 'An answer to an old question answers the open one.',
    alters: replies((usual, request, runs) => {
      const asking = waitingOf(runs, request);
      const known = runs.list(request.intern.id).some((run) => run.session_id === request.sessionId);
      return usual(
        known && asking?.question && request.interactionId.startsWith('call_') && !request.interactionId.endsWith('_')
          ? { ...request, interactionId: asking.question.id }
          : request,
      );
    }),
    caughtBy: ['chat-refusals/stale', 'chat-refusals/stale-before-busy'],
  },
  {
    name: 'reply-content-before-busy',
    requirement: 'CHAT-7',
    description: 'While another run streams an unacceptable answer is 400.',
    alters: otherwise((error, request) =>
      error.key === 'busy' && !acceptable(request.content) ? new Refusal('bad_request') : undefined,
    ),
    caughtBy: ['chat-refusals/busy-before-unacceptable'],
  },
  {
    name: 'reply-only-three-times',
    requirement: 'CHAT-7',
    description: 'After three unacceptable answers the question is closed.',
    alters: {
      runs: (usual) => {
        const tries = new Map<string, number>();
        return {
          ...usual,
          async reply(request) {
            try {
              return await usual.reply(request);
            } catch (error) {
              if (error instanceof Refusal && error.key === 'bad_request') {
                const count = (tries.get(request.interactionId) ?? 0) + 1;
                tries.set(request.interactionId, count);
                if (count === 3) usual.endAll(request.intern.id, 'reset');
              }
              throw error;
            }
          },
        };
      },
    },
    caughtBy: ['chat-unacceptable/unacceptable-stays', 'chat-unacceptable/unacceptable-option'],
  },
  {
    name: 'reply-to-a-stopped-intern-is-404',
    requirement: 'CHAT-7',
    description: 'A reply to a suspended intern is 404.',
    alters: otherwise((error) => (error.key === 'intern_not_ready' ? new Refusal('interaction_unknown') : undefined)),
    caughtBy: ['chat-refusals/not-running'],
  },
  {
    name: 'reply-need-not-stream',
    requirement: 'CHAT-15',
    description: 'A reply with stream false is taken.',
    alters: replyBodies((body) => ({ ...body, stream: true })),
    caughtBy: ['chat-unacceptable/body-before-state'],
  },
  {
    name: 'reply-that-comes-second-is-200',
    requirement: 'CHAT-7',
    description: 'An answer that comes second is answered with an empty stream.',
    alters: served((answer, request, resource) =>
      operationOf(resource, request.method) === 'chat' &&
      answer.status === 409 &&
      /attachment_failed|interaction_not_pending/.test(String(answer.body))
        ? { status: 200, body: 'data: [DONE]\n\n', headers: { 'content-type': 'text/event-stream' } }
        : answer,
    ),
    caughtBy: [
      'chat-once/race-live',
      'chat-once/race',
      'chat-once/while-it-streams',
      'chat-once/answered-twice',
      'chat-deadlines/closed-after',
    ],
  },
  {
    name: 'reply-delivered-to-the-streaming-run',
    requirement: 'CHAT-7',
    description: 'An answer to a run that streams is steered into it.',
    alters: {
      runs: (usual) => ({
        ...usual,
        async reply(request) {
          try {
            return await usual.reply(request);
          } catch (error) {
            if (error instanceof Refusal && error.key === 'attachment_failed')
              await usual.prompt({ ...request, prompt: request.content });
            throw error;
          }
        },
      }),
    },
    caughtBy: ['chat-once/while-it-streams'],
  },
]);

/** Gives a question that waits its whole time again. */
const extend = (
  run: Run,
  ms: number,
  end: (run: Run) => void,
  timer: (ms: number, then: () => void) => Run['timer'],
) => {
  if (run.status !== 'waiting' || !run.question) return;
  run.timer?.cancel();
  run.question = { ...run.question, deadline: run.question.deadline + ms };
  run.timer = timer(ms, () => end(run));
};

/** Extends the question of a run where `when` says so. */
const extendsWhere = (when: (extendRun: (session: string) => void) => Alterations): Alterations => {
  const waiting = new Map<string, () => void>();
  const seen = watches((run, _from, runner, deps) => {
    if (run.status !== 'waiting') return void waiting.delete(run.sessionId);
    waiting.set(run.sessionId, () =>
      extend(run, deps.interactionDeadline(), (one) => runner.end(one, { ended: 'deadline' }), deps.clock.timer),
    );
  });
  return { ...seen, ...when((session) => waiting.get(session)?.()) };
};

export const CHAT_DEADLINES = defineDeviations([
  {
    name: 'deadline-of-four-minutes',
    requirement: 'CHAT-7',
    description: 'A question stays open for four minutes.',
    alters: numbers({ interaction_deadline: 240_000 }),
    caughtBy: ['chat-deadlines/open-until', 'chat-deadlines/to-the-millisecond', 'chat-deadlines/second-question'],
  },
  {
    name: 'deadline-of-ten-minutes',
    requirement: 'CHAT-7',
    description: 'A question stays open for ten minutes.',
    alters: numbers({ interaction_deadline: 600_000 }),
    caughtBy: [
      'chat-deadlines/closed-after',
      'chat-deadlines/to-the-millisecond',
      'chat-deadlines/late-answer',
      'chat-deadlines/shown-as-deadline',
      'chat-deadlines/not-extended-by-a-look',
    ],
  },
  {
    name: 'deadline-two-milliseconds-early',
    requirement: 'CHAT-7',
    description: 'A question closes two milliseconds before its five minutes are over.',
    alters: numbers({ interaction_deadline: 299_998 }),
    caughtBy: ['chat-deadlines/to-the-millisecond', 'chat-deadlines/second-question'],
  },
  {
    name: 'deadline-two-milliseconds-late',
    requirement: 'CHAT-7',
    description: 'A question closes two milliseconds after its five minutes are over.',
    alters: numbers({ interaction_deadline: 300_002 }),
    caughtBy: ['chat-deadlines/to-the-millisecond'],
  },
  {
    name: 'deadline-only-while-connected',
    requirement: 'CHAT-7',
    description: 'A question that nobody is connected to never runs out.',
    alters: watches((run) => {
      if (run.status !== 'waiting') return;
      run.timer?.cancel();
      run.timer = undefined;
    }),
    caughtBy: ['chat-deadlines/closed-after', 'chat-deadlines/each-its-own', 'chat-deadlines/not-extended'],
  },
  {
    name: 'deadline-passes-unnoticed',
    requirement: 'CHAT-7',
    description: 'At its deadline a question refuses answers, but its run is still waiting.',
    alters: () => {
      let now = () => 0;
      return {
        ...numbers({ interaction_deadline: 300_001 }),
        runs: (usual) => ({
          ...usual,
          async reply(request) {
            const asking = waitingOf(usual, request);
            if (asking?.question && now() >= Date.parse(asking.question.deadline) - 1)
              throw new Refusal('interaction_not_pending');
            return usual.reply(request);
          },
        }),
        clock(clock) {
          now = () => clock.now();
          return clock;
        },
      };
    },
    caughtBy: ['chat-deadlines/at-the-deadline'],
  },
  {
    name: 'deadline-passed-is-410',
    requirement: 'CHAT-7',
    description: 'A late answer is 410.',
    alters: restatus('interaction_not_pending', 409, 410),
    caughtBy: ['chat-deadlines/late-answer', 'chat-refusals/stale', 'chat-refusals/ended-before-busy'],
  },
  {
    name: 'deadline-shown-as-cancelled',
    requirement: 'EMU-4',
    description: 'The control interface shows a question that ran out as cancelled.',
    alters: {
      runs: (usual) => ({
        ...usual,
        list: (id) =>
          usual.list(id).map((run) => (run.ended === 'deadline' ? { ...run, ended: 'cancelled' as const } : run)),
      }),
    },
    caughtBy: ['chat-deadlines/shown-as-deadline', 'chat-endings/shown', 'invoke-runs/deadline-shown'],
  },
  {
    name: 'deadline-extended-by-rejected-replies',
    requirement: 'CHAT-7',
    description: 'An unacceptable answer gives a question five more minutes.',
    alters: () =>
      extendsWhere((again) =>
        otherwise((error, request) => {
          if (error.key === 'bad_request') again(request.sessionId);
          return undefined;
        }),
      ),
    caughtBy: ['chat-deadlines/not-extended'],
  },
  {
    name: 'deadline-extended-by-busy-replies',
    requirement: 'CHAT-7',
    description: 'An answer that is told busy gives its question five more minutes.',
    alters: () =>
      extendsWhere((again) =>
        otherwise((error, request) => {
          if (error.key === 'busy') again(request.sessionId);
          return undefined;
        }),
      ),
    caughtBy: ['chat-deadlines/not-extended'],
  },
  {
    name: 'deadline-extended-by-steering',
    requirement: 'CHAT-7',
    description: 'A prompt that is steered into a waiting run gives its question five more minutes.',
    alters: () =>
      extendsWhere((again) => ({
        runs: (usual) => ({
          ...usual,
          prompt(request) {
            if (request.sessionId !== undefined) again(request.sessionId);
            return usual.prompt(request);
          },
        }),
      })),
    caughtBy: ['chat-deadlines/not-extended-by-a-look'],
  },
  {
    name: 'deadline-of-the-run',
    requirement: 'CHAT-7',
    description: 'All questions of a run share the five minutes of the first.',
    alters: () => {
      const first = new Map<string, number>();
      return watches((run, _from, runner, deps) => {
        if (run.status !== 'waiting' || !run.question) return;
        const due = first.get(run.id) ?? run.question.deadline;
        first.set(run.id, due);
        run.timer?.cancel();
        run.timer = deps.clock.timer(Math.max(1, due - deps.clock.now()), () => runner.end(run, { ended: 'deadline' }));
      });
    },
    caughtBy: ['chat-deadlines/second-question'],
  },
  {
    name: 'deadline-goes-on-after-the-answer',
    requirement: 'CHAT-7',
    description: 'A run is cancelled five minutes after its question, answered or not.',
    alters: watches((run, _from, runner, deps) => {
      if (run.status === 'waiting')
        deps.clock.timer(deps.interactionDeadline(), () => runner.end(run, { ended: 'deadline' }));
    }),
    caughtBy: ['chat-deadlines/answered-in-time'],
  },
  {
    name: 'deadline-of-one-ends-all',
    requirement: 'CHAT-7',
    description: 'When one question runs out all runs of the intern end.',
    alters: () => {
      const waiting = new Set<Run>();
      return watches((run, _from, runner) => {
        if (run.status === 'waiting') waiting.add(run);
        else waiting.delete(run);
        if (run.ended !== 'deadline') return;
        for (const other of [...waiting]) if (other.internId === run.internId) runner.end(other, { ended: 'deadline' });
      });
    },
    caughtBy: ['chat-deadlines/each-its-own'],
  },
]);

export const CHAT_NOT_TAKEN = defineDeviations([
  {
    name: 'not-ready-is-503',
    requirement: 'CHAT-16',
    description: 'An intern that does not run is 503.',
    alters: restatus('intern_not_ready', 409, 503),
    caughtBy: ['chat-not-taken/not-running', 'chat-not-taken/while-it-boots', 'model/statuses', 'provision/first-boot'],
  },
  {
    name: 'not-ready-for-good',
    requirement: 'CHAT-16',
    description: 'intern_not_ready says that trying again does not help.',
    alters: remeta('intern_not_ready', 409, { retryable: false }),
    caughtBy: ['chat-not-taken/not-running', 'chat-not-taken/while-it-boots'],
  },
  {
    name: 'not-ready-wakes-it',
    requirement: 'CHAT-16',
    description: 'A prompt to a suspended intern is answered as if it ran.',
    alters: {
      runs: (usual) => ({
        ...usual,
        prompt: async (request) => {
          const { record } = request.intern;
          if (record.status === 'stopped') throw new Refusal('busy');
          return usual.prompt(request);
        },
      }),
    },
    caughtBy: ['chat-not-taken/not-running'],
  },
  {
    name: 'booting-is-503',
    requirement: 'CHAT-16',
    description: 'A prompt to an intern that boots is 503 busy.',
    alters: {
      runs: (usual) => ({
        ...usual,
        prompt: async (request) => {
          if (['queued', 'provisioning'].includes(request.intern.record.status)) throw new Refusal('too_many_waiting');
          return usual.prompt(request);
        },
      }),
    },
    caughtBy: ['chat-not-taken/while-it-boots'],
  },
  {
    name: 'unreachable-is-told-in-the-stream',
    requirement: 'CHAT-16',
    description: 'An intern that cannot be reached opens a stream that ends with an error.',
    alters: served((answer, request, resource) =>
      operationOf(resource, request.method) === 'chat' && answer.status === 502
        ? {
            status: 200,
            headers: { 'content-type': 'text/event-stream' },
            body: `data: {"id":"x","object":"chat.completion.chunk","created":0,"model":"x","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":"error"}],"error":{"code":502,"message":"unreachable","metadata":{"reason":"intern_unreachable","retryable":true}}}\n\ndata: {"id":"x","object":"chat.completion.chunk","created":0,"model":"x","choices":[],"session_id":null,"usage":null}\n\ndata: [DONE]\n\n`,
          }
        : answer,
    ),
    caughtBy: ['chat-not-taken/not-accepted', 'shipped-scripts/shipped-refusals'],
  },
  {
    name: 'unreachable-for-good',
    requirement: 'CHAT-16',
    description: 'intern_unreachable says that trying again does not help.',
    alters: remeta('intern_unreachable', 502, { retryable: false }),
    caughtBy: ['chat-not-taken/not-accepted'],
  },
  {
    name: 'refused-turn-is-unreachable',
    requirement: 'CHAT-16',
    description: 'A refused turn is told as intern_unreachable.',
    alters: remeta('turn_failed', 502, { reason: 'intern_unreachable' }),
    caughtBy: ['chat-not-taken/not-accepted', 'shipped-scripts/shipped-refusals'],
  },
  {
    name: 'accepted-only-when-it-did-not-fail',
    requirement: 'CHAT-16',
    description: 'A run that says something and fails at once is 502.',
    alters: acts('chat', (answer) =>
      typeof answer.body === 'string' && answer.body.includes('"finish_reason":"error"')
        ? errorAnswer(502, 'The turn failed', 'turn_failed')
        : answer,
    ),
    caughtBy: ['chat-not-taken/accepted-first', 'chat-endings/cancelled', 'chat-endings/severed'],
  },
  {
    name: 'stream-opens-with-the-first-word',
    requirement: 'CHAT-16',
    description: 'A stream does not open before the intern says something.',
    alters: makes('runner', (create) => (deps) => {
      const runner = create(deps);
      return {
        ...runner,
        async start(run, prompt, intern) {
          await runner.start(run, prompt, intern);
          while (run.status === 'running' && run.log.length === 0) await deps.clock.sleep(500);
        },
      };
    }),
    caughtBy: ['chat-not-taken/opens-at-once', 'keepalive/before-first-word', 'disconnect/before-first-word'],
  },
  {
    name: 'eight-may-wait',
    requirement: 'CHAT-16',
    description: 'With eight runs waiting the next prompt is refused.',
    alters: numbers({ max_waiting_runs: 8 }),
    caughtBy: ['chat-not-taken/too-many-waiting'],
  },
  {
    name: 'any-number-may-wait',
    requirement: 'CHAT-16',
    description: 'Any number of runs may wait on questions.',
    alters: numbers({ max_waiting_runs: 1_000 }),
    caughtBy: ['chat-not-taken/too-many-waiting'],
  },
  {
    name: 'too-many-waiting-is-429',
    requirement: 'CHAT-16',
    description: 'Too many waiting runs are 429.',
    alters: errors(({ status, reason }) => (status === 503 && reason === 'busy' ? { status: 429 } : undefined)),
    caughtBy: ['chat-not-taken/too-many-waiting'],
  },
  {
    name: 'too-many-waiting-does-not-say-until-when',
    requirement: 'CHAT-16',
    description: 'The 503 of too many waiting runs has no Retry-After.',
    alters: served((answer) => {
      if (answer.status !== 503) return answer;
      const { 'retry-after': _, ...headers } = answer.headers;
      return { ...answer, headers };
    }),
    caughtBy: ['chat-not-taken/too-many-waiting'],
  },
]);
