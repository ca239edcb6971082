import type { Chunk, Said } from '../answers.js';
import { callsOf, contentOf, type Fresh, finishOf, isDone, isFinal, isReply, reasonOf } from './shared.js';

const ENDING =
  'After every response, whether it ends with `stop`, `tool_calls` or `error`, one final chunk with empty `choices` that carries `session_id`, then `data: [DONE]`.';
const FORMAT =
  'streams the reply as server-sent events in the common chat-completion chunk format (`choices`, `finish_reason`), ending with `data: [DONE]`';
const REASONS = 'The run ends in one of three finish reasons: `stop`, `tool_calls`, `error`.';
const USAGE = 'The final chunk carries the `usage` that the intern reported for the run after `stop` or `error`.';
const ALIVE = 'A comment line `: keepalive` is written whenever nothing else has been written for 30 seconds.';
const ENDED =
  'the stream ends with a chunk with `finish_reason: error` that carries code 410 and reason `run_ended`, then the final empty-choices chunk and `[DONE]`';

/** The chunk with another finish reason. */
const finished = (chunk: Chunk, finish_reason: string | null): Chunk => ({
  ...chunk,
  choices: chunk.choices.map((choice) => ({ ...choice, finish_reason })),
});
const without = (chunk: Chunk, key: string): Chunk => {
  const { [key]: _, ...rest } = chunk;
  return rest as Chunk;
};

export const chunks: Fresh = {
  'session-missing-after-stop': {
    quote: ENDING,
    wrong: (w) =>
      w.stream(() => {
        let stopped = false;
        return (_, chunk): Said => {
          if (finishOf(chunk) === 'stop') stopped = true;
          return stopped && isFinal(chunk) ? without(chunk, 'session_id') : undefined;
        };
      }),
  },
  'final-before-the-finish': {
    quote: ENDING,
    wrong: (w) =>
      w.stream(() => {
        let held: Chunk | undefined;
        return (_, chunk): Said => {
          if (chunk !== undefined && finishOf(chunk) === 'stop') {
            held = chunk;
            return [];
          }
          return held !== undefined && isFinal(chunk) ? [chunk, held] : undefined;
        };
      }),
  },
  'done-before-the-final-of-a-question': {
    quote:
      'The `session_id` needed to reply arrives after the `tool_calls` finish chunk, so the client reads through `[DONE]`.',
    wrong: (w) =>
      w.stream(() => {
        let asked = false;
        let held: Chunk | undefined;
        return (event, chunk): Said => {
          if (finishOf(chunk) === 'tool_calls') asked = true;
          if (asked && isFinal(chunk)) {
            held = chunk;
            return [];
          }
          return held !== undefined && isDone(event) ? [event, held] : undefined;
        };
      }),
  },
  'done-as-an-event': {
    quote: FORMAT,
    wrong: (w) => w.stream(() => (event) => (isDone(event) ? 'event: done\ndata: {}' : undefined)),
  },
  'done-missing-after-a-reply': {
    quote: ENDING,
    wrong: (w) =>
      w.stream(
        ({ body }) =>
          (event) =>
            isReply(body) && isDone(event) ? [] : undefined,
      ),
  },
  'final-with-one-empty-choice-after-a-question': {
    quote: ENDING,
    wrong: (w) =>
      w.stream(() => {
        let asked = false;
        return (_, chunk): Said => {
          if (finishOf(chunk) === 'tool_calls') asked = true;
          return asked && isFinal(chunk) ? { ...chunk, choices: [{ delta: {}, finish_reason: null }] } : undefined;
        };
      }),
  },
  'session-of-a-question-in-the-finish-only': {
    quote: ENDING,
    wrong: (w) =>
      w.stream(() => {
        let held: Chunk | undefined;
        return (_, chunk): Said => {
          if (chunk !== undefined && finishOf(chunk) === 'tool_calls') {
            held = chunk;
            return [];
          }
          if (held === undefined || !isFinal(chunk)) return undefined;
          return [{ ...held, session_id: chunk.session_id }, without(chunk, 'session_id')];
        };
      }),
  },
  'final-twice': {
    quote: ENDING,
    wrong: (w) =>
      w.stream(
        ({ body }) =>
          (_, chunk) =>
            isReply(body) && isFinal(chunk) ? [chunk, chunk] : undefined,
      ),
  },
  'usage-on-the-finish': {
    quote: USAGE,
    wrong: (w) =>
      w.stream(() => {
        let held: Chunk | undefined;
        return (_, chunk): Said => {
          if (chunk !== undefined && finishOf(chunk) === 'stop') {
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
  'usage-adds-up-over-the-session': {
    quote: USAGE,
    wrong: (w) => {
      const sums = new Map<unknown, Record<string, number>>();
      return w.stream(() => (_, chunk): Said => {
        if (!isFinal(chunk) || typeof chunk.usage !== 'object' || chunk.usage === null) return undefined;
        const before = sums.get(chunk.session_id) ?? {};
        const sum: Record<string, number> = {};
        for (const [key, value] of Object.entries(chunk.usage))
          if (typeof value === 'number') sum[key] = value + (before[key] ?? 0);
        sums.set(chunk.session_id, sum);
        return { ...chunk, usage: { ...chunk.usage, ...sum } };
      });
    },
  },
  'usage-null-after-a-reply': {
    quote: USAGE,
    wrong: (w) =>
      w.stream(
        ({ body }) =>
          (_, chunk) =>
            isReply(body) && isFinal(chunk) ? { ...chunk, usage: null } : undefined,
      ),
  },
  'usage-null-after-an-error': {
    quote: USAGE,
    wrong: (w) =>
      w.stream(() => {
        let bad = false;
        return (_, chunk): Said => {
          if (finishOf(chunk) === 'error') bad = true;
          return bad && isFinal(chunk) ? { ...chunk, usage: null } : undefined;
        };
      }),
  },
  'usage-zeroes-for-none': {
    quote: 'It carries `null` when the intern reported none.',
    wrong: (w) =>
      w.stream(() => {
        let asked = false;
        return (_, chunk): Said => {
          if (finishOf(chunk) === 'tool_calls') asked = true;
          return !asked && isFinal(chunk) && chunk.usage === null
            ? { ...chunk, usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } }
            : undefined;
        };
      }),
  },
  'finish-end-turn': {
    quote: REASONS,
    wrong: (w) =>
      w.stream(
        () => (_, chunk) =>
          chunk !== undefined && finishOf(chunk) === 'stop' ? finished(chunk, 'end_turn') : undefined,
      ),
  },
  'finish-cancelled': {
    quote: REASONS,
    wrong: (w) =>
      w.stream(
        () => (_, chunk) =>
          chunk !== undefined && finishOf(chunk) === 'error' ? finished(chunk, 'cancelled') : undefined,
      ),
  },
  'finish-stop-on-every-chunk-of-a-reply': {
    quote: REASONS,
    wrong: (w) =>
      w.stream(
        ({ body }) =>
          (_, chunk) =>
            isReply(body) && chunk !== undefined && contentOf(chunk) !== '' && finishOf(chunk) === undefined
              ? finished(chunk, 'stop')
              : undefined,
      ),
  },
  'content-in-message': {
    quote: FORMAT,
    wrong: (w) =>
      w.stream(() => (_, chunk): Said => {
        if (chunk === undefined || contentOf(chunk) === '') return undefined;
        const choices = chunk.choices.map(({ delta, ...rest }) => ({ ...rest, delta: {}, message: delta }));
        return { ...chunk, choices };
      }),
  },
  'question-arguments-an-object': {
    quote: FORMAT,
    wrong: (w) =>
      w.stream(() => (event, chunk): Said => {
        if (callsOf(chunk).length === 0) return undefined;
        const opened = event.replace(/"arguments":("(?:[^"\\]|\\.)*")/, (_, text: string) => {
          try {
            return `"arguments":${JSON.stringify(JSON.parse(JSON.parse(text) as string))}`;
          } catch {
            return `"arguments":{}`;
          }
        });
        return opened;
      }),
  },
  'question-asked-in-two-calls': {
    quote: 'the stream emits one tool call named `service.provide_input` and finishes with `finish_reason: tool_calls`',
    wrong: (w) =>
      w.stream(() => (_, chunk): Said => {
        const [call] = callsOf(chunk);
        if (chunk === undefined || call === undefined || typeof call.id !== 'string') return undefined;
        const second = { ...call, index: 1, id: `${call.id}-2` };
        const choices = chunk.choices.map((choice) => ({
          ...choice,
          delta: { ...choice.delta, tool_calls: [call, second] },
        }));
        return { ...chunk, choices };
      }),
  },
  'question-said-as-content': {
    quote: 'the stream emits one tool call named `service.provide_input` and finishes with `finish_reason: tool_calls`',
    wrong: (w) =>
      w.stream(() => (_, chunk): Said => {
        if (chunk === undefined || callsOf(chunk).length === 0) return undefined;
        const choices = chunk.choices.map((choice) => ({ ...choice, delta: { content: 'The intern asks.' } }));
        return { ...chunk, choices };
      }),
  },
  'keepalive-once': {
    quote: ALIVE,
    wrong: (w) =>
      w.stream(() => {
        let written = 0;
        return (event) => (event.startsWith(': keepalive') && ++written > 1 ? [] : undefined);
      }),
  },
  'keepalive-not-in-replies': {
    quote: ALIVE,
    wrong: (w) =>
      w.stream(
        ({ body }) =>
          (event) =>
            isReply(body) && event.startsWith(': keepalive') ? [] : undefined,
      ),
  },
  'keepalive-as-an-empty-chunk': {
    quote: ALIVE,
    wrong: (w) => w.stream(() => (event) => (event.startsWith(': keepalive') ? 'data: {"choices":[]}' : undefined)),
  },
  'run-ended-called-cancelled': {
    quote: ENDED,
    wrong: (w) =>
      w.stream(
        () => (_, chunk) =>
          chunk?.error !== undefined && reasonOf(chunk) === 'run_ended'
            ? { ...chunk, error: { ...chunk.error, metadata: { ...chunk.error.metadata, reason: 'cancelled' } } }
            : undefined,
      ),
  },
  'run-ended-without-finish': {
    quote: ENDED,
    wrong: (w) =>
      w.stream(
        () => (_, chunk) =>
          chunk !== undefined && reasonOf(chunk) === 'run_ended' ? finished(chunk, null) : undefined,
      ),
  },
  'run-ended-dropped': {
    quote: ENDED,
    wrong: (w) => w.stream(() => (_, chunk) => (reasonOf(chunk) === 'run_ended' ? [] : undefined)),
  },
  'severed-called-run-ended': {
    quote: 'This error reports only an ending that the intern confirmed.',
    wrong: (w) =>
      w.stream(
        () => (_, chunk) =>
          chunk?.error !== undefined && reasonOf(chunk) === 'stream_severed'
            ? {
                ...chunk,
                error: { ...chunk.error, code: 410, metadata: { ...chunk.error.metadata, reason: 'run_ended' } },
              }
            : undefined,
      ),
  },
  'stream-typed-ndjson': {
    quote: 'The chat stream (`Content-Type` of a server-sent event stream) carries these elements in order',
    wrong: (w) =>
      w.head('chat', (headers, { body }, response) => {
        if (response.ok && !isReply(body) && /event-stream/.test(headers.get('content-type') ?? ''))
          headers.set('content-type', 'application/x-ndjson');
      }),
  },
};
