import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { ClientCase, Expectation, Scripted } from '../../emulator/contract/client-case.js';
import {
  call,
  chatExpect,
  DONE,
  end,
  final,
  plain,
  role,
  say,
  sseExpect,
  stream,
  tools,
  type Written,
} from './build.js';

const H2 = 'RFC 9113';
const RESET = `${H2} 8.1: a stream that ends without END_STREAM is incomplete`;
const REFUSED = `${H2} 8.7: REFUSED_STREAM says that nothing was processed, so it may be tried again`;
const AWAY = `${H2} 6.8: streams above the last stream of a GOAWAY were not processed; the others go on`;
const CODED = 'RFC 9110 8.4: a client decodes each coding that it asked for';
const LAB = 'docs/client-rules.md, Transport';

const NONE = { end: 'none' } as const;
const ANSWER: Written[] = [role(), say('Hello'), end('stop'), final(), DONE];
const EVENTS: Written[] = ['data: a\n\n', 'data: b\n\n', 'data: c\n\n'];
const h2 = (steps: readonly Written[], more: Partial<Scripted> = {}): Scripted =>
  stream(steps, { protocol: 'h2', ...more });
const OK = h2(ANSWER);
const WHOLE_BODY = { each: [{ method: 'POST', body_has: '"stream":true' }] };

interface Given {
  readonly id: string;
  readonly title: string;
  readonly why: string | readonly string[];
}
type More = Partial<Parameters<typeof plain>[0]>;

/** Over HTTP/2: one exchange, whole. */
const whole = ({ why, ...given }: Given, steps: readonly Written[], answer: Partial<Scripted> = {}, more: More = {}) =>
  plain({
    ...given,
    layer: 'chat',
    needs: ['h2'],
    why: [why].flat(),
    exchanges: [h2(steps, answer)],
    expect: { ...chatExpect(steps), requests: { count: 1, ...WHOLE_BODY } },
    ...more,
  });

/** Over HTTP/2: breaks off; nothing is sent again, since the stream had begun. */
const broken = ({ why, ...given }: Given, steps: readonly Written[], more: More = {}) => {
  const came = chatExpect(steps).chat;
  const expect: Expectation = {
    outcome: 'error',
    ...(came === undefined ? {} : { chat: { ...came, tool_calls: [] } }),
    within: 1_000,
    requests: { count: 1, watched_for: 1_500 },
  };
  return plain({
    ...given,
    layer: 'chat',
    needs: ['h2'],
    retries: 'default',
    why: [why].flat(),
    exchanges: [h2(steps), OK],
    expect,
    ...more,
  });
};

/** Over HTTP/2: not processed, so that the client may try again, or not. */
const refused = ({ why, ...given }: Given, before: NonNullable<Scripted['before']>): ClientCase =>
  plain({
    ...given,
    layer: 'chat',
    needs: ['h2'],
    why: [why].flat(),
    exchanges: [h2([], { before }), OK],
    expect: { ...chatExpect(ANSWER), requests: { count: 2 } },
    alternatives: [{ outcome: 'error', requests: { count: 1 }, why: 'a client owes nobody a retry' }],
  });

type Coding = NonNullable<Scripted['encoding']>;
const HEADERS = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };
const needs = (coding: Coding): More => (coding === 'br' ? { needs: ['br'] } : {});

/** Compressed, and flushed with each event: each has to come out before the next is written. */
const prompt = (coding: Coding): ClientCase =>
  plain({
    id: `coding-${coding}-prompt`,
    title: `Compresses the stream with ${coding}, and flushes each event.`,
    layer: 'sse',
    ...needs(coding),
    why: [CODED, `${LAB}: what is flushed can be decoded before the next write`],
    exchanges: [stream(EVENTS, { encoding: coding })],
    expect: { outcome: 'complete', events: sseExpect(EVENTS), prompt: true },
  });

/** Bytes that are compressed already, so that they can be cut. */
const coded = (
  { why, ...given }: Given,
  coding: Coding,
  bytes: readonly Uint8Array[],
  expect: Expectation,
  last: readonly Written[] = [],
): ClientCase =>
  plain({
    ...given,
    layer: 'chat',
    ...needs(coding),
    why: [CODED, ...[why].flat()],
    exchanges: [stream([...bytes, ...last], { headers: { ...HEADERS, 'content-encoding': coding } })],
    expect,
  });
const TEXT = ANSWER.join('');
const SHORT = 'data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
const zipped = (text: string): Uint8Array => new Uint8Array(gzipSync(text));
/** A compressed beginning of the answer, its trailer missing. */
const BEGINNING = [role(), say('Hello')].join('');
const cutOff = (bytes: Uint8Array) => bytes.subarray(0, bytes.length - 8);
const half = (bytes: Uint8Array) => bytes.subarray(0, Math.floor(bytes.length / 2));
const started = chatExpect([role(), say('Hello')]).chat;
const ERROR: Expectation = { outcome: 'error', ...(started === undefined ? {} : { chat: started }) };

/** A body that ends in the middle of its code. */
const cutInside = (coding: 'gzip' | 'br', bytes: Uint8Array): ClientCase =>
  plain({
    id: `coding-${coding}-cut`,
    title: `Closes the connection in the middle of a body of ${coding}.`,
    layer: 'sse',
    ...needs(coding),
    why: [CODED, 'RFC 9112 8: a message that breaks off is incomplete, which is an error'],
    exchanges: [stream([half(bytes), { end: 'fin' }], { headers: { ...HEADERS, 'content-encoding': coding } })],
    expect: { outcome: 'error', events: sseExpect(EVENTS) },
  });

/** HTTP/2 over TLS, and codings (LAB-17). */
export const TRANSPORT: ClientCase[] = [
  whole(
    {
      id: 'h2-whole',
      title: 'Streams text over HTTP/2.',
      why: `${H2} 8.1: a response is complete once END_STREAM has come`,
    },
    ANSWER,
  ),
  plain({
    id: 'h2-events',
    title: 'Streams events over HTTP/2, each in a frame of its own.',
    layer: 'sse',
    needs: ['h2'],
    why: [`${H2} 6.1: an event may begin and end anywhere in a DATA frame`],
    exchanges: [h2(EVENTS)],
    expect: {
      outcome: 'complete',
      events: sseExpect(EVENTS),
      prompt: true,
      requests: { count: 1, ...WHOLE_BODY },
    },
  }),
  whole(
    {
      id: 'h2-bytes',
      title: 'Streams text over HTTP/2, a byte in each frame.',
      why: `${H2} 6.1: an event may begin and end anywhere in a DATA frame`,
    },
    [...SHORT],
  ),
  whole(
    {
      id: 'h2-early-hints',
      title: 'Sends 103 before the head of a stream of HTTP/2.',
      why: 'RFC 9110 15.2: a client must parse 1xx answers, known or not',
    },
    ANSWER,
    { before: [{ informational: 103 }] },
  ),
  whole(
    {
      id: 'h2-window',
      title: 'Takes the request a byte at a time: its window is one byte.',
      why: `${H2} 5.2: bytes beyond the window wait until the window grows`,
    },
    ANSWER,
    { window: 1 },
  ),
  plain({
    id: 'h2-trailers',
    title: 'Sends trailers after the body.',
    layer: 'sse',
    needs: ['h2'],
    why: [`${H2} 8.1: a response is complete once END_STREAM has come`, `${LAB}: clients ignore trailers`],
    exchanges: [h2(EVENTS, { trailers: { 'x-checksum': '1', 'grpc-status': '0' } })],
    expect: { outcome: 'complete', events: sseExpect(EVENTS) },
  }),
  broken({ id: 'h2-rst-after-head', title: 'Resets the stream after the head (CANCEL).', why: RESET }, [
    { rst: 'cancel' },
  ]),
  broken({ id: 'h2-rst-cancel', title: 'Resets the stream after some text (CANCEL).', why: RESET }, [
    role(),
    say('Hel'),
    { rst: 'cancel' },
  ]),
  broken({ id: 'h2-rst-internal-error', title: 'Resets the stream after some text (INTERNAL_ERROR).', why: RESET }, [
    role(),
    say('Hel'),
    { rst: 'internal-error' },
  ]),
  broken(
    {
      id: 'h2-rst-in-arguments',
      title: 'Resets the stream inside the arguments of a tool call.',
      why: [RESET, 'docs/client-rules.md: a call that was not finished is not reported'],
    },
    [role(), tools(call(0, 'call_1', 'weather', '{"city":')), { rst: 'cancel' }],
  ),
  broken(
    {
      id: 'h2-rst-after-finish',
      title: 'Resets the stream after the finish reason, before [DONE].',
      why: [RESET, 'docs/client-rules.md, Ends: a body that is cut before [DONE] is an error, after finish_reason too'],
    },
    [role(), say('Hello'), end('stop'), { rst: 'internal-error' }],
  ),
  whole(
    {
      id: 'h2-rst-after-done',
      title: 'Resets the stream after [DONE].',
      why: `${LAB}: a stream that is cut after [DONE] is complete`,
    },
    [...ANSWER, { rst: 'cancel' }],
  ),
  plain({
    id: 'h2-rst-before-head',
    title: 'Resets the stream before the head (INTERNAL_ERROR).',
    layer: 'chat',
    needs: ['h2'],
    why: [RESET, 'docs/client-rules.md: a request without an answer ends in an error'],
    exchanges: [h2([], { before: [{ rst: 'internal-error' }] }), OK],
    expect: { outcome: 'error', requests: { count: 1, watched_for: 500 } },
  }),
  refused({ id: 'h2-refused', title: 'Refuses the stream before the head, once.', why: REFUSED }, [
    { rst: 'refused-stream' },
  ]),
  plain({
    id: 'h2-refused-always',
    title: 'Refuses every stream.',
    layer: 'chat',
    needs: ['h2'],
    timeout: 10_000,
    why: [REFUSED, `${LAB}: a refused stream is tried again up to 2 times, or not at all`],
    exchanges: [h2([], { before: [{ rst: 'refused-stream' }] })],
    expect: { outcome: 'error', requests: { count: [1, 3], watched_for: 500 } },
  }),
  whole({ id: 'h2-goaway-this', title: 'Says goodbye, and lets this stream end.', why: AWAY }, [
    role(),
    say('Hel'),
    { goaway: { last: 'this' } },
    { wait: 100 },
    say('lo'),
    end('stop'),
    final(),
    DONE,
  ]),
  plain({
    id: 'h2-goaway-next',
    title: 'Says goodbye after the answer; the next call needs another connection.',
    layer: 'chat',
    needs: ['h2'],
    // biome-ignore lint/suspicious/noThenProperty: the word of the format
    then: 'call',
    why: [AWAY],
    exchanges: [h2([...ANSWER.slice(0, 2), { goaway: { last: 'this' } }, ...ANSWER.slice(2)]), OK],
    expect: { ...chatExpect(ANSWER), requests: { count: 1, connections: 2 } },
  }),
  broken({ id: 'h2-goaway-before', title: 'Says goodbye to this stream, too, after some text.', why: AWAY }, [
    role(),
    say('Hel'),
    { goaway: { last: 'before' } },
    NONE,
  ]),
  refused(
    {
      id: 'h2-goaway-before-head',
      title: 'Says goodbye before the head, and has not processed the request.',
      why: AWAY,
    },
    [{ goaway: { last: 'before' } }, NONE],
  ),
  broken({ id: 'h2-cut', title: 'Closes the connection after some text, with no word of HTTP/2 or TLS.', why: RESET }, [
    role(),
    say('Hel'),
    { end: 'cut' },
  ]),
  broken({ id: 'h2-reset', title: 'Resets the connection after some text.', why: RESET }, [
    role(),
    say('Hel'),
    { end: 'reset' },
  ]),
  whole(
    {
      id: 'h2-cut-after-done',
      title: 'Closes the connection after [DONE], with no word of HTTP/2 or TLS.',
      why: `${LAB}: a stream that is cut after [DONE] is complete`,
    },
    [...ANSWER, { end: 'cut' }],
  ),
  broken(
    {
      id: 'h2-cut-after-finish',
      title: 'Closes the connection after the finish reason, with no word of HTTP/2 or TLS.',
      why: [RESET, 'docs/client-rules.md, Ends: a body that is cut before [DONE] is an error, after finish_reason too'],
    },
    [role(), say('Hello'), end('stop'), { end: 'cut' }],
  ),

  prompt('gzip'),
  prompt('deflate'),
  prompt('br'),
  coded(
    {
      id: 'coding-gzip-members',
      title: 'Sends two members of gzip, one after the other.',
      why: 'RFC 1952 2.2: a file of gzip is a series of members',
    },
    'gzip',
    [zipped(BEGINNING), zipped(TEXT.slice(BEGINNING.length))],
    chatExpect(ANSWER),
  ),
  coded(
    {
      id: 'coding-gzip-bytes',
      title: 'Sends a body of gzip a byte at a time.',
      why: 'RFC 9112 7.1: an event may begin and end anywhere in a chunk of the transfer',
    },
    'gzip',
    [...zipped(SHORT)].map((byte) => new Uint8Array([byte])),
    chatExpect([SHORT]),
  ),
  cutInside('gzip', zipped(EVENTS.join(''))),
  coded(
    {
      id: 'coding-gzip-no-trailer',
      title: 'Ends a body of gzip before its trailer, and before [DONE].',
      why: `${LAB}: a coded body without its trailer is an error before [DONE]`,
    },
    'gzip',
    [cutOff(zipped([BEGINNING, end('stop')].join('')))],
    { ...ERROR, chat: { ...(started ?? { content: '', tool_calls: [], usage: null }), finish_reason: null } },
  ),
  cutInside('br', new Uint8Array(brotliCompressSync(EVENTS.join('')))),
];
