import { chunkOf, frameOf } from '../../../emulator/wire/chunks.js';
import { createEventSplitter, isStream } from '../../../emulator/wire/streams.js';
import { lastMessage } from '../lawful31/helpers.js';
import type { Way, World } from '../world.js';
import { delaying } from './helpers.js';

const SILENCE = 12_000;
const FINISHED = /"finish_reason":"/;

/** A stream with an empty delta whenever nothing was written for twelve seconds, until its finish. */
function beating(from: ReadableStream<Uint8Array>, { setting: { host }, hit }: World): ReadableStream<Uint8Array> {
  const reader = from.getReader();
  const split = createEventSplitter();
  let last: object | undefined;
  let writes = 0;
  let over = false;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const beat = (seen: number) => {
          if (over) return;
          if (seen === writes && last !== undefined) {
            hit();
            writes += 1;
            const choices = [{ index: 0, delta: { content: '' }, finish_reason: null }];
            controller.enqueue(Buffer.from(frameOf({ ...last, choices })));
          }
          const now = writes;
          host.later(SILENCE, () => beat(now));
        };
        host.later(SILENCE, () => beat(0));
      },
      async pull(controller) {
        for (;;) {
          const { done, value } = await reader.read().catch((error: unknown) => {
            over = true;
            throw error;
          });
          const events = split(value);
          over ||= done || events.some((event) => FINISHED.test(event));
          const kept = events.filter((event) => last === undefined || !event.startsWith(': keepalive'));
          last = events.map(chunkOf).findLast((chunk) => chunk !== undefined) ?? last;
          if (kept.length > 0) {
            writes += 1;
            controller.enqueue(Buffer.from(kept.join('')));
          }
          if (done) return controller.close();
          if (kept.length > 0) return;
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

/** A stream of which each write comes in two halves. */
function halved(from: ReadableStream<Uint8Array>, { setting: { host }, hit }: World): ReadableStream<Uint8Array> {
  const reader = from.getReader();
  let rest: Uint8Array | undefined;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (rest !== undefined) {
          await host.sleep(200);
          controller.enqueue(rest);
          rest = undefined;
          return;
        }
        const { done, value } = await reader.read();
        if (done) return controller.close();
        const middle = Math.floor(value.length / 2);
        if (middle > 0) hit();
        controller.enqueue(value.subarray(0, middle === 0 ? value.length : middle));
        if (middle > 0) rest = value.subarray(middle);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

const carried =
  (change: (from: ReadableStream<Uint8Array>, world: World) => ReadableStream<Uint8Array>): NonNullable<Way['wrong']> =>
  (world) =>
  async ({ op }, next) => {
    const response = await next();
    if (op !== 'chat' || response.body === null || !isStream(response)) return response;
    return new Response(change(response.body, world), { status: response.status, headers: response.headers });
  };

export const beats: Way = {
  name: 'a silent intern shows an empty delta every twelve seconds, so that a keepalive is never due',
  lawful: true,
  quote: 'A comment line `: keepalive` is written whenever nothing else has been written for 30 seconds.',
  wrong: carried(beating),
};

export const halves: Way = {
  name: 'each write of a stream is cut in two, wherever its middle is, and the rest comes 200 ms later',
  lawful: true,
  quote: 'streams the reply as server-sent events',
  wrong: carried(halved),
};

export const newline: Way = {
  name: 'the last line end of a reply comes in the chunk that has its finish reason',
  lawful: true,
  quote: 'in the common chat-completion chunk format (`choices`, `finish_reason`)',
  wrong: (world) =>
    world.stream(() => (_, chunk) => {
      const choice = chunk?.choices[0];
      if (choice?.finish_reason === 'stop') choice.delta = { ...choice.delta, content: '\n' };
      return chunk;
    }),
};

export const thoughtful: Way = {
  name: 'a chunk of text has a thought beside it',
  lawful: true,
  quote: 'Completion chunks with `choices`.',
  wrong: (world) =>
    world.stream(() => (_, chunk) => {
      const delta = chunk?.choices[0]?.delta;
      if (typeof delta?.content === 'string' && delta.content !== '') delta.reasoning ??= 'and so on ';
      return chunk;
    }),
};

export const lateDone: Way = {
  name: 'the end of a stream is written three seconds after its final chunk',
  lawful: true,
  quote: 'one final chunk with empty `choices` that carries `session_id`, then `data: [DONE]`',
  wrong: delaying((event) => (event.startsWith('data: [DONE]') ? 3_000 : 0)),
};

export const oneId: Way = {
  name: 'the responses of one run have one id',
  lawful: true,
  quote: 'The answer is delivered to the run that asked, and the stream continues from where it paused.',
  wrong(world) {
    const ids = new Map<string, unknown>();
    return world.stream((call) => {
      const key = (session: unknown) => `${call.id.toLowerCase()} ${String(session)}`;
      const known = lastMessage(call)?.role === 'tool' ? ids.get(key(call.body.session_id)) : undefined;
      let paused = false;
      return (_, chunk) => {
        if (chunk === undefined) return undefined;
        chunk.id = known ?? chunk.id;
        paused ||= chunk.choices[0]?.finish_reason === 'tool_calls';
        if (paused && typeof chunk.session_id === 'string') ids.set(key(chunk.session_id), chunk.id);
        return chunk;
      };
    });
  },
};

export const streams: readonly Way[] = [
  beats,
  halves,
  newline,
  thoughtful,
  lateDone,
  oneId,
  {
    name: 'the first chunk has the role alone',
    lawful: true,
    quote: 'the first chunk carries `role` (C: and `content: ""`)',
    wrong: (world) =>
      world.stream(() => (_, chunk) => {
        const choice = chunk?.choices[0];
        if (choice !== undefined && choice.delta.role !== undefined && choice.delta.content === '')
          choice.delta = { role: choice.delta.role };
        return chunk;
      }),
  },
  {
    name: 'each text comes a quarter of a second after the one before',
    lawful: true,
    quote: 'nothing says otherwise',
    wrong: delaying((event) => (/"content":"[^"]/.test(event) ? 250 : 0)),
  },
];
