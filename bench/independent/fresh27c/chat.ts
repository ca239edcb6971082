import { isJson, type Json } from '../call.js';
import type { Way } from '../world.js';
import { callOf, contentOf, finishOf, isFinal, replyOf, sessionOf } from './tools.js';

const AFTER_ALL =
  'After every response, whether it ends with `stop`, `tool_calls` or `error`, one final chunk with empty `choices` that carries `session_id`, then `data: [DONE]`.';
const USAGE = 'The final chunk carries the `usage` that the intern reported for the run after `stop` or `error`.';
const KEEPALIVE = 'A comment line `: keepalive` is written whenever nothing else has been written for 30 seconds.';
const RUN_ENDED =
  'the stream ends with a chunk with `finish_reason: error` that carries code 410 and reason `run_ended`, then the final empty-choices chunk and `[DONE]`.';

export const chat: readonly Way[] = [
  // plain
  {
    name: 'stream-typed-as-lines',
    quote: 'The chat stream (`Content-Type` of a server-sent event stream) carries these elements in order:',
    wrong: (w) =>
      w.head('chat', (headers) => {
        if (headers.get('content-type')?.startsWith('text/event-stream'))
          headers.set('content-type', 'application/x-ndjson');
      }),
  },
  // plain
  {
    name: 'stop-without-done',
    quote: AFTER_ALL,
    wrong: (w) =>
      w.stream(() => {
        let stopped = false;
        return (event, chunk) => {
          if (finishOf(chunk) === 'stop') stopped = true;
          return stopped && event.startsWith('data: [DONE]') ? [] : undefined;
        };
      }),
  },
  // plain
  {
    name: 'final-chunk-before-finish',
    quote: AFTER_ALL,
    wrong: (w) =>
      w.stream(() => {
        let held: string | undefined;
        return (event, chunk) => {
          if (finishOf(chunk) === 'stop') {
            held = event;
            return [];
          }
          return isFinal(chunk) && held !== undefined ? [event, held] : undefined;
        };
      }),
  },
  // plain
  {
    name: 'two-final-chunks',
    quote: AFTER_ALL,
    wrong: (w) => w.stream(() => (event, chunk) => (isFinal(chunk) ? [event, event] : undefined)),
  },
  // plain
  {
    name: 'session-anywhere-but-at-the-end',
    quote: AFTER_ALL,
    wrong: (w) =>
      w.stream(() => {
        let asked = false;
        let session: unknown;
        return (_, chunk) => {
          if (callOf(chunk) !== undefined) asked = true;
          if (!isFinal(chunk) || asked) return undefined;
          const { session_id, ...rest } = chunk;
          session = session_id;
          return { ...rest, choices: [], id: session };
        };
      }),
  },
  // subtle
  {
    name: 'usage-adds-up-in-a-session',
    quote: USAGE,
    wrong: (w) => {
      const sums = new Map<unknown, Json>();
      return w.stream(() => (_, chunk) => {
        if (!isFinal(chunk) || !isJson(chunk.usage)) return undefined;
        const before = sums.get(chunk.session_id) ?? {};
        const usage = Object.fromEntries(
          Object.entries(chunk.usage).map(([name, count]) => [name, Number(count) + Number(before[name] ?? 0)]),
        );
        sums.set(chunk.session_id, usage);
        return { ...chunk, usage };
      });
    },
  },
  // state
  {
    name: 'usage-of-zeros-for-none',
    quote: 'It carries `null` when the intern reported none.',
    wrong: (w) =>
      w.stream(() => {
        let finish: string | null = null;
        return (_, chunk) => {
          finish = finishOf(chunk) ?? finish;
          return isFinal(chunk) && chunk.usage === null && finish === 'stop'
            ? { ...chunk, usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } }
            : undefined;
        };
      }),
  },
  // state
  {
    name: 'usage-lost-with-an-error',
    quote: USAGE,
    wrong: (w) =>
      w.stream(() => {
        let finish: string | null = null;
        return (_, chunk) => {
          finish = finishOf(chunk) ?? finish;
          return isFinal(chunk) && finish === 'error' ? { ...chunk, usage: null } : undefined;
        };
      }),
  },
  // state
  {
    name: 'usage-lost-after-a-pause',
    quote: USAGE,
    wrong: (w) =>
      w.stream(
        (call) => (_, chunk) => (isFinal(chunk) && replyOf(call) !== undefined ? { ...chunk, usage: null } : undefined),
      ),
  },
  // subtle
  {
    name: 'every-other-keepalive',
    quote: KEEPALIVE,
    wrong: (w) =>
      w.stream(() => {
        let count = 0;
        return (event) => {
          if (!event.startsWith(': keepalive')) return undefined;
          count += 1;
          return count % 2 === 0 ? [] : undefined;
        };
      }),
  },
  // state
  {
    name: 'no-keepalive-after-a-pause',
    quote: KEEPALIVE,
    wrong: (w) =>
      w.stream((call) => (event) => (event.startsWith(': keepalive') && replyOf(call) !== undefined ? [] : undefined)),
  },
  // plain
  {
    name: 'keepalive-as-a-chunk',
    quote: KEEPALIVE,
    wrong: (w) =>
      w.stream(
        () => (event) =>
          event.startsWith(': keepalive')
            ? 'data: {"choices":[{"index":0,"delta":{},"finish_reason":null}]}'
            : undefined,
      ),
  },
  // plain
  {
    name: 'run-ended-without-choice',
    quote: RUN_ENDED,
    wrong: (w) =>
      w.stream(() => (_, chunk) => {
        if (chunk?.error?.metadata?.reason !== 'run_ended') return undefined;
        const { choices: _choices, ...rest } = chunk;
        return `event: error\ndata: ${JSON.stringify(rest)}`;
      }),
  },
  // state
  {
    name: 'severed-reported-as-ended',
    quote: 'This error reports only an ending that the intern confirmed.',
    wrong: (w) =>
      w.stream(() => (_, chunk) => {
        const error = chunk?.error;
        if (chunk === undefined || error?.metadata?.reason !== 'stream_severed') return undefined;
        return {
          ...chunk,
          error: { ...error, code: 410, metadata: { ...error.metadata, reason: 'run_ended', retryable: false } },
        };
      }),
  },
  // plain
  {
    name: 'long-replies-end-with-length',
    quote: 'The run ends in one of three finish reasons: `stop`, `tool_calls`, `error`.',
    wrong: (w) =>
      w.stream(() => {
        let words = 0;
        return (event, chunk) => {
          if (contentOf(chunk) !== '') words += 1;
          return words > 5 && finishOf(chunk) === 'stop'
            ? event.replace('"finish_reason":"stop"', '"finish_reason":"length"')
            : undefined;
        };
      }),
  },
  // subtle
  {
    name: 'last-word-after-stop',
    quote:
      'streams the reply as server-sent events in the common chat-completion chunk format (`choices`, `finish_reason`), ending with `data: [DONE]`.',
    wrong: (w) =>
      w.stream(() => {
        let held: string | undefined;
        return (event, chunk) => {
          const before = held;
          held = contentOf(chunk) === '' ? undefined : event;
          if (finishOf(chunk) === 'stop' && before !== undefined) return [event, before];
          const said = [...(before === undefined ? [] : [before]), ...(held === undefined ? [event] : [])];
          return said.length === 1 && said[0] === event ? undefined : said;
        };
      }),
  },
  // state
  {
    name: 'leaving-after-a-pause-unnoticed',
    quote: 'Disconnecting while a response is still streaming cancels the run.',
    wrong: (w) => async (call, next) => {
      if (replyOf(call) === undefined) return next();
      const { method, headers } = call.request;
      const response = await next(new Request(call.url, { method, headers, body: call.text }));
      if (!response.ok || response.body === null) return response;
      const reader = response.body.getReader();
      const drain = async (): Promise<void> => {
        while (!(await reader.read()).done);
      };
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        },
        cancel() {
          w.hit();
          drain().catch(() => undefined);
        },
      });
      return new Response(body, { status: response.status, headers: response.headers });
    },
  },
  // state
  {
    name: 'after-a-pause-from-the-start',
    quote: 'The answer is delivered to the run that asked, and the stream continues from where it paused.',
    wrong: (w) => {
      const said = new Map<string, string[]>();
      return w.stream((call) => {
        const words: string[] = [];
        let before = replyOf(call) === undefined ? undefined : said.get(sessionOf(call));
        return (event, chunk) => {
          if (contentOf(chunk) !== '') words.push(event);
          if (isFinal(chunk)) said.set(String(chunk.session_id), words);
          if (before === undefined || (contentOf(chunk) === '' && finishOf(chunk) === null)) return undefined;
          const all = [...before, event];
          before = undefined;
          return all;
        };
      });
    },
  },
  {
    name: 'chunks-without-a-space',
    quote: 'streams the reply as server-sent events in the common chat-completion chunk format',
    lawful: true,
    wrong: (w) =>
      w.stream(() => (event, chunk) => (chunk === undefined ? undefined : event.replace(/^data: /, 'data:'))),
  },
];
