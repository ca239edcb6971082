import { rewritten } from '../../../emulator/wire/answer.js';
import { isStream } from '../../../emulator/wire/streams.js';
import type { Chunk } from '../answers.js';
import { parsed } from '../call.js';
import type { Way, World } from '../world.js';

const SECOND = 1_000;
const isComment = (piece: Uint8Array) => piece[0] === 0x3a;
const same = (response: Response, body: ReadableStream<Uint8Array>) =>
  new Response(body, { status: response.status, headers: response.headers });

/** A stream with a comment whenever nothing was written for so long; a keepalive is never due then. */
function pinged(from: ReadableStream<Uint8Array>, { setting: { host }, hit }: World): ReadableStream<Uint8Array> {
  const every = 10 * SECOND;
  const reader = from.getReader();
  let last = host.now();
  let over = false;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const tick = () => {
          if (over) return;
          if (host.now() - last >= every) {
            controller.enqueue(Buffer.from(': ping\n\n'));
            last = host.now();
            hit();
          }
          host.later(Math.max(1, last + every - host.now()), tick);
        };
        host.later(every, tick);
      },
      async pull(controller) {
        for (;;) {
          const { done, value } = await reader.read().catch((error: unknown) => {
            over = true;
            throw error;
          });
          over ||= done;
          if (done) return controller.close();
          if (Buffer.from(value).toString() === ': keepalive\n\n') continue;
          last = host.now();
          return controller.enqueue(value);
        }
      },
      cancel(reason) {
        over = true;
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/** A stream whose pieces of a second come together. A comment waits for nothing, so that no silence gets longer. */
function gathered(from: ReadableStream<Uint8Array>, { setting: { host }, hit }: World): ReadableStream<Uint8Array> {
  const reader = from.getReader();
  let pending: ReturnType<typeof reader.read> | undefined;
  const read = () => {
    pending ??= reader.read();
    return pending;
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const held: Uint8Array[] = [];
        let timer: Promise<undefined> | undefined;
        for (;;) {
          const next = await (timer === undefined ? read() : Promise.race([read(), timer]));
          if (next !== undefined) pending = undefined;
          if (next?.value !== undefined) held.push(next.value);
          timer ??= host.sleep(SECOND).then(() => undefined);
          if (next !== undefined && !next.done && next.value !== undefined && !isComment(next.value)) continue;
          if (held.length > 1) hit();
          if (held.length > 0) controller.enqueue(Buffer.concat(held));
          if (next?.done === true) controller.close();
          return;
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

export const streams: readonly Way[] = [
  {
    // A stream may begin with a byte order mark, an event may have several lines of data, each with or without the space.
    name: 'a stream begins with a byte order mark and padding, and its events have several lines of data',
    lawful: true,
    quote: 'streams the reply as server-sent events',
    wrong: (world) => async (call, next) => {
      const response = await next();
      if (call.op !== 'chat' || response.status !== 200) return response;
      let first = true;
      return rewritten(response, {
        text(event) {
          const start = first ? `\ufeff:${' '.repeat(2_048)}\n\n` : '';
          first = false;
          const chunk = event.startsWith('data: {') ? parsed(event.slice(6)) : undefined;
          if (chunk === undefined) return `${start}${event}\n\n`;
          world.hit();
          const lines = JSON.stringify(chunk, null, '\t').split('\n');
          return `${start}event: message\n${lines.map((line) => `data:${line}`).join('\n')}\n\n`;
        },
      });
    },
  },
  {
    // The first chunk carries the role, and that it has an empty text is chosen; so is what else a delta has.
    name: 'the role comes with the first text, an empty text with the finish, and each chunk has a time of its own',
    lawful: true,
    quote: 'the first chunk carries `role` (C: and `content: ""`), text `delta.content`, thinking `delta.reasoning`',
    wrong: (world) =>
      world.stream(() => {
        let role: { role?: unknown } = {};
        return (_event, chunk) => {
          if (chunk === undefined) return undefined;
          const created = Math.floor(world.setting.host.now() / SECOND);
          const choice = chunk.choices[0];
          if (choice === undefined) return { ...chunk, created };
          const { delta, finish_reason } = choice;
          if (delta.role !== undefined && delta.content === '' && finish_reason === null) {
            role = { role: delta.role };
            return [];
          }
          const text = delta.reasoning;
          const more = {
            ...(finish_reason === 'stop' ? { content: '' } : {}),
            ...(typeof text === 'string' ? { reasoning_details: [{ type: 'reasoning.text', text, index: 0 }] } : {}),
          };
          const other: Chunk = { ...chunk, created, choices: [{ ...choice, delta: { ...role, ...delta, ...more } }] };
          role = {};
          return other;
        };
      }),
  },
  {
    // The keepalive is for a silence of 30 seconds, which never comes.
    name: 'a comment of its own every ten seconds, so that a keepalive is never due',
    lawful: true,
    quote: 'A comment line `: keepalive` is written whenever nothing else has been written for 30 seconds.',
    wrong: (world) => async (_call, next) => {
      const response = await next();
      if (response.body === null || !isStream(response)) return response;
      return same(response, pinged(response.body, world));
    },
  },
  {
    // How soon what the intern says is passed on is stated nowhere.
    name: 'a proxy gathers what a stream writes within a second',
    lawful: true,
    quote: 'Sends a prompt to one intern and streams the reply as server-sent events',
    wrong: (world) => async (_call, next) => {
      const response = await next();
      if (response.body === null || !isStream(response)) return response;
      return same(response, gathered(response.body, world));
    },
  },
];
