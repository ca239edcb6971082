import type { ClientCase, Expectation, Scripted } from '../../emulator/contract/client-case.js';
import {
  call,
  chatExpect,
  choice,
  DONE,
  data,
  end,
  final,
  plain,
  refusal,
  role,
  say,
  sseExpect,
  stream,
  tools,
  type Written,
} from './build.js';

const SILENCE = 'docs/client-rules.md, Silence';
const ABORT = 'docs/client-rules.md, Abort';
const LIMIT = `${SILENCE}: a client keeps to the limit of silence that its caller gave`;
const SIGNAL = 'WHATWG DOM 3.3: an aborted signal ends what was given it, now and for good';

/** The longest silence that a client shall bear, and half of it, in ms. */
const IDLE = 500;
const HALF = IDLE / 2;

const NONE = { end: 'none' } as const;
const ANSWER: Written[] = [role(), say('Hello'), end('stop'), final(), DONE];
const OK = stream(ANSWER);
const EVENTS: Written[] = ['data: a\n\n', 'data: b\n\n'];
const OK_EVENTS = stream(EVENTS);
const KEEPALIVE = data({ type: 'keepalive' });
const apart = (written: readonly Written[], ms: number): Written[] => written.flatMap((one) => [one, { wait: ms }]);
const times = (n: number, written: Written): Written[] => Array.from({ length: n }, () => written);
const halves = (text: string): Uint8Array[] => {
  const bytes = Buffer.from(text);
  const at = bytes.findIndex((byte) => byte >= 0xf0) + 2;
  return [bytes.subarray(0, at), bytes.subarray(at)];
};

type Layer = 'sse' | 'chat';
interface Given {
  readonly id: string;
  readonly title: string;
  readonly layer: Layer;
  readonly why?: string | readonly string[];
  readonly steps: readonly Written[];
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
const silent = ({ id, title, layer, why = [], steps, answer }: Given): ClientCase =>
  plain({
    id,
    title,
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
    exchanges: [{ ...stream([...steps, NONE]), ...answer }, layer === 'sse' ? OK_EVENTS : OK],
    expect: {
      outcome: 'error',
      ...(answer?.before === undefined ? cameOf(layer, steps) : {}),
      idle_within: 1_000,
      requests: { count: 1, watched_for: 1_500, left_within: 1_000 },
    },
  });

/** Is slow, but never silent for the limit: nothing may be cut. */
const alive = ({ id, title, layer, why = [], steps, answer }: Given): ClientCase =>
  plain({
    id,
    title,
    layer,
    needs: ['idle'],
    run: { idle_limit: IDLE },
    timeout: 6_000,
    why: [`${SILENCE}: every byte of the response ends a silence`, ...[why].flat()],
    exchanges: [stream(steps, answer)],
    expect: { ...expectOf(layer, steps), requests: { count: 1 } },
  });

interface AbortGiven extends Given {
  readonly abort: NonNullable<NonNullable<ClientCase['run']>['abort']>;
  readonly within: number;
  readonly needs?: ClientCase['needs'];
  readonly requests?: Expectation['requests'];
  readonly more?: Partial<Parameters<typeof plain>[0]>;
}

/** The caller aborts: at once, for good, and the client is as good as before. */
const aborted = (given: AbortGiven): ClientCase => {
  const { id, title, layer, why = [], steps, answer, abort, within, needs = ['abort'], requests, more } = given;
  return plain({
    id,
    title,
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
      { ...(layer === 'sse' ? OK_EVENTS : OK), ...protocolOf(answer) },
    ],
    expect: {
      outcome: 'aborted',
      ...cameOf(layer, answer?.before === undefined ? steps : []),
      within,
      requests: { count: 1, left_within: 1_000, ...requests },
    },
    ...more,
  });
};
/** The call was aborted before it was made. */
const abortedBefore = (given: Pick<AbortGiven, 'id' | 'title' | 'layer' | 'more'>): ClientCase =>
  aborted({
    ...given,
    steps: [],
    abort: { when: 'before' },
    within: 1_000,
    requests: { count: 0, watched_for: 500 },
    why: `${ABORT}: a call that is aborted before it begins sends nothing`,
  });
const protocolOf = (answer: Partial<Scripted> | undefined): Partial<Scripted> =>
  answer?.protocol === undefined ? {} : { protocol: answer.protocol };

/** Leaves the loop while nothing comes: the call is over. */
const left = (id: string, layer: Layer, steps: readonly Written[]): ClientCase =>
  plain({
    id,
    title: 'Falls silent; the user has left after the first event.',
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
  silent({
    id: 'idle-no-head',
    title: 'Takes the request, and never answers.',
    layer: 'chat',
    steps: [],
    answer: { before: [NONE] },
  }),
  silent({
    id: 'idle-no-head-sse',
    title: 'Takes the request of an event stream, and never answers.',
    layer: 'sse',
    steps: [],
    answer: { before: [NONE] },
  }),
  silent({ id: 'idle-after-head', title: 'Sends the head, and nothing more.', layer: 'chat', steps: [] }),
  silent({
    id: 'idle-after-head-sse',
    title: 'Sends the head of an event stream, and nothing more.',
    layer: 'sse',
    steps: [],
  }),
  silent({ id: 'idle-after-role', title: 'Falls silent before the first text.', layer: 'chat', steps: [role()] }),
  silent({ id: 'idle-after-text', title: 'Falls silent after some text.', layer: 'chat', steps: [role(), say('Hel')] }),
  silent({
    id: 'idle-after-events',
    title: 'Falls silent between two events.',
    layer: 'sse',
    steps: ['data: a\n\n', 'data: b\n\n'],
  }),
  silent({
    id: 'idle-in-event',
    title: 'Falls silent in the middle of an event.',
    layer: 'sse',
    steps: ['data: a\n\n', 'data: b'],
  }),
  silent({
    id: 'idle-in-chunk',
    title: 'Falls silent in the middle of a chunk.',
    layer: 'chat',
    steps: [role(), say('Hel'), say('lo').slice(0, 40)],
  }),
  silent({
    id: 'idle-in-character',
    title: 'Falls silent between two bytes of a character.',
    layer: 'sse',
    steps: ['data: a\n\n', halves('data: 😀')[0] ?? ''],
  }),
  silent({
    id: 'idle-in-arguments',
    title: 'Falls silent inside the arguments of a tool call.',
    layer: 'chat',
    steps: [role(), tools(call(0, 'call_1', 'weather', '{"city":'))],
    why: 'docs/client-rules.md: a call that was not finished is not reported',
  }),
  silent({
    id: 'idle-after-finish',
    title: 'Falls silent after the finish reason.',
    layer: 'chat',
    steps: [role(), say('Hello'), end('stop')],
    why: `${SILENCE}: a stream without [DONE] is complete only if it ends cleanly`,
  }),
  silent({
    id: 'idle-before-done',
    title: 'Falls silent after the usage, before [DONE].',
    layer: 'chat',
    steps: [role(), say('Hello'), end('stop'), final()],
    why: `${SILENCE}: a stream without [DONE] is complete only if it ends cleanly`,
  }),
  silent({
    id: 'idle-after-comments',
    title: 'Keeps the stream alive for three limits, then falls silent.',
    layer: 'chat',
    steps: [role(), ...apart(times(6, ': processing\n\n'), HALF)],
  }),
  silent({
    id: 'idle-after-keepalives',
    title: 'Sends keepalives as data for three limits, then falls silent.',
    layer: 'chat',
    steps: [role(), ...apart(times(6, KEEPALIVE), HALF)],
  }),
  alive({
    id: 'idle-comments',
    title: 'Sends comments at half the limit for three limits, then answers.',
    layer: 'chat',
    steps: [...apart(times(6, ': processing\n\n'), HALF), ...ANSWER],
    why: 'WHATWG HTML 9.2.7: comments keep a connection alive',
  }),
  alive({
    id: 'idle-comments-sse',
    title: 'Sends comments at half the limit between two events.',
    layer: 'sse',
    steps: ['data: a\n\n', ...apart(times(6, ':\n'), HALF), 'data: b\n\n'],
    why: 'WHATWG HTML 9.2.7: comments keep a connection alive',
  }),
  alive({
    id: 'idle-keepalive-data',
    title: 'Sends {"type":"keepalive"} at half the limit for three limits, then answers.',
    layer: 'chat',
    steps: [role(), ...apart(times(6, KEEPALIVE), HALF), ...ANSWER.slice(1)],
    why: 'docs/client-rules.md, Tool calls: keepalives are JSON objects without choices',
  }),
  alive({
    id: 'idle-bytes',
    title: 'Sends an event a byte at a time, each at half the limit.',
    layer: 'sse',
    steps: ['data: a\n\n', ...apart([...'data: b'], HALF), '\n\n'],
  }),
  alive({
    id: 'idle-character',
    title: 'Sends the bytes of a character apart, at half the limit.',
    layer: 'sse',
    steps: ['data: ', ...apart(halves('😀'), HALF), '!', { wait: HALF }, '\n\n'],
  }),
  alive({
    id: 'idle-steady',
    title: 'Answers slowly but steadily, for longer than the limit.',
    layer: 'chat',
    steps: [role(), ...apart([...'Hello wo'].map(say), HALF), end('stop'), final(), DONE],
  }),
  alive({
    id: 'idle-arguments',
    title: 'Sends the arguments of a tool call slowly, for longer than the limit.',
    layer: 'chat',
    steps: [
      role(),
      tools(call(0, 'call_1', 'weather', '')),
      ...apart(
        ['{"ci', 'ty"', ':"P', 'ari', 's"}'].map((one) => tools(call(0, undefined, undefined, one))),
        HALF,
      ),
      end('tool_calls'),
      final(),
      DONE,
    ],
  }),
  alive({
    id: 'idle-coded',
    title: 'Sends comments at half the limit, compressed.',
    layer: 'chat',
    steps: [...apart(times(6, ': processing\n\n'), HALF), ...ANSWER],
    answer: { encoding: 'gzip' },
    why: `${SILENCE}: compressed bytes end a silence too`,
  }),

  abortedBefore({
    id: 'abort-before',
    title: 'Would answer, but the call was aborted before it was made.',
    layer: 'chat',
    more: { exchanges: [OK] },
  }),
  abortedBefore({
    id: 'abort-before-sse',
    title: 'Would stream events, but the call was aborted before it was made.',
    layer: 'sse',
    more: { exchanges: [OK_EVENTS] },
  }),
  aborted({
    id: 'abort-before-head',
    title: 'Takes the request and does not answer; the caller aborts.',
    layer: 'chat',
    steps: [],
    answer: { before: [NONE] },
    abort: { when: 'ms', ms: 300 },
    within: 1_300,
    requests: { watched_for: 1_500 },
    more: { retries: 'default' },
    why: `${ABORT}: an abort is no failure to be tried again`,
  }),
  aborted({
    id: 'abort-silent',
    title: 'Falls silent after some text; the caller aborts.',
    layer: 'chat',
    steps: [role(), say('Hel')],
    abort: { when: 'ms', ms: 400 },
    within: 1_400,
    requests: { watched_for: 1_500 },
    more: { retries: 'default' },
  }),
  aborted({
    id: 'abort-silent-sse',
    title: 'Falls silent after an event; the caller aborts.',
    layer: 'sse',
    steps: ['data: a\n\n'],
    abort: { when: 'ms', ms: 400 },
    within: 1_400,
  }),
  aborted({
    id: 'abort-in-event',
    title: 'Falls silent in the middle of an event; the caller aborts.',
    layer: 'sse',
    steps: ['data: a\n\n', 'data: b'],
    abort: { when: 'ms', ms: 400 },
    within: 1_400,
  }),
  aborted({
    id: 'abort-at-event',
    title: 'Goes on and on; the caller aborts at the third event.',
    layer: 'sse',
    steps: flowing((n) => `data: ${n}\n\n`),
    abort: { when: 'event', n: 3 },
    within: 1_500,
  }),
  aborted({
    id: 'abort-at-chunk',
    title: 'Goes on and on; the caller aborts at the third chunk.',
    layer: 'chat',
    steps: [role(), ...flowing((n) => say(`${n} `))],
    abort: { when: 'event', n: 3 },
    within: 1_500,
  }),
  aborted({
    id: 'abort-glued',
    title: 'Sends four events in one write and falls silent; the caller aborts at the first.',
    layer: 'sse',
    steps: ['data: a\n\ndata: b\n\ndata: c\n\ndata: d\n\n'],
    abort: { when: 'event', n: 1 },
    within: 1_000,
  }),
  aborted({
    id: 'abort-in-arguments',
    title: 'Falls silent inside the arguments of a tool call; the caller aborts.',
    layer: 'chat',
    steps: [role(), tools(call(0, 'call_1', 'weather', '{"city":'))],
    abort: { when: 'ms', ms: 400 },
    within: 1_400,
    why: 'docs/client-rules.md: a call that was not finished is not reported',
  }),
  aborted({
    id: 'abort-after-finish',
    title: 'Falls silent after the finish reason; the caller aborts.',
    layer: 'chat',
    steps: [role(), say('Hello'), end('stop')],
    abort: { when: 'ms', ms: 400 },
    within: 1_400,
    why: `${ABORT}: a call that is aborted between finish_reason and [DONE] is aborted`,
  }),
  aborted({
    id: 'abort-before-done',
    title: 'Falls silent after the usage, before [DONE]; the caller aborts.',
    layer: 'chat',
    steps: [role(), say('Hello'), choice({}, 'stop'), final()],
    abort: { when: 'ms', ms: 400 },
    within: 1_400,
    why: `${ABORT}: a call that is aborted between finish_reason and [DONE] is aborted`,
  }),
  aborted({
    id: 'abort-after-done',
    title: 'Sends [DONE] and keeps the connection open; the caller aborts when it is too late.',
    layer: 'chat',
    steps: ANSWER,
    abort: { when: 'ms', ms: 1_200 },
    within: 1_100,
    why: `${ABORT}: a call that is aborted after [DONE] is complete`,
    more: { expect: { ...chatExpect(ANSWER), within: 1_100, requests: { count: 1 } } },
  }),
  aborted({
    id: 'abort-twice',
    title: 'Falls silent; the caller aborts twice.',
    layer: 'chat',
    steps: [role(), say('Hel')],
    abort: { when: 'event', n: 2, times: 2 },
    within: 1_000,
  }),
  aborted({
    id: 'abort-retry-waits',
    title: 'Refuses with 503 and Retry-After: 2; the caller aborts while the retry waits.',
    layer: 'chat',
    steps: [],
    answer: refusal(503, 'busy', true, { 'retry-after': '2' }),
    abort: { when: 'ms', ms: 500 },
    within: 1_500,
    requests: { count: 1, watched_for: 2_500 },
    more: {
      retries: 'default',
      alternatives: [
        { outcome: 'error', error: { status: 503 }, requests: { count: 1 }, why: 'a client owes nobody a retry' },
      ],
    },
    why: `${ABORT}: a client sends nothing more after an abort`,
  }),
  aborted({
    id: 'abort-coded',
    title: 'Falls silent within a compressed body; the caller aborts.',
    layer: 'chat',
    steps: [role(), say('Hel')],
    answer: { encoding: 'gzip' },
    abort: { when: 'ms', ms: 400 },
    within: 1_400,
  }),
  aborted({
    id: 'abort-h2',
    title: 'Falls silent within a stream of HTTP/2; the caller aborts.',
    layer: 'chat',
    needs: ['abort', 'h2'],
    steps: [role(), say('Hel')],
    answer: { protocol: 'h2' },
    abort: { when: 'ms', ms: 400 },
    within: 1_400,
    why: 'RFC 9113 8.1: RST_STREAM ends one stream',
  }),
  left('abort-leave-silent', 'chat', [role(), say('Hel')]),
  left('abort-leave-silent-sse', 'sse', ['data: a\n\n']),
];
