import { framesIn, rewrittenStream } from '../../habits/rewrite.js';
import type { Mutant } from '../mutant.js';
import { type Exchange, exchangeOf, isOf, type Of } from './exchange.js';
import { type ErrorChange, type Reply, rewriteReply } from './replies.js';

export const BEAT = ': keepalive\n\n';
export const DONE = 'data: [DONE]\n\n';

const decoder = new TextDecoder();

/** Changes the event stream that answers an operation. `begin` is called for each. */
export const rewriteStream = (
  change: (stream: ReadableStream<Uint8Array>, exchange: Exchange) => ReadableStream<Uint8Array>,
  of: Of = 'chat',
): Mutant =>
  rewriteReply((reply, exchange) =>
    reply.body instanceof ReadableStream && isOf(of, exchange)
      ? { ...reply, body: change(reply.body, exchange) }
      : reply,
  );

/** Changes the frames of event streams, one by one; `begin` is called for each stream. Empty text leaves one out. */
export const rewriteFrames = (begin: (exchange: Exchange) => (frame: string) => string): Mutant =>
  rewriteStream((stream, exchange) => {
    const change = begin(exchange);
    return rewrittenStream(stream, { text: (event) => change(`${event}\n\n`) });
  });

/** A chunk of a stream as JSON. */
export type Chunk = Record<string, unknown>;

interface Choice {
  index: number;
  delta: Record<string, unknown>;
  finish_reason: string | null;
  [field: string]: unknown;
}

export const choiceOf = (chunk: Chunk): Choice | undefined => (chunk.choices as Choice[] | undefined)?.[0];

export const frameOf = (chunk: Chunk): string => `data: ${JSON.stringify(chunk)}\n\n`;

/** The chunk of a frame; undefined if it carries none. */
export const chunkOf = (frame: string): Chunk | undefined =>
  frame.startsWith('data: {') ? (JSON.parse(frame.slice('data: '.length)) as Chunk) : undefined;

/** Changes the chunks of streams; `begin` is called for each stream. Nothing leaves a chunk out, a list puts several. */
export const rewriteChunks = (
  begin: (exchange: Exchange) => (chunk: Chunk) => Chunk | readonly Chunk[] | undefined,
): Mutant =>
  rewriteFrames((exchange) => {
    const change = begin(exchange);
    return (frame) => {
      const chunk = chunkOf(frame);
      if (!chunk) return frame;
      const changed = change(chunk);
      if (changed === undefined) return '';
      return (Array.isArray(changed) ? (changed as readonly Chunk[]) : [changed as Chunk]).map(frameOf).join('');
    };
  });

/** Changes the one choice of chunks that have one. */
export const rewriteChoices = (change: (choice: Choice, chunk: Chunk) => unknown): Mutant =>
  rewriteChunks(() => (chunk) => {
    const choice = choiceOf(chunk);
    return choice === undefined ? chunk : { ...chunk, choices: [change(choice, chunk)] };
  });

/** Changes what choices say. */
export const rewriteDeltas = (change: (delta: Record<string, unknown>) => Record<string, unknown>): Mutant =>
  rewriteChoices((choice) => ({ ...choice, delta: change(choice.delta) }));

/** Changes the final chunk, which has no choice. */
export const rewriteFinal = (
  change: (chunk: Chunk, finish: string | undefined, exchange: Exchange) => Chunk | readonly Chunk[] | undefined,
): Mutant =>
  rewriteChunks((exchange) => {
    let finish: string | undefined;
    return (chunk) => {
      const choice = choiceOf(chunk);
      if (choice === undefined) return change(chunk, finish, exchange);
      finish = choice.finish_reason ?? finish;
      return chunk;
    };
  });

interface Call {
  index: number;
  id: string;
  type: string;
  function: { name: string; arguments: string };
}

export const callOf = (chunk: Chunk): Call | undefined =>
  (choiceOf(chunk)?.delta.tool_calls as Call[] | undefined)?.[0];

/** Changes the tool call of questions. */
export const rewriteCalls = (change: (call: Call) => unknown): Mutant =>
  rewriteChoices((choice, chunk) => {
    const call = callOf(chunk);
    return call === undefined ? choice : { ...choice, delta: { ...choice.delta, tool_calls: [change(call)] } };
  });

interface ChunkError {
  code: number;
  message: string;
  metadata: { reason: string; retryable: boolean };
}

/** Changes errors of one reason that streams carry. */
export const streamErrors = (
  reason: string,
  { code, ...metadata }: Pick<ErrorChange, 'code' | 'reason' | 'retryable'>,
) =>
  rewriteChunks(() => (chunk) => {
    const error = chunk.error as ChunkError | undefined;
    if (error?.metadata.reason !== reason) return chunk;
    return { ...chunk, error: { ...error, code: code ?? error.code, metadata: { ...error.metadata, ...metadata } } };
  });

/** The part of a response that was sent when its client leaves it. */
export interface Left {
  readonly exchange: Exchange;
  /** Chunks that said something. */
  readonly said: number;
}

/**
 * Decides what happens to a chat whose client leaves it: `true` notifies the emulator, `false` lets it go on as if
 * somebody still read.
 */
export const whenLeft = (notifies: (left: Left) => boolean): Mutant => ({
  around: (next) => async (request) => {
    const exchange = exchangeOf(request);
    if (exchange.operation !== 'chat') return next(request);
    const { signal } = request;
    const own = new AbortController();
    let said = 0;
    const leave = (reason: unknown) => {
      if (notifies({ exchange, said })) own.abort(reason);
    };
    const headers = new Headers(request.headers);
    const body = request.body ? await request.text() : null;
    const response = await next(new Request(request.url, { method: 'POST', headers, body, signal: own.signal }));
    if (!response.body || !response.headers.get('content-type')?.startsWith('text/event-stream')) return response;
    const reader = response.body.getReader();
    const drain = async () => {
      for (;;) if ((await reader.read()).done) return;
    };
    let left = false;
    const stream = new ReadableStream<Uint8Array>(
      {
        start(controller) {
          signal.addEventListener('abort', () => {
            if (left) return;
            left = true;
            leave(signal.reason);
            controller.error(signal.reason);
            drain().catch(() => {});
          });
        },
        async pull(controller) {
          const { done, value } = await reader.read();
          if (left) return;
          if (done) {
            left = true;
            return controller.close();
          }
          said += framesIn(decoder.decode(value)).filter((frame) => saysSomething(frame)).length;
          controller.enqueue(value);
        },
        cancel(reason) {
          if (left) return;
          left = true;
          leave(reason);
          drain().catch(() => {});
        },
      },
      { highWaterMark: 0 },
    );
    return new Response(stream, response);
  },
});

const saysSomething = (frame: string): boolean => {
  const delta = choiceOf(chunkOf(frame) ?? {})?.delta;
  return Boolean(delta?.content || delta?.reasoning || delta?.tool_calls);
};

/** A stream with what was read ahead of it put back in front. */
const rejoined = (held: Uint8Array[], reader: ReadableStreamDefaultReader<Uint8Array>) =>
  new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const value = held.shift() ?? (await reader.read()).value;
        if (value) controller.enqueue(value);
        else controller.close();
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );

/** Holds a response back until a frame of its stream satisfies `first`. */
export const opensWithTheFirst = (first: (frame: string) => boolean): Mutant =>
  rewriteReply(async (reply) => {
    if (!(reply.body instanceof ReadableStream)) return reply;
    const reader = reply.body.getReader();
    const held: Uint8Array[] = [];
    for (let seen = false; !seen; ) {
      const { done, value } = await reader.read();
      if (done) break;
      held.push(value);
      seen = framesIn(decoder.decode(value)).some(first);
    }
    return { ...reply, body: rejoined(held, reader) };
  });

/** Answers differently if the first write of a stream satisfies `when`: it has all that was ready at once. */
export const insteadOfStream = (when: (written: string) => boolean, instead: Reply): Mutant =>
  rewriteReply(async (reply) => {
    if (!(reply.body instanceof ReadableStream)) return reply;
    const reader = reply.body.getReader();
    const { value = new Uint8Array() } = await reader.read();
    return when(decoder.decode(value)) ? instead : { ...reply, body: rejoined([value], reader) };
  });

/** Leaves the body of a response that asks open for some turns of the event loop, and reports when its client closes it then. */
export const staysOpenAfterDone = (closed: (exchange: Exchange) => void): Mutant =>
  rewriteStream((stream, exchange) => {
    const reader = stream.getReader();
    const { signal } = exchange.request;
    let asked = false;
    let gone = false;
    const leave = () => {
      if (!gone && asked) closed(exchange);
      gone = true;
    };
    return new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const { done, value } = await reader.read();
          if (!done) {
            asked ||= decoder.decode(value).includes('"finish_reason":"tool_calls"');
            return controller.enqueue(value);
          }
          signal.addEventListener('abort', leave, { once: true });
          for (let turn = 0; asked && turn < 100 && !gone; turn++) await new Promise((next) => setImmediate(next));
          signal.removeEventListener('abort', leave);
          if (!gone) controller.close();
        },
        cancel(reason) {
          leave();
          return reader.cancel(reason);
        },
      },
      { highWaterMark: 0 },
    );
  });

/** A whole reply of a chat that says one thing and stops. */
export function cannedReply(says: string): Reply {
  const chunk = (choices: unknown[], more: object = {}) =>
    frameOf({ id: 'chatcmpl-0', object: 'chat.completion.chunk', created: 0, model: 'x', choices, ...more });
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body:
      chunk([{ index: 0, delta: { role: 'assistant', content: says }, finish_reason: null }]) +
      chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]) +
      chunk([], { session_id: 'another', usage: null }) +
      DONE,
  };
}
