import { chunkOf, DONE, frameOf } from '../../../emulator/wire/chunks.js';
import type { Json, JsonPath } from '../../../emulator/wire/json.js';
import { createEventSplitter, eachEvent, isStream, passed, readAhead } from '../../../emulator/wire/streams.js';
import type { Mutation } from '../mutant.js';
import { type ErrorChange, type Reply, replies } from './answers.js';
import { exchangeOf, isOf, type MutantExchange, type NewValue, put } from './exchange.js';

export const BEAT = ': keepalive\n\n';
/** A comment without words. */
const SILENT = ': \n\n';

/** Changes the event stream that answers a chat. */
const streams = (
  change: (stream: ReadableStream<Uint8Array>, exchange: MutantExchange) => ReadableStream<Uint8Array>,
): Mutation =>
  replies((reply, exchange) =>
    reply.body instanceof ReadableStream && isOf('chat', exchange)
      ? { ...reply, body: change(reply.body, exchange) }
      : reply,
  );

/** Changes the frames of event streams, one by one; `begin` is called for each stream. Empty text leaves one out. */
export const frames = (begin: (exchange: MutantExchange) => (frame: string) => string): Mutation =>
  streams((stream, exchange) => passed(stream, { sends: eachEvent(begin(exchange)) }));

interface Choice {
  readonly delta: Json;
  readonly finish_reason: string | null;
  readonly [field: string]: unknown;
}

export const choiceOf = (chunk: Json | undefined): Choice | undefined => (chunk?.choices as Choice[] | undefined)?.[0];

/** Whether the intern has said, thought or asked something. */
export const saysSomething = (chunk: Json | undefined): boolean => {
  const delta = choiceOf(chunk)?.delta;
  return Boolean(delta?.content || delta?.reasoning || delta?.tool_calls);
};

/**
 * Changes the chunks of streams; `begin` is called for each stream. Nothing leaves a chunk out, a list puts several. `finish` is
 * the reason that the stream has given so far.
 */
export const chunks = (
  begin: (exchange: MutantExchange) => (chunk: Json, finish: string | undefined) => Json | readonly Json[] | undefined,
): Mutation =>
  frames((exchange) => {
    const change = begin(exchange);
    let finish: string | undefined;
    return (frame) => {
      const chunk = chunkOf(frame);
      if (!chunk) return frame;
      finish = choiceOf(chunk)?.finish_reason ?? finish;
      return [change(chunk, finish) ?? []].flat().map(frameOf).join('');
    };
  });

/** Changes what stands in some places of chunks. */
export const chunk = <T = string>(places: JsonPath | readonly JsonPath[], change: NewValue<T>): Mutation =>
  chunks((exchange) => (one, finish) => put(one, places, change, exchange, finish));

/** Changes what stands in a place of the final chunk, which has no choice. */
export const final = <T = string>(place: JsonPath, change: NewValue<T>): Mutation =>
  chunks(
    (exchange) => (one, finish) => (choiceOf(one) === undefined ? put(one, place, change, exchange, finish) : one),
  );

/** Changes the arguments of questions. */
export const questions = (change: (args: Json) => Json): Mutation =>
  chunk('choices.[].delta.tool_calls.[].function.arguments', (text) =>
    JSON.stringify(change(JSON.parse(text) as Json)),
  );

/** Changes errors of one reason that streams carry. */
export const streamErrors = (reason: string, change: Pick<ErrorChange, 'code' | 'reason' | 'retryable'>) =>
  chunk<{ metadata: Json }>('error', (error) => {
    if (error.metadata.reason !== reason) return error;
    const { code, ...metadata } = change;
    return { ...error, ...(code !== undefined && { code }), metadata: { ...error.metadata, ...metadata } };
  });

/** Holds frames of a stream back, until one comes that is not held: `sends` puts it together with those before it. */
export const heldBack = (
  begin: () => (chunk: Json | undefined) => boolean,
  sends: (held: string, frame: string, chunk: Json | undefined) => string,
): Mutation =>
  frames(() => {
    const holds = begin();
    let held = '';
    return (frame) => {
      const one = chunkOf(frame);
      if (holds(one)) {
        held += frame;
        return SILENT;
      }
      const all = sends(held, frame, one);
      held = '';
      return all;
    };
  });

/** The part of a response that was sent when its client leaves it. */
export interface Left {
  readonly exchange: MutantExchange;
  /** Chunks that said something. */
  readonly said: number;
}

/**
 * Decides what happens to a chat whose client leaves it: `true` notifies the emulator, `false` lets it go on as if
 * somebody still read.
 */
export const whenLeft = (notifies: (left: Left) => boolean): Mutation => ({
  around: (next, emulator) => async (request) => {
    const exchange = exchangeOf(request, emulator);
    if (exchange.operation !== 'chat') return next(request);
    const { signal, headers } = request;
    const own = new AbortController();
    const split = createEventSplitter();
    let said = 0;
    let over = false;
    const body = request.body ? await request.text() : null;
    const response = await next(new Request(request.url, { method: 'POST', headers, body, signal: own.signal }));
    if (!response.body || !isStream(response)) return response;
    const reader = response.body.getReader();
    const drain = async () => {
      for (;;) if ((await reader.read()).done) return;
    };
    const leave = (reason: unknown) => {
      if (over) return;
      over = true;
      if (notifies({ exchange, said })) own.abort(reason);
      drain().catch(() => {});
    };
    const stream = new ReadableStream<Uint8Array>(
      {
        start(controller) {
          signal.addEventListener('abort', () => {
            if (over) return;
            leave(signal.reason);
            controller.error(signal.reason);
          });
        },
        async pull(controller) {
          const { done, value } = await reader.read();
          if (over) return;
          if (done) {
            over = true;
            return controller.close();
          }
          said += split(value).filter((frame) => saysSomething(chunkOf(frame))).length;
          controller.enqueue(value);
        },
        cancel: leave,
      },
      { highWaterMark: 0 },
    );
    return new Response(stream, response);
  },
});

/** Holds a response back until its stream has said something of this kind. */
export const opensWith = (said: (chunk: Json | undefined) => boolean): Mutation =>
  replies(async (reply) => {
    if (!(reply.body instanceof ReadableStream)) return reply;
    const enough = (sofar: string) => sofar.split(/(?<=\n\n)/).some((frame) => said(chunkOf(frame)));
    return { ...reply, body: (await readAhead(reply.body, enough)).body };
  });

/** Answers differently if the first write of a stream satisfies `when`: it has all that was ready at once. */
export const insteadOfStream = (when: (written: string) => boolean, instead: Reply): Mutation =>
  replies(async (reply) => {
    if (!(reply.body instanceof ReadableStream)) return reply;
    const { text, body } = await readAhead(reply.body, (sofar) => sofar !== '');
    return when(text) ? instead : { ...reply, body };
  });

/** Leaves the body of a response that asks open for some turns of the event loop, and reports when its client closes it then. */
export const staysOpenAfterDone = (closed: (exchange: MutantExchange) => void): Mutation =>
  streams((stream, exchange) => {
    const { signal } = exchange.request;
    const split = createEventSplitter();
    let asked = false;
    let gone = false;
    const leave = () => {
      if (!gone && asked) closed(exchange);
      gone = true;
    };
    return passed(stream, {
      async sends(piece) {
        if (piece !== undefined) {
          asked ||= split(piece).some((frame) => choiceOf(chunkOf(frame))?.finish_reason === 'tool_calls');
          return piece;
        }
        signal.addEventListener('abort', leave, { once: true });
        for (let turn = 0; asked && turn < 100 && !gone; turn++) await new Promise((next) => setImmediate(next));
        signal.removeEventListener('abort', leave);
        return undefined;
      },
      left(cancel) {
        leave();
        return cancel();
      },
    });
  });

/** A whole reply of a chat that says one thing and ends. */
export function cannedReply(says: string, finish = 'stop', more: Json = {}): Reply {
  const part = (choices: readonly unknown[], rest: Json = {}) =>
    frameOf({ id: 'chatcmpl-0', object: 'chat.completion.chunk', created: 0, model: 'x', choices, ...rest });
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body:
      part([{ index: 0, delta: { role: 'assistant', content: says }, finish_reason: null }]) +
      part([{ index: 0, delta: {}, finish_reason: finish }], more) +
      part([], { session_id: 'another', usage: null }) +
      DONE,
  };
}
