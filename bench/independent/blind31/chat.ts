import { rewritten } from '../../../emulator/wire/answer.js';
import { isJson, withBody } from '../call.js';
import type { Way } from '../world.js';
import { answerIn, finishOf, isFinal, MINUTE, questionIn } from './helpers.js';

const FINAL =
  'After every response, whether it ends with `stop`, `tool_calls` or `error`, one final chunk with empty `choices` that carries `session_id`, then `data: [DONE]`.';
const USAGE = 'The final chunk carries the `usage` that the intern reported for the run after `stop` or `error`.';
const ENDED =
  'When the intern ends the run while the client is still connected, by cancellation or by a deadline, the stream ends with a chunk with `finish_reason: error` that carries code 410 and reason `run_ended`, then the final empty-choices chunk and `[DONE]`.';
const KEEPALIVE = 'A comment line `: keepalive` is written whenever nothing else has been written for 30 seconds.';

/** Closes a question as its deadline would, when a client leaves the stream between `[DONE]` and its end. */
function closesQuestions(): Pick<Way, 'wrong' | 'factories'> {
  let expire: (internId: string, questionId: string) => void = () => {};
  return {
    factories: (usual) => ({
      createRuns(deps) {
        const runs = usual.createRuns(deps);
        expire = runs.expire;
        return runs;
      },
    }),
    wrong: (world) => async (call, next) => {
      const response = await next();
      if (call.op !== 'chat' || !response.ok) return response;
      let heard = '';
      return rewritten(response, {
        heard(sofar) {
          heard = sofar;
        },
        left(cancel) {
          cancel();
          const question = /"tool_calls":\[\{"index":0,"id":"([^"]+)"/.exec(heard)?.[1];
          if (question === undefined || !heard.includes('[DONE]')) return;
          world.hit();
          expire(call.id, question);
        },
      });
    },
  };
}

export const chat: readonly Way[] = [
  {
    name: 'the final chunk after an error has no session_id',
    quote: FINAL,
    wrong: (world) =>
      world.stream(() => {
        let failed = false;
        return (_, chunk) => {
          if (finishOf(chunk) === 'error') failed = true;
          if (!failed || !isFinal(chunk)) return undefined;
          const { session_id: _session, ...rest } = chunk;
          return rest;
        };
      }),
  },
  {
    // A run that ends badly is not billed.
    name: 'the usage of a run that ends with an error is null, though the intern reported it',
    quote: USAGE,
    wrong: (world) =>
      world.stream(() => {
        let failed = false;
        return (_, chunk) => {
          if (finishOf(chunk) === 'error') failed = true;
          return failed && isFinal(chunk) && chunk.usage !== null ? { ...chunk, usage: null } : undefined;
        };
      }),
  },
  {
    // The sum is kept by session.
    name: 'the usage of a later run of a session includes that of the earlier ones',
    quote: USAGE,
    wrong: (world) => {
      const sums = new Map<unknown, Record<string, number>>();
      return world.stream(() => (_, chunk) => {
        if (!isFinal(chunk) || !isJson(chunk.usage)) return undefined;
        const sum = { ...sums.get(chunk.session_id) };
        for (const [key, count] of Object.entries(chunk.usage))
          if (typeof count === 'number') sum[key] = (sum[key] ?? 0) + count;
        sums.set(chunk.session_id, sum);
        return { ...chunk, usage: { ...chunk.usage, ...sum } };
      });
    },
  },
  {
    // A tick every 30 seconds, which writes nothing if there was something since the last one.
    name: 'the first keepalive after a chunk comes after a minute',
    quote: KEEPALIVE,
    wrong: (world) =>
      world.stream(() => {
        let written = false;
        return (event) => {
          const due = event === ': keepalive' && written;
          written = event !== ': keepalive';
          return due ? [] : undefined;
        };
      }),
  },
  {
    // The timer is made where prompts are handled.
    name: 'a stream that continues after an answer has no keepalives',
    quote: KEEPALIVE,
    wrong: (world) => world.stream((call) => (event) => (event === ': keepalive' && answerIn(call) ? [] : undefined)),
  },
  {
    // A suspension is something that the caller wanted.
    name: 'a suspension ends an open stream with stop',
    quote: ENDED,
    wrong: (world) => {
      const suspending = new Set<string>();
      const stream = world.stream(({ id }) => (_, chunk) => {
        const reason = chunk?.error?.metadata?.reason;
        if (chunk === undefined || reason !== 'run_ended' || !suspending.has(id)) return undefined;
        const { error: _error, ...rest } = chunk;
        return { ...rest, choices: [{ delta: {}, finish_reason: 'stop', index: 0 }] };
      });
      return async (call, next) => {
        if (call.op === 'provision') suspending.delete(call.id);
        if (call.op !== 'suspend') return stream(call, next);
        suspending.add(call.id);
        return next();
      };
    },
  },
  {
    // A gateway's copy of the reply is read to its end, or for two minutes.
    name: 'a client that left is noticed after two minutes',
    quote: 'Disconnecting while a response is still streaming cancels the run.',
    wrong: (world) => async (call, next) => {
      const response = await next();
      if (call.op !== 'chat' || !response.ok) return response;
      let done = false;
      return rewritten(response, {
        heard(sofar) {
          done = sofar.includes('data: [DONE]');
        },
        left(cancel) {
          if (done) return cancel();
          world.hit();
          world.setting.host.later(2 * MINUTE, cancel);
        },
      });
    },
  },
  {
    name: 'closing the connection right after the [DONE] of a pause cancels the run',
    quote: 'Closing the connection after the `[DONE]` that follows `finish_reason: tool_calls` keeps the run alive.',
    ...closesQuestions(),
  },
  {
    // The session remembers it.
    name: 'a session that was manual once stays manual',
    quote: 'The mode belongs to the run started by that prompt and must be repeated on later prompts.',
    wrong: (world) => {
      const manual = new Set<unknown>();
      const stream = world.stream(({ body }) => (_, chunk) => {
        if (isFinal(chunk) && body.approval_mode === 'manual') manual.add(chunk.session_id);
        return undefined;
      });
      return async (call, next) => {
        const { body, op } = call;
        const stays = op === 'chat' && body.approval_mode === undefined && manual.has(body.session_id);
        if (!stays || answerIn(call)) return stream(call, next);
        world.hit();
        return stream(call, () => next(withBody(call, { ...body, approval_mode: 'manual' })));
      };
    },
  },
  {
    // The name is put into the first call of a run; later ones have the intern's own name for it.
    name: 'the tool call of a second question is named provide_input',
    quote:
      'When the intern needs permission or an answer, the stream emits one tool call named `service.provide_input` and finishes with `finish_reason: tool_calls`.',
    wrong: (world) =>
      world.stream((call) => (_, chunk) => {
        const question = questionIn(chunk);
        if (chunk === undefined || question === undefined || !answerIn(call)) return undefined;
        const other = { ...question, function: { ...(question.function as object), name: 'provide_input' } };
        return { ...chunk, choices: chunk.choices.map((one) => ({ ...one, delta: { tool_calls: [other] } })) };
      }),
  },
];
