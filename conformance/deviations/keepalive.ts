import type { Alterable, Alterations } from './alterations.js';
import { defineDeviations, together } from './deviation.js';

type BodyMaker = Alterable['body'];
type BodyOptions = Parameters<BodyMaker>[0];

/** Changes the stream that is the body of a reply. */
const streams = (
  change: (stream: ReadableStream<Uint8Array>, options: BodyOptions) => ReadableStream<Uint8Array>,
): Alterations => ({
  body: (create) => (options) => {
    const body = create(options);
    return typeof body === 'string' ? body : change(body, options);
  },
});

/** Changes the pieces of a stream; nothing leaves one out. */
const pieces = (begin: () => (text: string) => string | undefined): Alterations =>
  streams((stream) => {
    const change = begin();
    const reader = stream.getReader();
    return new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          for (;;) {
            const { done, value } = await reader.read();
            if (done) return controller.close();
            const text = change(new TextDecoder().decode(value));
            if (text === undefined) continue;
            return controller.enqueue(new TextEncoder().encode(text));
          }
        },
        cancel: (reason) => reader.cancel(reason),
      },
      { highWaterMark: 0 },
    );
  });

const BEAT = ': keepalive\n\n';

/** Changes the time after which a silent stream carries a keepalive, ms. */
const beats = (after: (options: BodyOptions) => number): Alterations => ({
  body: (create) => (options) => create({ ...options, keepalive: () => after(options) }),
});

export const KEEPALIVE = defineDeviations([
  {
    name: 'keepalive-every-15-seconds',
    requirement: 'CHAT-11',
    description: 'A keepalive comes after 15 seconds.',
    alters: beats(() => 15_000),
    caughtBy: [
      'keepalive/after-30-seconds',
      'keepalive/to-the-millisecond',
      'keepalive/between-events',
      'keepalive/not-while-active',
      'keepalive/after-an-answer',
      'chat/keepalive-in-silence',
    ],
  },
  {
    name: 'keepalive-every-minute',
    requirement: 'CHAT-11',
    description: 'A keepalive comes after a minute.',
    alters: beats(() => 60_000),
    caughtBy: [
      'keepalive/after-30-seconds',
      'keepalive/to-the-millisecond',
      'keepalive/between-events',
      'keepalive/before-first-word',
      'keepalive/after-an-answer',
      'keepalive/every-stream',
      'chat/keepalive-in-silence',
    ],
  },
  {
    name: 'keepalive-three-milliseconds-late',
    requirement: 'CHAT-11',
    description: 'A keepalive comes after 30.003 seconds.',
    alters: beats(() => 30_003),
    caughtBy: ['keepalive/to-the-millisecond'],
  },
  {
    name: 'keepalive-by-another-word',
    requirement: 'CHAT-11',
    description: 'The comment says ping.',
    alters: pieces(() => (text) => (text === BEAT ? ': ping\n\n' : text)),
    caughtBy: ['keepalive/after-30-seconds', 'keepalive/before-first-word', 'chat/keepalive-in-silence'],
  },
  {
    name: 'keepalive-as-an-event',
    requirement: 'CHAT-11',
    description: 'The sign of life is an empty chunk.',
    alters: pieces(() => (text) => (text === BEAT ? 'data: {"choices":[]}\n\n' : text)),
    caughtBy: ['keepalive/after-30-seconds', 'keepalive/every-stream', 'chat/keepalive-in-silence'],
  },
  {
    name: 'keepalive-only-once',
    requirement: 'CHAT-11',
    description: 'A stream carries one keepalive at most.',
    alters: pieces(() => {
      let beaten = false;
      return (text) => {
        const again = beaten && text === BEAT;
        beaten ||= text === BEAT;
        return again ? undefined : text;
      };
    }),
    caughtBy: ['keepalive/after-30-seconds', 'keepalive/between-events'],
  },
  {
    name: 'keepalive-whatever-is-written',
    requirement: 'CHAT-11',
    description: 'A keepalive comes every 30 seconds, also while the intern speaks.',
    alters: () => {
      let every: (ms: number, then: () => void) => void = () => {};
      return together(
        {
          clock(clock) {
            every = (ms, then) => void clock.timer(ms, then);
            return clock;
          },
        },
        streams((stream) => {
          const reader = stream.getReader();
          let over = false;
          return new ReadableStream<Uint8Array>({
            start(controller) {
              const beat = () => {
                if (over) return;
                controller.enqueue(new TextEncoder().encode(BEAT));
                every(30_000, beat);
              };
              every(30_000, beat);
              void (async () => {
                for (;;) {
                  const { done, value } = await reader.read();
                  if (over) return;
                  if (done) break;
                  if (new TextDecoder().decode(value) !== BEAT) controller.enqueue(value);
                }
                over = true;
                controller.close();
              })();
            },
            cancel(reason) {
              over = true;
              return reader.cancel(reason);
            },
          });
        }),
      );
    },
    caughtBy: ['keepalive/not-while-active'],
  },
  {
    name: 'keepalive-only-after-a-word',
    requirement: 'CHAT-11',
    description: 'No keepalive comes before the intern has said something.',
    alters: pieces(() => {
      let said = false;
      return (text) => {
        said ||= text.includes('"content":"') && !text.includes('"content":""');
        return text === BEAT && !said ? undefined : text;
      };
    }),
    caughtBy: ['keepalive/before-first-word'],
  },
  {
    name: 'keepalive-not-after-an-answer',
    requirement: 'CHAT-11',
    description: 'A stream that goes on after an answer carries no keepalive.',
    alters: () => {
      const asked = new Set<string>();
      return streams((stream, options) => {
        const session = (options.source as { sessionId?: string }).sessionId ?? '';
        const again = asked.has(session);
        asked.add(session);
        const reader = stream.getReader();
        return new ReadableStream<Uint8Array>(
          {
            async pull(controller) {
              for (;;) {
                const { done, value } = await reader.read();
                if (done) return controller.close();
                if (again && new TextDecoder().decode(value) === BEAT) continue;
                return controller.enqueue(value);
              }
            },
            cancel: (reason) => reader.cancel(reason),
          },
          { highWaterMark: 0 },
        );
      });
    },
    caughtBy: ['keepalive/after-an-answer'],
  },
  {
    name: 'keepalive-of-one-stream',
    requirement: 'CHAT-11',
    description: 'Of several silent streams only the newest carries keepalives.',
    alters: () => {
      let newest: unknown;
      return streams((stream, options) => {
        newest = options;
        const reader = stream.getReader();
        return new ReadableStream<Uint8Array>(
          {
            async pull(controller) {
              for (;;) {
                const { done, value } = await reader.read();
                if (done) return controller.close();
                if (newest !== options && new TextDecoder().decode(value) === BEAT) continue;
                return controller.enqueue(value);
              }
            },
            cancel: (reason) => reader.cancel(reason),
          },
          { highWaterMark: 0 },
        );
      });
    },
    caughtBy: ['keepalive/every-stream'],
  },
  {
    name: 'keepalive-splits-an-event',
    requirement: 'CHAT-11',
    description: 'A keepalive stands between the lines of an event.',
    alters: pieces(() => {
      let due = false;
      return (text) => {
        if (text === BEAT) {
          due = true;
          return undefined;
        }
        if (!due) return text;
        due = false;
        return text.replace(/^(data: .*)\n\n/, '$1\n: keepalive\n\n');
      };
    }),
    caughtBy: ['keepalive/between-events', 'keepalive/after-30-seconds'],
  },
]);
