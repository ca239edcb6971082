import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { ClientCase, Expectation, Scripted } from '../../emulator/contract/client-case.js';
import {
  call,
  chatExpect,
  DONE,
  end,
  final,
  HELLO,
  NONE,
  noRetry,
  plain,
  role,
  say,
  sseExpect,
  stream,
  tools,
  type Whole,
  type Why,
  type Written,
} from './build.js';

const H2 = 'RFC 9113';
const RESET = `${H2} 8.1: a stream that ends without END_STREAM is incomplete`;
const REFUSED = `${H2} 8.7: REFUSED_STREAM says that nothing was processed, so it may be tried again`;
const AWAY = `${H2} 6.8: streams above the last stream of a GOAWAY were not processed; the others go on`;
const CODED = 'RFC 9110 8.4: a client decodes each coding that it asked for';
const LAB = 'docs/client-rules.md, Transport';
const AFTER_DONE = `${LAB}: a stream that is cut after [DONE] is complete`;
const END_STREAM = `${H2} 8.1: a response is complete once END_STREAM has come`;
const FRAMES = `${H2} 6.1: an event may begin and end anywhere in a DATA frame`;
const BEFORE_DONE = 'docs/client-rules.md, Ends: a body that is cut before [DONE] is an error, after finish_reason too';

const EVENTS: Written[] = ['data: a\n\n', 'data: b\n\n', 'data: c\n\n'];
const h2 = (steps: readonly Written[], more: Partial<Scripted> = {}): Scripted =>
  stream(steps, { protocol: 'h2', ...more });
const OK = h2(HELLO);
const WHOLE_BODY = { each: [{ method: 'POST', body_has: '"stream":true' }] };

/** Over HTTP/2: one exchange, whole. */
const whole = (id: string, title: string, why: Why, steps: readonly Written[], answer: Partial<Scripted> = {}) =>
  plain(id, title, {
    layer: 'chat',
    needs: ['h2'],
    why,
    exchanges: [h2(steps, answer)],
    expect: { ...chatExpect(steps), requests: { count: 1, ...WHOLE_BODY } },
  });

/** Over HTTP/2: breaks off; nothing is sent again, since the stream had begun. */
const broken = (id: string, title: string, why: Why, steps: readonly Written[]) => {
  const came = chatExpect(steps).chat;
  return plain(id, title, {
    layer: 'chat',
    needs: ['h2'],
    retries: 'default',
    why,
    exchanges: [h2(steps), OK],
    expect: {
      outcome: 'error',
      ...(came === undefined ? {} : { chat: { ...came, tool_calls: [] } }),
      within: 1_000,
      requests: { count: 1, watched_for: 1_500 },
    },
  });
};

/** Over HTTP/2: not processed, so that the client may try again, or not. */
const refused = (id: string, title: string, why: Why, before: NonNullable<Scripted['before']>): ClientCase =>
  plain(id, title, {
    layer: 'chat',
    needs: ['h2'],
    why,
    exchanges: [h2([], { before }), OK],
    expect: { ...chatExpect(HELLO), requests: { count: 2 } },
    alternatives: [noRetry()],
  });

type Coding = NonNullable<Scripted['encoding']>;
const needs = (coding: Coding): Partial<Whole> => (coding === 'br' ? { needs: ['br'] } : {});

/** Compressed, and flushed with each event: each has to come out before the next is written. */
const prompt = (coding: Coding): ClientCase =>
  plain(`coding-${coding}-prompt`, `Compresses the stream with ${coding}, and flushes each event.`, {
    layer: 'sse',
    ...needs(coding),
    why: [CODED, `${LAB}: what is flushed can be decoded before the next write`],
    exchanges: [stream(EVENTS, { encoding: coding })],
    expect: { outcome: 'complete', events: sseExpect(EVENTS), prompt: true },
  });

/** An answer whose bytes are compressed already, so that they can be cut. */
const codedAs = (coding: Coding, written: readonly Written[]): Scripted =>
  stream(written, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'content-encoding': coding,
    },
  });
const zipped = (text: string): Uint8Array => new Uint8Array(gzipSync(text));
const coded = (id: string, title: string, why: string, bytes: readonly Uint8Array[], expect: Expectation) =>
  plain(id, title, { layer: 'chat', why: [CODED, why], exchanges: [codedAs('gzip', bytes)], expect });

const SHORT = 'data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
const BEGINNING = [role(), say('Hello')].join('');

/** A body that ends in the middle of its code. */
const cutInside = (coding: 'gzip' | 'br', bytes: Uint8Array): ClientCase =>
  plain(`coding-${coding}-cut`, `Closes the connection in the middle of a body of ${coding}.`, {
    layer: 'sse',
    ...needs(coding),
    why: [CODED, 'RFC 9112 8: a message that breaks off is incomplete, which is an error'],
    exchanges: [codedAs(coding, [bytes.subarray(0, Math.floor(bytes.length / 2)), { end: 'fin' }])],
    expect: { outcome: 'error', events: sseExpect(EVENTS) },
  });

/** HTTP/2 over TLS, and codings (LAB-17). */
export const TRANSPORT: ClientCase[] = [
  whole('h2-whole', 'Streams text over HTTP/2.', END_STREAM, HELLO),
  plain('h2-events', 'Streams events over HTTP/2, each in a frame of its own.', {
    layer: 'sse',
    needs: ['h2'],
    why: [FRAMES],
    exchanges: [h2(EVENTS)],
    expect: {
      outcome: 'complete',
      events: sseExpect(EVENTS),
      prompt: true,
      requests: { count: 1, ...WHOLE_BODY },
    },
  }),
  whole('h2-bytes', 'Streams text over HTTP/2, a byte in each frame.', FRAMES, [...SHORT]),
  whole(
    'h2-early-hints',
    'Sends 103 before the head of a stream of HTTP/2.',
    'RFC 9110 15.2: a client must parse 1xx answers, known or not',
    HELLO,
    { before: [{ informational: 103 }] },
  ),
  whole(
    'h2-window',
    'Takes the request a byte at a time: its window is one byte.',
    `${H2} 5.2: bytes beyond the window wait until the window grows`,
    HELLO,
    { window: 1 },
  ),
  plain('h2-trailers', 'Sends trailers after the body.', {
    layer: 'sse',
    needs: ['h2'],
    why: [END_STREAM, `${LAB}: clients ignore trailers`],
    exchanges: [h2(EVENTS, { trailers: { 'x-checksum': '1', 'grpc-status': '0' } })],
    expect: { outcome: 'complete', events: sseExpect(EVENTS) },
  }),
  broken('h2-rst-after-head', 'Resets the stream after the head (CANCEL).', RESET, [{ rst: 'cancel' }]),
  broken('h2-rst-cancel', 'Resets the stream after some text (CANCEL).', RESET, [
    role(),
    say('Hel'),
    { rst: 'cancel' },
  ]),
  broken('h2-rst-internal-error', 'Resets the stream after some text (INTERNAL_ERROR).', RESET, [
    role(),
    say('Hel'),
    { rst: 'internal-error' },
  ]),
  broken(
    'h2-rst-in-arguments',
    'Resets the stream inside the arguments of a tool call.',
    [RESET, 'docs/client-rules.md: a call that was not finished is not reported'],
    [role(), tools(call(0, 'call_1', 'weather', '{"city":')), { rst: 'cancel' }],
  ),
  broken(
    'h2-rst-after-finish',
    'Resets the stream after the finish reason, before [DONE].',
    [RESET, BEFORE_DONE],
    [role(), say('Hello'), end('stop'), { rst: 'internal-error' }],
  ),
  whole('h2-rst-after-done', 'Resets the stream after [DONE].', AFTER_DONE, [...HELLO, { rst: 'cancel' }]),
  plain('h2-rst-before-head', 'Resets the stream before the head (INTERNAL_ERROR).', {
    layer: 'chat',
    needs: ['h2'],
    why: [RESET, 'docs/client-rules.md: a request without an answer ends in an error'],
    exchanges: [h2([], { before: [{ rst: 'internal-error' }] }), OK],
    expect: { outcome: 'error', requests: { count: 1, watched_for: 500 } },
  }),
  refused('h2-refused', 'Refuses the stream before the head, once.', REFUSED, [{ rst: 'refused-stream' }]),
  plain('h2-refused-always', 'Refuses every stream.', {
    layer: 'chat',
    needs: ['h2'],
    timeout: 10_000,
    why: [REFUSED, `${LAB}: a refused stream is tried again up to 2 times, or not at all`],
    exchanges: [h2([], { before: [{ rst: 'refused-stream' }] })],
    expect: { outcome: 'error', requests: { count: [1, 3], watched_for: 500 } },
  }),
  whole('h2-goaway-this', 'Says goodbye, and lets this stream end.', AWAY, [
    role(),
    say('Hel'),
    { goaway: { last: 'this' } },
    { wait: 100 },
    say('lo'),
    end('stop'),
    final(),
    DONE,
  ]),
  plain('h2-goaway-next', 'Says goodbye after the answer; the next call needs another connection.', {
    layer: 'chat',
    needs: ['h2'],
    // biome-ignore lint/suspicious/noThenProperty: the word of the format
    then: 'call',
    why: [AWAY],
    exchanges: [h2([...HELLO.slice(0, 2), { goaway: { last: 'this' } }, ...HELLO.slice(2)]), OK],
    expect: { ...chatExpect(HELLO), requests: { count: 1, connections: 2 } },
  }),
  broken('h2-goaway-before', 'Says goodbye to this stream, too, after some text.', AWAY, [
    role(),
    say('Hel'),
    { goaway: { last: 'before' } },
    NONE,
  ]),
  refused('h2-goaway-before-head', 'Says goodbye before the head, and has not processed the request.', AWAY, [
    { goaway: { last: 'before' } },
    NONE,
  ]),
  broken('h2-cut', 'Closes the connection after some text, with no word of HTTP/2 or TLS.', RESET, [
    role(),
    say('Hel'),
    { end: 'cut' },
  ]),
  broken('h2-reset', 'Resets the connection after some text.', RESET, [role(), say('Hel'), { end: 'reset' }]),
  whole('h2-cut-after-done', 'Closes the connection after [DONE], with no word of HTTP/2 or TLS.', AFTER_DONE, [
    ...HELLO,
    { end: 'cut' },
  ]),
  broken(
    'h2-cut-after-finish',
    'Closes the connection after the finish reason, with no word of HTTP/2 or TLS.',
    [RESET, BEFORE_DONE],
    [role(), say('Hello'), end('stop'), { end: 'cut' }],
  ),

  prompt('gzip'),
  prompt('deflate'),
  prompt('br'),
  coded(
    'coding-gzip-members',
    'Sends two members of gzip, one after the other.',
    'RFC 1952 2.2: a file of gzip is a series of members',
    [zipped(BEGINNING), zipped(HELLO.slice(2).join(''))],
    chatExpect(HELLO),
  ),
  coded(
    'coding-gzip-bytes',
    'Sends a body of gzip a byte at a time.',
    'RFC 9112 7.1: an event may begin and end anywhere in a chunk of the transfer',
    [...zipped(SHORT)].map((byte) => new Uint8Array([byte])),
    chatExpect([SHORT]),
  ),
  cutInside('gzip', zipped(EVENTS.join(''))),
  coded(
    'coding-gzip-no-trailer',
    'Ends a body of gzip before its trailer, and before [DONE].',
    `${LAB}: a coded body without its trailer is an error before [DONE]`,
    [zipped([BEGINNING, end('stop')].join('')).subarray(0, -8)],
    { ...chatExpect([BEGINNING]), outcome: 'error' },
  ),
  cutInside('br', new Uint8Array(brotliCompressSync(EVENTS.join('')))),
];
