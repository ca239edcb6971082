import { randomUUID } from 'node:crypto';
import type { TurnGenerator } from '../../../emulator/scripts/behaviour.js';
import { failed } from '../answers.js';
import { withBody } from '../call.js';
import type { Way } from '../world.js';
import { bodyOf, isMember, MINUTE, runsOf, seen, turning, withJson } from './helpers.js';

const ACCEPTED =
  'A `session_id` is accepted only from the caller it was issued to, on the same intern. Any other, including sessions started from a chat tool or from the chat endpoint, is refused with 404.';
const STARTS = 'Starts a run on one intern and answers 202 with the `session_id` once the intern accepts it.';
const CONTINUES = 'Sending the same `session_id` later continues the conversation.';
const HOUR = 60 * MINUTE;

/** A run that waits for an answer to a question that nobody is asked. */
async function* waiting(usual: TurnGenerator, wait: () => Promise<void>, hit: () => void): TurnGenerator {
  let answer: Parameters<TurnGenerator['next']>[0];
  try {
    for (;;) {
      const { done, value } = await usual.next(answer);
      if (done === true) return;
      if ('ask' in value && value.ask.kind === 'elicitation') {
        hit();
        await wait();
        yield { end: 'deadline' };
        return;
      }
      answer = yield value;
    }
  } finally {
    await usual.return(undefined);
  }
}

export const invoke: readonly Way[] = [
  {
    // Sessions belong to callers.
    name: 'a session goes on at another intern of the same caller',
    quote: ACCEPTED,
    wrong: (world) => {
      const issued = new Map<unknown, { who: string; id: string }>();
      return async (call, next) => {
        const response = await next();
        if (call.op !== 'invoke') return response;
        const { session_id: session } = call.body;
        if (response.status === 202 && session === undefined)
          issued.set((await bodyOf(response)).session_id, { who: call.who, id: call.id });
        const known = issued.get(session);
        if (response.status !== 404 || known?.who !== call.who || known.id === call.id) return response;
        const { session_id: _, ...body } = call.body;
        const taken = await next(withBody(call, body));
        if (taken.status !== 202) return response;
        world.hit();
        return withJson(taken, { ...(await bodyOf(taken)), session_id: session });
      };
    },
  },
  {
    // An open run of the session is looked for first.
    name: 'the session of a chat is taken while its run is open',
    quote: ACCEPTED,
    factories: (usual, hit) => ({
      createRuns(deps) {
        const runs = usual.createRuns(deps);
        const chats = (internId: string, sessionId: string) =>
          runs
            .list(internId)
            .some((run) => run.session_id === sessionId && run.origin === 'chat' && run.status !== 'ended');
        const isOwn = (...named: Parameters<typeof runs.ownedSession>) => {
          try {
            runs.ownedSession(...named);
            return true;
          } catch {
            return false;
          }
        };
        return {
          ...runs,
          ownedSession(internId, sessionId, callerId) {
            if (!chats(internId, sessionId)) runs.ownedSession(internId, sessionId, callerId);
          },
          async invoke(request) {
            const { intern, input: prompt, sessionId, callerId, admit } = request;
            if (sessionId === undefined || isOwn(intern.id, sessionId, callerId) || !chats(intern.id, sessionId))
              return runs.invoke(request);
            await runs.prompt({ intern, prompt, sessionId, admit });
            hit();
            return { session_id: sessionId, status: 'steered' };
          },
        };
      },
    }),
  },
  {
    // They were in the memory of the runtime.
    name: 'the sessions of an intern are unknown after it was suspended',
    quote: CONTINUES,
    wrong: (world) => {
      const issued = new Map<string, Set<unknown>>();
      const lost = new Set<unknown>();
      return async (call, next) => {
        const { session_id: session } = call.body;
        if (call.op === 'invoke' && lost.has(session)) {
          const response = await next();
          if (response.status !== 202) return response;
          world.hit();
          return failed(404, 'Session not found', 'not_found');
        }
        const response = await next();
        if (call.op === 'invoke' && response.status === 202) {
          const own = issued.get(call.id) ?? new Set();
          issued.set(call.id, own.add((await bodyOf(response)).session_id));
        }
        if (call.op === 'suspend' && response.ok) for (const one of issued.get(call.id) ?? []) lost.add(one);
        return response;
      };
    },
  },
  {
    name: 'an invoke that is steered answers 200',
    quote: STARTS,
    wrong: (world) =>
      world.later('invoke', async (response) => {
        if (response.status !== 202) return undefined;
        const body = await bodyOf(response);
        return body.status === 'steered' ? withJson(response, body, 200) : undefined;
      }),
  },
  {
    // It goes into a queue, for when the intern runs.
    name: 'an invoke of a suspended intern answers 202',
    quote: STARTS,
    wrong: (world) =>
      world.later('invoke', async ({ status }, call) => {
        if (status !== 409 || !isMember(call) || (await seen(world, call))?.status !== 'stopped') return undefined;
        const { session_id = randomUUID() } = call.body;
        return Response.json({ session_id, status: 'started' }, { status: 202 });
      }),
  },
  {
    // The call waits for the worker.
    name: 'an invoke answers when its run is over, or after two minutes',
    quote: 'The `invoke` operation starts a run on an intern and returns a session identifier at once.',
    wrong: (world) => async (call, next) => {
      const response = await next();
      if (call.op !== 'invoke' || response.status !== 202) return response;
      const { session_id: session } = await bodyOf(response);
      const { now, sleep } = world.setting.host;
      const goes = async () =>
        (await runsOf(world, call.id)).some((run) => run.session_id === session && run.status !== 'ended');
      const begun = now();
      while (now() < begun + 2 * MINUTE && (await goes())) await sleep(500);
      if (now() >= begun + 1_000) world.hit();
      return response;
    },
  },
  {
    // The question is asked of nobody, until its deadline.
    name: 'a question of an invoked run waits for five minutes, and ends the run',
    quote: 'the intern consents to its own tool approvals, and a question it asks is answered by its own fallback.',
    factories: (usual, hit) => ({
      createRuns: (deps) =>
        usual.createRuns(
          turning(deps, ({ origin }, { clock }, generator) =>
            origin === 'chat' ? generator : waiting(generator, () => clock.sleep(5 * MINUTE), hit),
          ),
        ),
    }),
  },
  {
    // The deadline is one of silence.
    name: 'a prompt that is steered into an invoked run gives it another hour',
    quote:
      'A run started by `invoke` ends when the intern finishes it, or after its execution deadline, 1 hour by default.',
    factories: (usual, hit) => ({
      createRuns(deps) {
        const { clock, settings } = deps;
        const said = new Map<string, number>();
        const late = { ...deps, settings: () => ({ ...settings(), execution_deadline: 1_000 * HOUR }) };
        const runs = usual.createRuns(
          turning(late, ({ origin, session }, { signal }, generator) =>
            origin === 'chat' ? generator : bounded(generator, session.id, signal),
          ),
        );
        async function* bounded(usually: TurnGenerator, session: string, signal: AbortSignal): TurnGenerator {
          const begun = clock.now();
          said.set(session, begun);
          const over = new Promise<'over'>((resolve) => {
            const wait = (ms: number) => {
              const timer = clock.timer(ms, () => {
                const left = (said.get(session) ?? begun) + settings().execution_deadline - clock.now();
                if (left <= 0) return resolve('over');
                hit();
                wait(left);
              });
              signal.addEventListener('abort', timer.cancel, { once: true });
            };
            wait(settings().execution_deadline);
          });
          let answer: Parameters<TurnGenerator['next']>[0];
          try {
            for (;;) {
              const step = await Promise.race([usually.next(answer), over]);
              if (step === 'over') {
                yield { end: 'deadline' };
                return;
              }
              if (step.done === true) return;
              answer = yield step.value;
            }
          } finally {
            await usually.return(undefined);
          }
        }
        return {
          ...runs,
          async invoke(request) {
            const answer = await runs.invoke(request);
            if (answer.status === 'steered') said.set(answer.session_id, clock.now());
            return answer;
          },
        };
      },
    }),
  },
];
