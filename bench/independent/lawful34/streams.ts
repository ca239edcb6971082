import { rewritten } from '../../../emulator/wire/answer.js';
import { chunkOf } from '../../../emulator/wire/chunks.js';
import { createEventSplitter, isStream, through } from '../../../emulator/wire/streams.js';
import type { Chunk } from '../answers.js';
import { isJson, type Json } from '../call.js';
import type { Way, World } from '../world.js';

const SECOND = 1_000;
const KEEPALIVE = ': keepalive\n\n';
const same = (response: Response, body: ReadableStream<Uint8Array>) =>
  new Response(body, { status: response.status, headers: response.headers });

/** A stream with a keepalive at each half minute of its own, whatever else is written; the usual ones are left out. */
function kept(from: ReadableStream<Uint8Array>, { setting: { host }, hit }: World): ReadableStream<Uint8Array> {
  const reader = from.getReader();
  let over = false;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const tick = () => {
          if (over) return;
          controller.enqueue(Buffer.from(KEEPALIVE));
          hit();
          host.later(30 * SECOND, tick);
        };
        host.later(30 * SECOND, tick);
      },
      async pull(controller) {
        for (;;) {
          const { done, value } = await reader.read().catch((error: unknown) => {
            over = true;
            throw error;
          });
          over ||= done;
          if (done) return controller.close();
          if (Buffer.from(value).toString() === KEEPALIVE) continue;
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

/** A stream whose final chunk comes four seconds later than it would. */
function late(from: ReadableStream<Uint8Array>, { setting: { host }, hit }: World): ReadableStream<Uint8Array> {
  const reader = from.getReader();
  const split = createEventSplitter();
  const events: string[] = [];
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        while (events.length === 0) {
          const { done, value } = await reader.read();
          events.push(...split(value));
          if (done && events.length === 0) return controller.close();
        }
        const event = events.shift() ?? '';
        const choices = chunkOf(event)?.choices;
        if (Array.isArray(choices) && choices.length === 0) {
          hit();
          await host.sleep(4 * SECOND);
        }
        controller.enqueue(Buffer.from(event));
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** A tool call in the fragments in which models speak one. */
function fragments(chunk: Chunk, [call]: Json[]): Chunk[] {
  const asked = isJson(call?.function) ? call.function : {};
  const { arguments: text = '' } = asked as { arguments?: string };
  const choice = chunk.choices[0];
  const delta = { ...choice?.delta };
  const saying = (one: Json, first: boolean): Chunk => ({
    ...chunk,
    choices: [{ ...choice, finish_reason: null, delta: { ...(first ? delta : {}), tool_calls: [one] } }],
  });
  const pieces = [...text.matchAll(/.{1,24}/gs)].map(([piece]) => piece);
  return [
    saying({ ...call, function: { ...asked, arguments: '' } }, true),
    ...pieces.map((piece) => saying({ index: call?.index ?? 0, function: { arguments: piece } }, false)),
  ];
}

export const streams: readonly Way[] = [
  {
    // A timer of the stream, which does not look at what else is written: the interval is as stated, and no silence longer.
    name: 'a stream has a keepalive at each half minute, however short the silence was',
    lawful: true,
    quote: 'Keepalive interval | 30 seconds | Chat stream.',
    wrong: (world) => async (_call, next) => {
      const response = await next();
      if (response.body === null || !isStream(response)) return response;
      return same(response, kept(response.body, world));
    },
  },
  {
    // A lone carriage return ends a line of server-sent events as well.
    name: 'lines of a stream end in a carriage return',
    lawful: true,
    quote: 'streams the reply as server-sent events',
    wrong: (world) => async (call, next) => {
      const response = await next();
      if (call.op !== 'chat' || response.status !== 200) return response;
      world.hit();
      return rewritten(response, { text: (event) => `${event}\n\n`.replaceAll('\n', '\r') });
    },
  },
  {
    // The common format has the name first and the arguments bit by bit; one complete entry is published alone.
    name: 'a tool call comes in fragments',
    lawful: true,
    unpublished: true,
    quote: 'in the common chat-completion chunk format (`choices`, `finish_reason`)',
    wrong: (world) =>
      world.stream(() => (_event, chunk) => {
        const calls = chunk?.choices[0]?.delta.tool_calls;
        return chunk !== undefined && Array.isArray(calls) ? fragments(chunk, calls.filter(isJson)) : undefined;
      }),
  },
  {
    // It emits the call and finishes; in one chunk or in two is not said.
    name: 'a tool call comes in the chunk that has the finish reason',
    lawful: true,
    unpublished: true,
    quote: 'the stream emits one tool call named `service.provide_input` and finishes with `finish_reason: tool_calls`',
    wrong: (world) =>
      world.stream(() => {
        let held: Json | undefined;
        return (_event, chunk) => {
          const choice = chunk?.choices[0];
          if (chunk === undefined || choice === undefined) return undefined;
          if (Array.isArray(choice.delta.tool_calls) && choice.finish_reason === null) {
            held = choice.delta;
            return [];
          }
          if (choice.finish_reason !== 'tool_calls' || held === undefined) return undefined;
          const delta = { ...held, ...choice.delta };
          held = undefined;
          return { ...chunk, choices: [{ ...choice, delta }] };
        };
      }),
  },
  {
    // As OpenAI does it where usage is included. The last has what is stated.
    name: 'each chunk has a usage, which is null until the last one',
    lawful: true,
    quote: 'The final chunk carries the `usage` that the intern reported for the run after `stop` or `error`.',
    wrong: (world) =>
      world.stream(() => (_event, chunk) => (chunk === undefined ? undefined : { usage: null, ...chunk })),
  },
  {
    // The format is named by `choices` and `finish_reason`.
    name: 'chunks have choices and what else is stated, and no more',
    lawful: true,
    unpublished: true,
    quote: 'in the common chat-completion chunk format (`choices`, `finish_reason`)',
    wrong: (world) =>
      world.stream(() => (_event, chunk) => {
        if (chunk === undefined) return undefined;
        const { choices, error, session_id, usage } = chunk;
        const bare: Chunk = {
          choices: choices.map(({ delta: { role: _, ...delta }, finish_reason }) => ({
            delta,
            finish_reason,
          })),
        };
        if (error !== undefined) bare.error = error;
        if (session_id !== undefined) bare.session_id = session_id;
        if (usage !== undefined) bare.usage = usage;
        return bare;
      }),
  },
  {
    // The chunk carries them; at which place is published alone, and so is the code of a severed stream.
    name: 'the error of a run is in its choice, and a severed stream is 503',
    lawful: true,
    unpublished: true,
    quote: 'a chunk with `finish_reason: error` that carries code 410 and reason `run_ended`',
    wrong: (world) =>
      world.stream(() => (_event, chunk) => {
        const choice = chunk?.choices[0];
        if (chunk?.error === undefined || choice === undefined) return undefined;
        const { error, ...rest } = chunk;
        const severed = error.metadata?.reason === 'stream_severed';
        const moved = severed ? { ...error, code: 503 } : error;
        const other = { ...choice, error: moved };
        return { ...rest, choices: [other] };
      }),
  },
  {
    // The service adds up what a run used before it says so.
    name: 'the final chunk comes four seconds after the finish',
    lawful: true,
    quote:
      'After every response … one final chunk with empty `choices` that carries `session_id`, then `data: [DONE]`.',
    wrong: (world) => async (_call, next) => {
      const response = await next();
      if (response.body === null || !isStream(response)) return response;
      return same(response, late(response.body, world));
    },
  },
  {
    // Within 30 seconds, that is stated; until then the run goes on, and the intern is busy.
    name: 'a disconnect is noticed after 25 seconds',
    lawful: true,
    quote: 'The keepalive lets the service notice a disconnect within 30 seconds even while the intern is silent.',
    wrong: (world) => async (call, next) => {
      const response = await next();
      if (call.op !== 'chat' || response.status !== 200) return response;
      return through(response, {
        left(cancel) {
          world.hit();
          world.setting.host.later(25 * SECOND, () => void cancel().catch(() => {}));
        },
      });
    },
  },
];
