import type { Abort, ClientCase, Expectation, Scripted } from '../../emulator/contract/client-case.js';
import {
  call,
  chatExpect,
  choice,
  DONE,
  data,
  end,
  final,
  HELLO,
  halved,
  NONE,
  noRetry,
  piece,
  plain,
  refusal,
  role,
  say,
  sseExpect,
  stream,
  tools,
  type Whole,
  type Why,
  type Written,
} from './build.js';

const SILENCE = 'docs/client-rules.md, Silence';
const ABORT = 'docs/client-rules.md, Abort';
const LIMIT = `${SILENCE}: a client keeps to the limit of silence that its caller gave`;
const SIGNAL = 'WHATWG DOM 3.3: an aborted signal ends what was given it, now and for good';
const UNFINISHED = 'docs/client-rules.md: a call that was not finished is not reported';
const CLEAN_END = `${SILENCE}: a stream without [DONE] is complete only if it ends cleanly`;
const BEFORE_DONE = `${ABORT}: a call that is aborted between finish_reason and [DONE] is aborted`;
const COMMENTS = 'WHATWG HTML 9.2.7: comments keep a connection alive';

/** The longest silence that a client shall bear, and half of it, in ms. */
const IDLE = 500;
const HALF = IDLE / 2;

const OK = { chat: stream(HELLO), sse: stream(['data: a\n\n', 'data: b\n\n']) };
const KEEPALIVE = data({ type: 'keepalive' });
const apart = (written: readonly Written[], ms: number): Written[] => written.flatMap((one) => [one, { wait: ms }]);
const times = (n: number, written: Written): Written[] => Array.from({ length: n }, () => written);

type Layer = 'sse' | 'chat';
interface Given {
  readonly why?: Why;
  readonly answer?: Partial<Scripted>;
}

/** The result of these writes until the call ended: text, or events. */
const cameOf = (layer: Layer, steps: readonly Written[]): Partial<Expectation> => {
  if (layer === 'sse') return { events: sseExpect(steps) };
  const { chat } = chatExpect(steps.filter((one) => typeof one !== 'string' || !one.includes('[DONE]')));
  return chat === undefined ? {} : { chat: { ...chat, tool_calls: [] } };
};

const expectOf = (layer: Layer, steps: readonly Written[]): Expectation =>
  layer === 'sse' ? { outcome: 'complete', events: sseExpect(steps) } : chatExpect(steps);

/** Falls silent: the client gives up at its limit, closes, and sends nothing again. */
const silent = (
  id: string,
  title: string,
  layer: Layer,
  steps: readonly Written[],
  { why = [], answer }: Given = {},
): ClientCase =>
  plain(id, title, {
    layer,
    needs: ['idle'],
    run: { idle_limit: IDLE },
    retries: 'default',
    timeout: 3_000,
    why: [
      LIMIT,
      `${SILENCE}: a client that hears nothing for as long as its limit reports an error, closes the connection and sends nothing again`,
      ...[why].flat(),
    ],
    exchanges: [{ ...stream([...steps, NONE]), ...answer }, OK[layer]],
    expect: {
      outcome: 'error',
      ...(answer?.before === undefined ? cameOf(layer, steps) : {}),
      idle_within: 1_000,
      requests: { count: 1, watched_for: 1_500, left_within: 1_000 },
    },
  });

/** Is slow, but never silent for the limit: nothing may be cut. */
const alive = (
  id: string,
  title: string,
  layer: Layer,
  steps: readonly Written[],
  { why = [], answer }: Given = {},
): ClientCase =>
  plain(id, title, {
    layer,
    needs: ['idle'],
    run: { idle_limit: IDLE },
    timeout: 6_000,
    why: [`${SILENCE}: every byte of the response ends a silence`, ...[why].flat()],
    exchanges: [stream(steps, answer)],
    expect: { ...expectOf(layer, steps), requests: { count: 1 } },
  });

const after = (ms: number): Abort => ({ when: 'ms', ms });
const atEvent = (n: number): Abort => ({ when: 'event', n });
interface Aborts extends Given {
  /** By default while it is silent. */
  readonly abort?: Abort;
  /** How long an answer may take; by default 1 s from the abort. */
  readonly within?: number;
  readonly needs?: ClientCase['needs'];
  readonly requests?: Expectation['requests'];
  readonly more?: Partial<Whole>;
}

/** The caller aborts: at once, for good, and the client is as good as before. */
const aborted = (
  id: string,
  title: string,
  layer: Layer,
  steps: readonly Written[],
  { why = [], answer, abort = after(400), needs = ['abort'], requests, more, ...rest }: Aborts = {},
): ClientCase =>
  plain(id, title, {
    layer,
    needs,
    run: { abort },
    // biome-ignore lint/suspicious/noThenProperty: the word of the format
    then: 'call',
    why: [
      `${ABORT}: an aborted call ends within 1 s and closes its connection, and the next call of the client succeeds`,
      SIGNAL,
      ...[why].flat(),
    ],
    exchanges: [
      { ...stream([...steps, NONE]), ...answer },
      { ...OK[layer], ...(answer?.protocol && { protocol: answer.protocol }) },
    ],
    expect: {
      outcome: 'aborted',
      ...cameOf(layer, answer?.before === undefined ? steps : []),
      within: rest.within ?? 1_000 + ('ms' in abort ? abort.ms : 0),
      requests: { count: 1, left_within: 1_000, ...requests },
    },
    ...more,
  });

/** The call was aborted before it was made. */
const abortedBefore = (id: string, title: string, layer: Layer): ClientCase =>
  aborted(id, title, layer, [], {
    abort: { when: 'before' },
    requests: { count: 0, watched_for: 500 },
    why: `${ABORT}: a call that is aborted before it begins sends nothing`,
    more: { exchanges: [OK[layer]] },
  });

/** Leaves the loop while nothing comes: the call is over. */
const left = (id: string, layer: Layer, steps: readonly Written[]): ClientCase =>
  plain(id, 'Falls silent; the user has left after the first event.', {
    layer,
    stop_after: 1,
    why: [`${ABORT}: leaving the loop ends the call within 1 s, also while the body is silent`],
    exchanges: [stream([...steps, NONE])],
    expect: { outcome: 'complete', within: 1_500, requests: { count: 1, close_within: 1_500 } },
  });

const flowing = (one: (n: number) => string): Written[] =>
  Array.from({ length: 20 }, (_, n) => [one(n), { wait: 100 }] as const).flat();

/** Silence and life, aborts and leaving (LAB-15, LAB-16). */
export const TIME: ClientCase[] = [
  silent('idle-no-head', 'Takes the request, and never answers.', 'chat', [], { answer: { before: [NONE] } }),
  silent('idle-no-head-sse', 'Takes the request of an event stream, and never answers.', 'sse', [], {
    answer: { before: [NONE] },
  }),
  silent('idle-after-head', 'Sends the head, and nothing more.', 'chat', []),
  silent('idle-after-head-sse', 'Sends the head of an event stream, and nothing more.', 'sse', []),
  silent('idle-after-role', 'Falls silent before the first text.', 'chat', [role()]),
  silent('idle-after-text', 'Falls silent after some text.', 'chat', [role(), say('Hel')]),
  silent('idle-after-events', 'Falls silent between two events.', 'sse', ['data: a\n\n', 'data: b\n\n']),
  silent('idle-in-event', 'Falls silent in the middle of an event.', 'sse', ['data: a\n\n', 'data: b']),
  silent('idle-in-chunk', 'Falls silent in the middle of a chunk.', 'chat', [
    role(),
    say('Hel'),
    say('lo').slice(0, 40),
  ]),
  silent('idle-in-character', 'Falls silent between two bytes of a character.', 'sse', [
    'data: a\n\n',
    halved('data: 😀')[0],
  ]),
  silent(
    'idle-in-arguments',
    'Falls silent inside the arguments of a tool call.',
    'chat',
    [role(), tools(call(0, 'call_1', 'weather', '{"city":'))],
    { why: UNFINISHED },
  ),
  silent('idle-after-finish', 'Falls silent after the finish reason.', 'chat', [role(), say('Hello'), end('stop')], {
    why: CLEAN_END,
  }),
  silent(
    'idle-before-done',
    'Falls silent after the usage, before [DONE].',
    'chat',
    [role(), say('Hello'), end('stop'), final()],
    { why: CLEAN_END },
  ),
  silent('idle-after-comments', 'Keeps the stream alive for three limits, then falls silent.', 'chat', [
    role(),
    ...apart(times(6, ': processing\n\n'), HALF),
  ]),
  silent('idle-after-keepalives', 'Sends keepalives as data for three limits, then falls silent.', 'chat', [
    role(),
    ...apart(times(6, KEEPALIVE), HALF),
  ]),
  alive(
    'idle-comments',
    'Sends comments at half the limit for three limits, then answers.',
    'chat',
    [...apart(times(6, ': processing\n\n'), HALF), ...HELLO],
    { why: COMMENTS },
  ),
  alive(
    'idle-comments-sse',
    'Sends comments at half the limit between two events.',
    'sse',
    ['data: a\n\n', ...apart(times(6, ':\n'), HALF), 'data: b\n\n'],
    { why: COMMENTS },
  ),
  alive(
    'idle-keepalive-data',
    'Sends {"type":"keepalive"} at half the limit for three limits, then answers.',
    'chat',
    [role(), ...apart(times(6, KEEPALIVE), HALF), ...HELLO.slice(1)],
    { why: 'docs/client-rules.md, Tool calls: keepalives are JSON objects without choices' },
  ),
  alive('idle-bytes', 'Sends an event a byte at a time, each at half the limit.', 'sse', [
    'data: a\n\n',
    ...apart([...'data: b'], HALF),
    '\n\n',
  ]),
  alive('idle-character', 'Sends the bytes of a character apart, at half the limit.', 'sse', [
    'data: ',
    ...apart(halved('😀'), HALF),
    '!',
    { wait: HALF },
    '\n\n',
  ]),
  alive('idle-steady', 'Answers slowly but steadily, for longer than the limit.', 'chat', [
    role(),
    ...apart([...'Hello wo'].map(say), HALF),
    end('stop'),
    final(),
    DONE,
  ]),
  alive('idle-arguments', 'Sends the arguments of a tool call slowly, for longer than the limit.', 'chat', [
    role(),
    tools(call(0, 'call_1', 'weather', '')),
    ...apart(
      ['{"ci', 'ty"', ':"P', 'ari', 's"}'].map((one) => tools(piece(one))),
      HALF,
    ),
    end('tool_calls'),
    final(),
    DONE,
  ]),
  alive(
    'idle-coded',
    'Sends comments at half the limit, compressed.',
    'chat',
    [...apart(times(6, ': processing\n\n'), HALF), ...HELLO],
    { answer: { encoding: 'gzip' }, why: `${SILENCE}: compressed bytes end a silence too` },
  ),

  abortedBefore('abort-before', 'Would answer, but the call was aborted before it was made.', 'chat'),
  abortedBefore('abort-before-sse', 'Would stream events, but the call was aborted before it was made.', 'sse'),
  aborted('abort-before-head', 'Takes the request and does not answer; the caller aborts.', 'chat', [], {
    answer: { before: [NONE] },
    abort: after(300),
    requests: { watched_for: 1_500 },
    more: { retries: 'default' },
    why: `${ABORT}: an abort is no failure to be tried again`,
  }),
  aborted('abort-silent', 'Falls silent after some text; the caller aborts.', 'chat', [role(), say('Hel')], {
    requests: { watched_for: 1_500 },
    more: { retries: 'default' },
  }),
  aborted('abort-silent-sse', 'Falls silent after an event; the caller aborts.', 'sse', ['data: a\n\n'], {}),
  aborted('abort-in-event', 'Falls silent in the middle of an event; the caller aborts.', 'sse', [
    'data: a\n\n',
    'data: b',
  ]),
  aborted(
    'abort-at-event',
    'Goes on and on; the caller aborts at the third event.',
    'sse',
    flowing((n) => `data: ${n}\n\n`),
    { abort: atEvent(3), within: 1_500 },
  ),
  aborted(
    'abort-at-chunk',
    'Goes on and on; the caller aborts at the third chunk.',
    'chat',
    [role(), ...flowing((n) => say(`${n} `))],
    { abort: atEvent(3), within: 1_500 },
  ),
  aborted(
    'abort-glued',
    'Sends four events in one write and falls silent; the caller aborts at the first.',
    'sse',
    ['data: a\n\ndata: b\n\ndata: c\n\ndata: d\n\n'],
    { abort: atEvent(1) },
  ),
  aborted(
    'abort-in-arguments',
    'Falls silent inside the arguments of a tool call; the caller aborts.',
    'chat',
    [role(), tools(call(0, 'call_1', 'weather', '{"city":'))],
    {
      why: UNFINISHED,
    },
  ),
  aborted(
    'abort-after-finish',
    'Falls silent after the finish reason; the caller aborts.',
    'chat',
    [role(), say('Hello'), end('stop')],
    {
      why: BEFORE_DONE,
    },
  ),
  aborted(
    'abort-before-done',
    'Falls silent after the usage, before [DONE]; the caller aborts.',
    'chat',
    [role(), say('Hello'), choice({}, 'stop'), final()],
    {
      why: BEFORE_DONE,
    },
  ),
  aborted(
    'abort-after-done',
    'Sends [DONE] and keeps the connection open; the caller aborts when it is too late.',
    'chat',
    HELLO,
    {
      abort: after(1_200),
      within: 1_100,
      why: `${ABORT}: a call that is aborted after [DONE] is complete`,
      more: { expect: { ...chatExpect(HELLO), within: 1_100, requests: { count: 1 } } },
    },
  ),
  aborted('abort-twice', 'Falls silent; the caller aborts twice.', 'chat', [role(), say('Hel')], {
    abort: { ...atEvent(2), times: 2 },
  }),
  aborted(
    'abort-retry-waits',
    'Refuses with 503 and Retry-After: 2; the caller aborts while the retry waits.',
    'chat',
    [],
    {
      answer: refusal(503, 'busy', true, { 'retry-after': '2' }),
      abort: after(500),
      requests: { count: 1, watched_for: 2_500 },
      more: { retries: 'default', alternatives: [noRetry({ error: { status: 503 } })] },
      why: `${ABORT}: a client sends nothing more after an abort`,
    },
  ),
  aborted('abort-coded', 'Falls silent within a compressed body; the caller aborts.', 'chat', [role(), say('Hel')], {
    answer: { encoding: 'gzip' },
  }),
  aborted('abort-h2', 'Falls silent within a stream of HTTP/2; the caller aborts.', 'chat', [role(), say('Hel')], {
    needs: ['abort', 'h2'],
    answer: { protocol: 'h2' },
    why: 'RFC 9113 8.1: RST_STREAM ends one stream',
  }),
  left('abort-leave-silent', 'chat', [role(), say('Hel')]),
  left('abort-leave-silent-sse', 'sse', ['data: a\n\n']),
];
