import type { Chunk } from '../answers.js';
import type { Json } from '../call.js';
import { callsOf, finishOf, isFinal } from './chat.js';
import { type Area, isReply } from './form.js';

const FINAL =
  'After every response, whether it ends with `stop`, `tool_calls` or `error`, one final chunk with empty `choices` that carries `session_id`, then `data: [DONE]`.';
const KEEPALIVE = 'A comment line `: keepalive` is written whenever nothing else has been written for 30 seconds.';
const FINISH = 'The run ends in one of three finish reasons: `stop`, `tool_calls`, `error`.';
const FORMAT =
  'streams the reply as server-sent events in the common chat-completion chunk format (`choices`, `finish_reason`), ending with `data: [DONE]`.';
const ENDED =
  'the stream ends with a chunk with `finish_reason: error` that carries code 410 and reason `run_ended`, then the final empty-choices chunk and `[DONE]`.';

const firstOf = (chunk: Chunk | undefined) => chunk?.choices?.[0];
const hasEnded = (chunk: Chunk | undefined) => chunk?.error?.metadata?.reason === 'run_ended';

export const streams: Area = {
  'keepalive-each-minute': {
    quote: KEEPALIVE,
    wrong: ({ stream }) =>
      stream(() => {
        let count = 0;
        return (event) => {
          if (!event.startsWith(': keepalive')) return undefined;
          count += 1;
          return count % 2 === 1 ? [] : undefined;
        };
      }),
  },
  'keepalive-until-the-first-words': {
    quote: KEEPALIVE,
    wrong: ({ stream }) =>
      stream(() => {
        let said = false;
        return (event, chunk) => {
          if (chunk !== undefined) said = true;
          return said && event.startsWith(':') ? [] : undefined;
        };
      }),
  },
  'keepalive-not-after-answers': {
    quote: KEEPALIVE,
    wrong: ({ stream }) =>
      stream((call) => (event) => (isReply(call) && event.startsWith(': keepalive') ? [] : undefined)),
  },
  'keepalive-as-an-event': {
    quote: KEEPALIVE,
    wrong: ({ stream }) =>
      stream(() => (event) => (event.startsWith(': keepalive') ? 'event: keepalive\ndata: {}' : undefined)),
  },
  'keepalive-three-times-only': {
    quote: KEEPALIVE,
    wrong: ({ stream }) =>
      stream(() => {
        let count = 0;
        return (event) => {
          if (!event.startsWith(': keepalive')) return undefined;
          count += 1;
          return count > 3 ? [] : undefined;
        };
      }),
  },
  'final-with-an-empty-choice': {
    quote: FINAL,
    wrong: ({ stream }) =>
      stream(
        () => (_, chunk) =>
          isFinal(chunk)
            ? ({ ...chunk, choices: [{ index: 0, delta: {}, finish_reason: null }] } as unknown as Chunk)
            : undefined,
      ),
  },
  'final-before-the-pause': {
    quote:
      'The `session_id` needed to reply arrives after the `tool_calls` finish chunk, so the client reads through `[DONE]`.',
    wrong: ({ stream }) =>
      stream(() => {
        let held: Chunk | undefined;
        return (_, chunk) => {
          if (chunk !== undefined && finishOf(chunk) === 'tool_calls') {
            held = chunk;
            return [];
          }
          return held !== undefined && isFinal(chunk) ? [chunk, held] : undefined;
        };
      }),
  },
  'final-twice': {
    quote: FINAL,
    wrong: ({ stream }) => stream(() => (_, chunk) => (isFinal(chunk) ? [chunk, chunk] : undefined)),
  },
  'final-lost-after-answers': {
    quote: FINAL,
    wrong: ({ stream }) => stream((call) => (_, chunk) => (isReply(call) && isFinal(chunk) ? [] : undefined)),
  },
  'final-session-null-after-error': {
    quote: FINAL,
    wrong: ({ stream }) =>
      stream(() => {
        let bad = false;
        return (_, chunk) => {
          if (finishOf(chunk) === 'error') bad = true;
          return bad && isFinal(chunk) ? { ...chunk, session_id: null } : undefined;
        };
      }),
  },
  'final-usage-lost-after-error': {
    quote:
      'The final chunk carries the `usage` that the intern reported for the run after `stop` or `error`. It carries `null` when the intern reported none.',
    wrong: ({ stream }) =>
      stream(() => {
        let bad = false;
        return (_, chunk) => {
          if (finishOf(chunk) === 'error') bad = true;
          if (!bad || !isFinal(chunk)) return undefined;
          const { usage: _usage, ...rest } = chunk;
          return rest as Chunk;
        };
      }),
  },
  'usage-on-the-stop-chunk': {
    quote: 'The final chunk carries the `usage` that the intern reported for the run after `stop` or `error`.',
    wrong: ({ stream }) =>
      stream(() => {
        let held: Chunk | undefined;
        return (_, chunk) => {
          if (chunk !== undefined && finishOf(chunk) === 'stop') {
            held = chunk;
            return [];
          }
          if (held === undefined || !isFinal(chunk)) return undefined;
          const { usage, ...rest } = chunk;
          return [{ ...held, usage }, rest as Chunk];
        };
      }),
  },
  'usage-of-the-pause-when-known': {
    quote: 'After `tool_calls` its `usage` is `null`, because the turn is not over.',
    wrong: (world) => {
      let last: unknown;
      return world.stream((call) => {
        let asks = false;
        return (_, chunk) => {
          if (finishOf(chunk) === 'tool_calls') asks = true;
          if (!isFinal(chunk)) return undefined;
          if (!asks && chunk.usage !== null) last = chunk.usage;
          return asks && isReply(call) && last !== undefined ? { ...chunk, usage: last } : undefined;
        };
      });
    },
  },
  'done-lost-after-answers': {
    quote: FORMAT,
    wrong: ({ stream }) =>
      stream((call) => (event) => (isReply(call) && event.startsWith('data: [DONE]') ? [] : undefined)),
  },
  'done-before-the-final': {
    quote: FINAL,
    wrong: ({ stream }) =>
      stream(() => {
        let held: Chunk | undefined;
        return (event, chunk) => {
          if (isFinal(chunk)) {
            held = chunk;
            return [];
          }
          return held !== undefined && event.startsWith('data: [DONE]') ? [event, held] : undefined;
        };
      }),
  },
  'done-as-json-after-error': {
    quote: ENDED,
    wrong: ({ stream }) =>
      stream(() => {
        let bad = false;
        return (event, chunk) => {
          if (finishOf(chunk) === 'error') bad = true;
          return bad && event.startsWith('data: [DONE]') ? 'data: "[DONE]"' : undefined;
        };
      }),
  },
  'long-reply-ends-in-length': {
    quote: FINISH,
    wrong: ({ stream }) =>
      stream(() => {
        let pieces = 0;
        return (_, chunk) => {
          const first = firstOf(chunk);
          if (typeof first?.delta?.content === 'string' && first.delta.content !== '') pieces += 1;
          if (chunk === undefined || first?.finish_reason !== 'stop' || pieces < 4) return undefined;
          return { ...chunk, choices: [{ ...first, finish_reason: 'length' }] };
        };
      }),
  },
  'answered-run-ends-in-end-turn': {
    quote: FINISH,
    wrong: ({ stream }) =>
      stream((call) => (_, chunk) => {
        const first = firstOf(chunk);
        return isReply(call) && chunk !== undefined && first?.finish_reason === 'stop'
          ? { ...chunk, choices: [{ ...first, finish_reason: 'end_turn' }] }
          : undefined;
      }),
  },
  'question-finishes-not': {
    quote:
      'the stream emits one tool call named `service.provide_input` and finishes with `finish_reason: tool_calls`.',
    wrong: ({ stream }) =>
      stream(() => (_, chunk) => {
        const first = firstOf(chunk);
        return chunk !== undefined && first?.finish_reason === 'tool_calls'
          ? { ...chunk, choices: [{ ...first, finish_reason: null }] }
          : undefined;
      }),
  },
  'question-in-two-calls': {
    quote:
      'the stream emits one tool call named `service.provide_input` and finishes with `finish_reason: tool_calls`.',
    wrong: ({ stream }) =>
      stream(() => (_, chunk) => {
        const calls = callsOf(chunk);
        const only = calls.find(({ id }) => typeof id === 'string');
        if (chunk === undefined || only === undefined) return undefined;
        calls.push({ ...only, index: 1, id: `${String(only.id)}b` });
        return chunk;
      }),
  },
  'second-question-named-otherwise': {
    quote:
      'the stream emits one tool call named `service.provide_input` and finishes with `finish_reason: tool_calls`.',
    wrong: ({ stream }) =>
      stream((call) => (_, chunk) => {
        const calls = callsOf(chunk);
        if (!isReply(call) || chunk === undefined || calls.length === 0) return undefined;
        for (const one of calls) {
          const asked = one.function as Json | undefined;
          if (typeof asked?.name === 'string') asked.name = asked.name.replace('.', '_');
        }
        return chunk;
      }),
  },
  'words-repeated-from-the-start': {
    quote: FORMAT,
    wrong: ({ stream }) =>
      stream(() => {
        let all = '';
        return (_, chunk) => {
          const delta = firstOf(chunk)?.delta;
          if (chunk === undefined || typeof delta?.content !== 'string') return undefined;
          all += delta.content;
          delta.content = all;
          return chunk;
        };
      }),
  },
  'words-after-the-end': {
    quote: FINISH,
    wrong: ({ stream }) =>
      stream(() => {
        let held: Chunk | undefined;
        return (_, chunk) => {
          const first = firstOf(chunk);
          if (chunk !== undefined && typeof first?.delta?.content === 'string' && first.delta.content !== '') {
            if (held === undefined) {
              held = chunk;
              return [];
            }
            const before = held;
            held = chunk;
            return [before];
          }
          if (held === undefined) return undefined;
          if (chunk === undefined) return undefined;
          const before = held;
          held = undefined;
          return first?.finish_reason === 'stop' ? [chunk, before] : [before, chunk];
        };
      }),
  },
  'answered-stream-tells-all-again': {
    quote: 'The answer is delivered to the run that asked, and the stream continues from where it paused.',
    wrong: (world) => {
      const spoken = new Map<string, Chunk[]>();
      return world.stream((call) => {
        const words: Chunk[] = [];
        let begun = !isReply(call);
        return (_, chunk) => {
          if (chunk === undefined) return undefined;
          if (typeof firstOf(chunk)?.delta?.content === 'string') words.push(chunk);
          if (isFinal(chunk)) spoken.set(String(chunk.session_id), words);
          if (begun) return undefined;
          begun = true;
          const before = spoken.get(String(call.body.session_id)) ?? [];
          return before.length > 0 ? [...before, chunk] : undefined;
        };
      });
    },
  },
  'deadline-ends-in-408': {
    quote: ENDED,
    wrong: (world) =>
      world.stream(() => {
        const start = world.setting.host.now();
        return (_, chunk) => {
          if (chunk === undefined || !hasEnded(chunk) || world.setting.host.now() - start < 20_000) return undefined;
          return { ...chunk, error: { ...chunk.error, code: 408 } };
        };
      }),
  },
  'run-ended-without-reason': {
    quote: ENDED,
    wrong: ({ stream }) =>
      stream(() => (_, chunk) => {
        if (chunk === undefined || !hasEnded(chunk)) return undefined;
        const { metadata: _metadata, ...rest } = chunk.error ?? {};
        return { ...chunk, error: rest };
      }),
  },
  'run-ended-without-final': {
    quote: ENDED,
    wrong: ({ stream }) =>
      stream(() => {
        let ended = false;
        return (_, chunk) => {
          if (hasEnded(chunk)) ended = true;
          return ended && isFinal(chunk) ? [] : undefined;
        };
      }),
  },
  'run-ended-in-the-midst-cut-off': {
    quote: ENDED,
    wrong: ({ stream }) =>
      stream(() => {
        let words = false;
        let cut = false;
        return (_, chunk) => {
          if (typeof firstOf(chunk)?.delta?.content === 'string') words = true;
          if (words && hasEnded(chunk)) cut = true;
          return cut ? [] : undefined;
        };
      }),
  },
};
