import type { Chunk, Said } from '../answers.js';
import { failed } from '../answers.js';
import { isJson } from '../call.js';
import type { Way } from '../world.js';
import { contentOf, finishOf, isAnswer, isDone, isFinal, toolCallsOf, withChoice } from './common.js';

const FINAL =
  'After every response, whether it ends with `stop`, `tool_calls` or `error`, one final chunk with empty `choices` that carries `session_id`, then `data: [DONE]`.';
const REASONS = 'The run ends in one of three finish reasons: `stop`, `tool_calls`, `error`.';
const KEEPALIVE = 'A comment line `: keepalive` is written whenever nothing else has been written for 30 seconds.';
const USAGE = 'The final chunk carries the `usage` that the intern reported for the run after `stop` or `error`.';

/** Whether a stream's finish chunk had this reason so far. */
const ended = (reason: string) => {
  let so = false;
  return (chunk: Chunk | undefined) => {
    so ||= finishOf(chunk) === reason;
    return so;
  };
};

export const chat: readonly Way[] = [
  {
    name: 'final-before-finish',
    quote: 'carries these elements in order',
    wrong: ({ stream }) =>
      stream(() => {
        let held: Chunk | undefined;
        return (_, chunk) => {
          if (finishOf(chunk) === 'stop') {
            held = chunk;
            return [];
          }
          return held !== undefined && isFinal(chunk) ? [chunk, held] : undefined;
        };
      }),
  },
  {
    name: 'stop-no-done',
    quote: 'ending with `data: [DONE]`',
    wrong: ({ stream }) =>
      stream(() => {
        const stopped = ended('stop');
        return (event, chunk) => (stopped(chunk) && isDone(event) ? [] : undefined);
      }),
  },
  {
    name: 'done-in-small-letters',
    quote: 'ending with `data: [DONE]`',
    wrong: ({ stream }) => stream(() => (event) => (isDone(event) ? 'data: [done]' : undefined)),
  },
  {
    name: 'tools-final-no-session',
    quote: FINAL,
    wrong: ({ stream }) =>
      stream(() => {
        const asked = ended('tool_calls');
        return (_, chunk) => {
          if (!asked(chunk) || !isFinal(chunk)) return undefined;
          const { session_id: _id, ...rest } = chunk;
          return rest as Chunk;
        };
      }),
  },
  {
    name: 'stop-final-with-a-choice',
    quote: FINAL,
    wrong: ({ stream }) =>
      stream(() => {
        const stopped = ended('stop');
        return (_, chunk) =>
          stopped(chunk) && isFinal(chunk)
            ? { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: null } as Chunk['choices'][number]] }
            : undefined;
      }),
  },
  {
    name: 'final-twice-after-answer',
    quote: FINAL,
    wrong: ({ stream }) =>
      stream((call) => (_, chunk) => (isAnswer(call) && isFinal(chunk) ? [chunk, chunk] : undefined)),
  },
  {
    name: 'done-before-final-after-error',
    quote: FINAL,
    wrong: ({ stream }) =>
      stream(() => {
        const wrong = ended('error');
        let held: Chunk | undefined;
        return (event, chunk) => {
          if (!wrong(chunk)) return undefined;
          if (isFinal(chunk)) {
            held = chunk;
            return [];
          }
          return isDone(event) && held !== undefined ? [event, held] : undefined;
        };
      }),
  },
  {
    name: 'usage-on-finish-chunk',
    quote: USAGE,
    wrong: ({ stream }) =>
      stream(() => {
        let held: Chunk | undefined;
        return (_, chunk) => {
          if (finishOf(chunk) === 'stop') {
            held = chunk;
            return [];
          }
          if (held === undefined || !isFinal(chunk)) return undefined;
          return [
            { ...held, usage: chunk.usage },
            { ...chunk, usage: null },
          ];
        };
      }),
  },
  {
    name: 'usage-adds-up-in-a-session',
    quote: USAGE,
    wrong: ({ stream }) => {
      const sums = new Map<unknown, Record<string, number>>();
      return stream(() => {
        const stopped = ended('stop');
        return (_, chunk) => {
          if (!stopped(chunk) || !isFinal(chunk) || !isJson(chunk.usage)) return undefined;
          const before = sums.get(chunk.session_id) ?? {};
          const usage = Object.fromEntries(
            Object.entries(chunk.usage).map(([name, count]) =>
              typeof count === 'number' ? [name, count + (before[name] ?? 0)] : [name, count],
            ),
          );
          sums.set(chunk.session_id, usage as Record<string, number>);
          return { ...chunk, usage };
        };
      });
    },
  },
  {
    name: 'usage-zero-when-none',
    quote: 'It carries `null` when the intern reported none.',
    wrong: ({ stream }) =>
      stream(() => {
        const asked = ended('tool_calls');
        return (_, chunk) =>
          !asked(chunk) && isFinal(chunk) && chunk.usage === null
            ? { ...chunk, usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } }
            : undefined;
      }),
  },
  {
    name: 'usage-null-after-answer',
    quote: USAGE,
    wrong: ({ stream }) =>
      stream((call) => {
        const stopped = ended('stop');
        return (_, chunk) =>
          isAnswer(call) && stopped(chunk) && isFinal(chunk) ? { ...chunk, usage: null } : undefined;
      }),
  },
  {
    name: 'usage-after-question-left-from-the-run-before',
    quote: 'After `tool_calls` its `usage` is `null`, because the turn is not over.',
    wrong: ({ stream }) => {
      const last = new Map<unknown, unknown>();
      return stream(() => {
        const asked = ended('tool_calls');
        return (_, chunk) => {
          const open = asked(chunk);
          if (!isFinal(chunk)) return undefined;
          if (!open) {
            last.set(chunk.session_id, chunk.usage);
            return undefined;
          }
          return last.has(chunk.session_id) ? { ...chunk, usage: last.get(chunk.session_id) } : undefined;
        };
      });
    },
  },
  {
    name: 'finish-end-turn',
    quote: REASONS,
    wrong: ({ stream }) =>
      stream(
        () => (_, chunk) =>
          chunk !== undefined && finishOf(chunk) === 'stop'
            ? withChoice(chunk, { finish_reason: 'end_turn' })
            : undefined,
      ),
  },
  {
    name: 'finish-cancelled',
    quote: REASONS,
    wrong: ({ stream }) =>
      stream(
        () => (_, chunk) =>
          chunk !== undefined && finishOf(chunk) === 'error'
            ? withChoice(chunk, { finish_reason: 'cancelled' })
            : undefined,
      ),
  },
  {
    name: 'stop-without-finish',
    quote: REASONS,
    wrong: ({ stream }) =>
      stream((call) => (_, chunk): Said => {
        if (call.body.session_id === undefined || isAnswer(call) || finishOf(chunk) !== 'stop') return undefined;
        return [];
      }),
  },
  {
    name: 'error-then-stop',
    quote:
      'with a chunk with `finish_reason: error` that carries code 410 and reason `run_ended`, then the final empty-choices chunk and `[DONE]`.',
    wrong: ({ stream }) =>
      stream(() => (_, chunk) => {
        if (chunk === undefined || finishOf(chunk) !== 'error') return undefined;
        const { error: _error, ...rest } = withChoice(chunk, { finish_reason: 'stop', delta: {} });
        return [chunk, rest as Chunk];
      }),
  },
  {
    name: 'keepalive-once-a-minute',
    quote: KEEPALIVE,
    wrong: ({ stream }) =>
      stream(() => {
        let count = 0;
        return (event) => {
          if (!event.startsWith(': keepalive')) {
            count = 0;
            return undefined;
          }
          count += 1;
          return count % 2 === 1 ? [] : undefined;
        };
      }),
  },
  {
    name: 'keepalive-as-data',
    quote: KEEPALIVE,
    wrong: ({ stream }) =>
      stream(() => (event) => (event.startsWith(': keepalive') ? 'data: {"choices":[],"keepalive":true}' : undefined)),
  },
  {
    name: 'keepalive-only-after-first-words',
    quote: KEEPALIVE,
    wrong: ({ stream }) =>
      stream(() => {
        let said = false;
        return (event, chunk) => {
          said ||= contentOf(chunk) !== '';
          return !said && event.startsWith(': keepalive') ? [] : undefined;
        };
      }),
  },
  {
    name: 'run-ended-named-cancelled',
    quote: 'a chunk with `finish_reason: error` that carries code 410 and reason `run_ended`',
    wrong: ({ stream }) =>
      stream(
        () => (_, chunk) =>
          chunk?.error?.metadata?.reason === 'run_ended'
            ? { ...chunk, error: { ...chunk.error, metadata: { ...chunk.error.metadata, reason: 'run_cancelled' } } }
            : undefined,
      ),
  },
  {
    name: 'stream-typed-json',
    quote: 'The chat stream (`Content-Type` of a server-sent event stream)',
    wrong: ({ head }) =>
      head('chat', (headers, _, { status }) => {
        if (status === 200 && headers.get('content-type')?.includes('event-stream'))
          headers.set('content-type', 'application/json');
      }),
  },
  {
    name: 'last-words-after-finish',
    quote: 'carries these elements in order',
    wrong: ({ stream }) =>
      stream(() => {
        let held: Chunk | undefined;
        return (event, chunk) => {
          const before = held === undefined ? [] : [held];
          if (chunk !== undefined && finishOf(chunk) === 'stop') {
            held = undefined;
            return before.length === 0 ? undefined : [chunk, ...before];
          }
          if (chunk !== undefined && contentOf(chunk) !== '' && finishOf(chunk) === undefined) {
            held = chunk;
            return before;
          }
          held = undefined;
          return before.length === 0 ? undefined : [...before, chunk ?? event];
        };
      }),
  },
  {
    name: 'words-after-silence-lost',
    quote: 'Sends a prompt to one intern and streams the reply as server-sent events',
    wrong: ({ stream }) =>
      stream(() => {
        let silent = false;
        return (event, chunk) => {
          if (event.startsWith(': keepalive')) silent = true;
          else if (silent && contentOf(chunk) !== '' && finishOf(chunk) === undefined) {
            silent = false;
            return [];
          }
          return undefined;
        };
      }),
  },
  {
    name: 'final-session-of-the-latest-stream',
    quote: 'one final chunk with empty `choices` that carries `session_id`',
    wrong: ({ stream }) => {
      const latest = new Map<string, { readonly number: number; session?: unknown }>();
      let streams = 0;
      return stream(({ id }) => {
        streams += 1;
        const mine = { number: streams };
        latest.set(id, mine);
        return (_, chunk) => {
          if (!isFinal(chunk)) return undefined;
          const last = latest.get(id);
          if (last !== undefined && last.number > mine.number && last.session !== undefined)
            return { ...chunk, session_id: last.session };
          if (last !== undefined) last.session ??= chunk.session_id;
          return undefined;
        };
      });
    },
  },
  {
    name: 'busy-session-409',
    quote: 'When a prompt is sent to a session that already has a run going, the prompt is delivered into that run',
    wrong: ({ later }) =>
      later('chat', ({ status }) =>
        status === 202 ? failed(409, 'Session is busy', 'session_busy', true) : undefined,
      ),
  },
  {
    name: 'second-steer-queued',
    quote: 'the prompt is delivered into that run, and the reported status is steered.',
    wrong: ({ ok }) => {
      const steered = new Map<unknown, number>();
      const edit = ok('chat invoke', (body, call) => {
        if (body.status !== 'steered') return;
        const session = call.body.session_id;
        const count = (steered.get(session) ?? 0) + 1;
        steered.set(session, count);
        if (count > 1) body.status = 'queued';
      });
      return async (call, next) => {
        const response = await next();
        return response.status === 202 ? edit(call, async () => response) : response;
      };
    },
  },
  {
    name: 'done-quoted-after-answer',
    quote: 'ending with `data: [DONE]`',
    wrong: ({ stream }) =>
      stream((call) => (event) => (isAnswer(call) && isDone(event) ? 'data: "[DONE]"' : undefined)),
  },
  {
    name: 'two-questions-at-once',
    quote: 'the stream emits one tool call named `service.provide_input`',
    wrong: ({ stream }) =>
      stream(() => (_, chunk) => {
        const [first] = toolCallsOf(chunk);
        if (chunk === undefined || first === undefined || typeof first.id !== 'string') return undefined;
        const delta = { ...chunk.choices[0]?.delta, tool_calls: [first, { ...first, index: 1, id: `${first.id}-2` }] };
        return withChoice(chunk, { delta });
      }),
  },
];
