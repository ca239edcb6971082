import { gzipSync } from 'node:zlib';
import type { CaseExchange, ClientCase, Expectation, Scripted } from '../../emulator/contract/client-case.js';
import {
  chat,
  chatExpect,
  DONE,
  end,
  final,
  HELLO,
  json,
  noRetry,
  plain,
  redirect,
  refusal,
  role,
  say,
  sse,
  stream,
  type Why,
} from './build.js';

const H = 'WHATWG HTML 9.2.6';
const CHUNKED = 'RFC 9112 7.1 and 8: a chunked body without its last chunk is incomplete';
const LENGTH = 'RFC 9112 6.3 and 8: a body shorter than Content-Length is incomplete';
const AFTER = 'RFC 9110 10.2.3: Retry-After tells how long to wait';
const REDIRECT = 'RFC 9110 15.4: a client follows a redirect as its status says, or reports that status';
const FETCH_AUTH = 'WHATWG Fetch 4.4 and RFC 9110 15.4: Authorization goes to no other origin';
const RETRYABLE = 'interface.md, Errors: `retryable` says whether a retry can help';
const EVENT = `${H}: status 200 and an event stream, else the connection fails`;
const NEVER = 'docs/client-rules.md: other statuses are not retried, whatever they call themselves';
const UNANSWERED = 'RFC 9112 8: a request without an answer ends in an error';
const FRAMED = 'RFC 9112 6.3: a body without chunks ends where Content-Length says, or where the connection closes';

const TWO = ['data: a\n\n', 'data: b\n\n'];
const OK = stream(HELLO);
const ANSWERED = chatExpect(HELLO);

const refused = (status: number, more: Partial<Expectation> = {}): Expectation => ({
  outcome: 'error',
  error: { status },
  ...more,
});

/** A second request, so many ms after the first. */
const twice = (gap: number | undefined) => ({
  count: 2,
  each: [KEPT, KEPT],
  ...(gap === undefined ? {} : { gap_at_least: gap }),
});

/** A refusal that may be retried up to twice. */
const retried = (
  id: string,
  title: string,
  first: Scripted,
  why: Why,
  gap?: number,
  own?: string,
  ownGap?: number,
): ClientCase =>
  plain(id, title, {
    layer: 'chat',
    retries: 'default',
    timeout: 15_000,
    why,
    exchanges: [first, OK],
    expect: { ...ANSWERED, requests: twice(gap) },
    alternatives: [
      noRetry({ error: { status: first.status } }),
      ...(own === undefined ? [] : [{ ...ANSWERED, requests: twice(ownGap), why: own }]),
    ],
  });

/** A refusal that no client may repeat. */
const once = (id: string, title: string, first: Scripted, why: Why, more: Partial<Expectation> = {}): ClientCase =>
  plain(id, title, {
    layer: 'chat',
    retries: 'default',
    timeout: 10_000,
    why,
    exchanges: [first, OK],
    expect: refused(first.status, { requests: { count: 1, watched_for: 1_500 }, ...more }),
  });

const limited = (headers: Scripted['headers']) => refusal(429, 'rate_limited', true, headers);

const PATH = '/chat/completions';
/** A redirect of an event stream: what the client that follows it sends, and the one that does not. */
function redirected(
  id: string,
  title: string,
  status: number,
  to: 'base' | 'other',
  after: readonly NonNullable<NonNullable<Expectation['requests']>['each']>[number][],
): ClientCase {
  const events = [{ event: 'message', data: 'a', id: '' }];
  const auth = to === 'base' ? { with_header: ['authorization'] } : { without_header: ['authorization'] };
  const [expect, ...others] = after.map((second) => ({
    outcome: 'complete' as const,
    events,
    requests: {
      count: 2,
      each: [
        { method: 'POST', path: PATH },
        { path: '/moved', ...second, ...auth },
      ],
    },
  }));
  if (expect === undefined) throw new Error(id);
  return plain(id, title, {
    layer: 'sse',
    why: to === 'base' ? REDIRECT : [REDIRECT, FETCH_AUTH],
    exchanges: [redirect(status, `{${to}}/moved`), stream(['data: a\n\n'])],
    expect,
    alternatives: [
      ...others.map((other) => ({ ...other, why: `${REDIRECT}: 301 and 302 may turn a POST into a GET` })),
      { ...refused(status), requests: { count: 1 }, why: 'not following is a choice of the client' },
    ],
  });
}
const KEPT = { method: 'POST', body_has: '"stream"' };
const GET = { method: 'GET' };

const both = (make: (connection: 'keep-alive' | 'close', name: string) => ClientCase): ClientCase[] => [
  make('keep-alive', 'keep'),
  make('close', 'close'),
];

const failing = (status: number, headers: Scripted['headers'], text: string): Scripted => ({
  status,
  headers,
  framing: 'length',
  connection: 'keep-alive',
  steps: text === '' ? [] : [{ write: text }],
});

const zipped = (text: string) => new Uint8Array(gzipSync(Buffer.from(text)));
const manyDue = Array.from({ length: 40 }, (_, n) => [`data: ${n}\n\n`, { wait: 100 }] as const).flat();

export const HTTP: ClientCase[] = [
  // Framing
  sse('http-length', 'Tells the length of the stream.', FRAMED, TWO, { answer: { framing: 'length' }, whole: true }),
  sse('http-close', 'Ends the stream by closing the connection.', FRAMED, TWO, {
    answer: { framing: 'close', connection: 'close' },
    whole: true,
  }),
  ...both((connection, name) =>
    sse(
      `http-truncated-chunked-${name}`,
      `Closes before the last chunk (connection: ${connection}).`,
      CHUNKED,
      [...TWO, { end: 'fin' }],
      { answer: { connection } },
    ),
  ),
  ...both((connection, name) =>
    sse(
      `http-truncated-length-${name}`,
      `Closes before as many bytes came as Content-Length tells (connection: ${connection}).`,
      LENGTH,
      [...TWO, { end: 'fin' }],
      { answer: { framing: 'length', length: 1_000, connection } },
    ),
  ),
  ...both((connection, name) =>
    sse(
      `http-reset-chunked-${name}`,
      `Resets the connection within a chunked body (connection: ${connection}).`,
      CHUNKED,
      [...TWO, { wait: 50 }, { end: 'reset' }],
      { answer: { connection } },
    ),
  ),
  sse(
    'http-reset-close',
    'Resets the connection of a body that ends by closing.',
    'RFC 9112 8: a body that ends by an error of the connection is incomplete',
    [...TWO, { wait: 50 }, { end: 'reset' }],
    { answer: { framing: 'close', connection: 'close' } },
  ),
  sse('http-truncated-event', 'Closes inside an event, before the last chunk.', CHUNKED, [
    'data: a\n\ndata: b',
    { end: 'fin' },
  ]),
  sse(
    'http-longer-than-length',
    'Sends more than Content-Length tells.',
    'RFC 9112 6.3: the body ends where Content-Length says',
    ['data: a\n\n', 'data: b\n\n'],
    {
      answer: { framing: 'length', length: 9, connection: 'close' },
      whole: true,
      expect: { events: [{ event: 'message', data: 'a', id: '' }] },
      alternatives: [
        {
          outcome: 'error',
          events: [{ event: 'message', data: 'a', id: '' }],
          why: 'what follows is no answer to anything; a client may call that an error',
        },
      ],
    },
  ),
  plain('http-reset-before-head', 'Resets the connection before the head.', {
    layer: 'chat',
    why: UNANSWERED,
    exchanges: [{ ...OK, before: [{ end: 'reset' }] }],
    expect: { outcome: 'error', requests: { count: 1 } },
  }),
  plain('http-close-before-head', 'Closes the connection before the head.', {
    layer: 'chat',
    why: UNANSWERED,
    exchanges: [{ ...OK, before: [{ end: 'fin' }] }],
    expect: { outcome: 'error', requests: { count: 1 } },
  }),
  plain('http-reset-before-head-retried', 'Resets the connection before the head of the first answer.', {
    layer: 'chat',
    retries: 'default',
    timeout: 10_000,
    why: 'RFC 9110 9.2.2: up to 2 retries are right, although the request may have been handled',
    exchanges: [{ ...OK, before: [{ end: 'reset' }] }, OK],
    expect: { ...ANSWERED, requests: { count: 2 } },
    alternatives: [noRetry()],
  }),
  plain('http-no-answer', 'Never answers.', {
    layer: 'chat',
    timeout: 1_000,
    why: 'docs/client-rules.md, Silence: a client keeps to the limit of silence that its caller gave',
    exchanges: [{ ...OK, before: [{ wait: 2_000 }, { wait: 2_000 }, { end: 'fin' }] }],
    expect: { outcome: 'error', within: 1_900, requests: { count: 1 } },
  }),
  plain('http-late-head', 'Waits before the head.', {
    layer: 'chat',
    why: 'RFC 9112 9.5: a late answer counts; the client’s own limit says how long it waits',
    exchanges: [{ ...OK, before: [{ wait: 1_200 }] }],
    expect: ANSWERED,
  }),
  chat(
    'http-gap',
    'Falls silent within the stream and goes on.',
    'interface.md, Events 5: up to 30 seconds pass between two writes',
    [role(), say('Hel'), { wait: 1_500 }, say('lo'), end('stop'), final(), DONE],
  ),
  plain('http-continue', 'Sends 100 Continue before the head.', {
    layer: 'chat',
    why: 'RFC 9110 15.2: a client must parse 1xx answers, asked for or not',
    exchanges: [{ ...OK, before: [{ informational: 100 }] }],
    expect: ANSWERED,
  }),
  plain('http-early-hints', 'Sends 103 and 102 before the head.', {
    layer: 'chat',
    why: 'RFC 9110 15.2: a client must parse 1xx answers, known or not',
    exchanges: [{ ...OK, before: [{ informational: 103 }, { informational: 102 }] }],
    expect: ANSWERED,
  }),

  // What kind of answer
  sse('http-type-none', 'Names no content type.', EVENT, TWO, {
    answer: { headers: {} },
    whole: true,
    alternatives: [{ ...refused(200), error: {}, events: [], why: `${H}: what is not text/event-stream fails` }],
  }),
  sse(
    'http-type-capitals',
    'Writes the content type in capitals, with a parameter.',
    'RFC 9110 8.3.1: types are case-insensitive, parameters may follow',
    TWO,
    { answer: { headers: { 'content-type': 'Text/Event-Stream;Charset="UTF-8"; x=y' } }, whole: true },
  ),
  plain('http-type-json', 'Answers an event stream with JSON.', {
    layer: 'sse',
    why: EVENT,
    exchanges: [json(200, { data: 'a' })],
    expect: { outcome: 'error', events: [] },
  }),
  plain('http-type-html', 'Answers an event stream with a page.', {
    layer: 'sse',
    why: EVENT,
    exchanges: [failing(200, { 'content-type': 'text/html' }, '<p>data: a\n\ndata: b\n\n</p>')],
    expect: { outcome: 'error', events: [] },
  }),
  plain('http-status-204', 'Answers 204.', {
    layer: 'sse',
    why: EVENT,
    exchanges: [failing(204, {}, '')],
    expect: refused(204),
  }),
  plain('http-status-500-stream', 'Answers 500 with an event stream.', {
    layer: 'sse',
    why: EVENT,
    exchanges: [{ ...stream(TWO), status: 500 }],
    expect: refused(500, { events: [] }),
  }),
  plain('http-json-completion', 'Answers a streaming chat with a whole completion in JSON.', {
    layer: 'chat',
    why: 'CHAT-1: the reply streams; a 200 that is no stream is an error',
    exchanges: [
      json(200, {
        id: 'gen-1',
        object: 'chat.completion',
        created: 1,
        model: 'lab/model',
        choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
      }),
    ],
    expect: { outcome: 'error' },
    alternatives: [
      {
        outcome: 'complete',
        chat: {
          content: 'Hello',
          tool_calls: [],
          finish_reason: 'stop',
          usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
        },
        why: 'a client may take the whole completion as the answer',
      },
    ],
  }),
  plain('http-json-nothing', 'Answers a streaming chat with JSON that is no completion.', {
    layer: 'chat',
    why: 'CHAT-1: a 200 that is no stream is an error',
    exchanges: [json(200, { ok: true })],
    expect: { outcome: 'error' },
  }),
  plain('http-text-page', 'Answers a streaming chat with a page of text.', {
    layer: 'chat',
    why: 'CHAT-1: a 200 that is no stream is an error',
    exchanges: [failing(200, { 'content-type': 'text/plain' }, 'The gateway is being updated.\n')],
    expect: { outcome: 'error' },
  }),
  plain('http-gzip', 'Compresses the stream with gzip, where the client takes it.', {
    layer: 'chat',
    why: 'RFC 9110 8.4: a client decodes each coding that it asked for',
    exchanges: [
      stream([zipped(HELLO.join(''))], {
        headers: { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' },
      }),
    ],
    expect: ANSWERED,
  }),
  plain('http-error-page', 'Refuses with 502 and a page.', {
    layer: 'chat',
    why: 'BASE-3: an error of a gateway has no envelope; it has the status that came',
    exchanges: [failing(502, { 'content-type': 'text/html' }, '<h1>Bad Gateway</h1>')],
    expect: refused(502, { requests: { count: 1 } }),
  }),
  plain('http-error-empty', 'Refuses with 500 and no body.', {
    layer: 'chat',
    why: 'RFC 9110 15.6: the error has the status that came',
    exchanges: [failing(500, {}, '')],
    expect: refused(500, { requests: { count: 1 } }),
  }),
  plain('http-error-envelope', 'Refuses with 403 and the envelope.', {
    layer: 'chat',
    why: 'interface.md, Errors: the status of a refusal is that of its error',
    exchanges: [refusal(403, 'personal_identity_required', false)],
    expect: {
      ...refused(403, { requests: { count: 1 } }),
      error: { status: 403, message_has: 'personal_identity_required' },
    },
  }),
  once(
    'http-error-401',
    'Refuses the credential.',
    json(401, { error: { code: 401, message: 'Invalid or missing API key' } }),
    'interface.md, Authentication: a 401 has no metadata',
  ),

  // Redirects
  redirected('http-redirect-307', 'Redirects with 307 to the same origin.', 307, 'base', [KEPT]),
  redirected('http-redirect-308', 'Redirects with 308 to the same origin.', 308, 'base', [KEPT]),
  redirected('http-redirect-302', 'Redirects with 302 to the same origin.', 302, 'base', [KEPT, GET]),
  redirected('http-redirect-301', 'Redirects with 301 to the same origin.', 301, 'base', [KEPT, GET]),
  redirected('http-redirect-303', 'Redirects with 303 to the same origin.', 303, 'base', [GET]),
  redirected('http-redirect-307-other', 'Redirects with 307 to another origin.', 307, 'other', [KEPT]),
  redirected('http-redirect-302-other', 'Redirects with 302 to another origin.', 302, 'other', [KEPT, GET]),
  redirected('http-redirect-303-other', 'Redirects with 303 to another origin.', 303, 'other', [GET]),
  plain('http-redirect-loop', 'Redirects to itself without end.', {
    layer: 'sse',
    timeout: 10_000,
    why: `${REDIRECT}: a client ought to detect loops`,
    exchanges: [redirect(307, `{base}${PATH}`)],
    expect: { outcome: 'error', requests: { count: [1, 60] } },
  }),

  // Retry-After
  retried('http-retry-after', 'Refuses with 429 and Retry-After: 1.', limited({ 'retry-after': '1' }), AFTER, 1_000),
  retried(
    'http-retry-after-2',
    'Refuses with 503 and Retry-After: 2.',
    refusal(503, 'busy', true, { 'retry-after': '2' }),
    AFTER,
    2_000,
  ),
  retried(
    'http-retry-after-fraction',
    'Refuses with 429 and Retry-After: 1.5.',
    limited({ 'retry-after': '1.5' }),
    AFTER,
    1_500,
    `${AFTER}; 1.5 is no such number, so one’s own backoff is right too`,
  ),
  retried(
    'http-retry-after-date',
    'Refuses with 429 and a date in Retry-After.',
    limited({ 'retry-after': '{date+2s}' }),
    AFTER,
    1_000,
  ),
  retried(
    'http-retry-after-ms',
    'Refuses with 429 and retry-after-ms: 1200.',
    limited({ 'retry-after-ms': '1200' }),
    'OpenAI’s and Azure’s clients: retry-after-ms',
    1_200,
    'retry-after-ms is no standard, so one’s own backoff is right too',
  ),
  retried(
    'http-retry-after-both',
    'Refuses with 429, retry-after-ms: 1500 and Retry-After: 1.',
    limited({ 'retry-after-ms': '1500', 'retry-after': '1' }),
    ['OpenAI’s and Azure’s clients: retry-after-ms wins', AFTER],
    1_500,
    'docs/client-rules.md: a client that does not know retry-after-ms keeps Retry-After',
    1_000,
  ),
  retried('http-retry-after-0', 'Refuses with 429 and Retry-After: 0.', limited({ 'retry-after': '0' }), AFTER),
  retried(
    'http-retry-after-negative',
    'Refuses with 429 and Retry-After: -1.',
    limited({ 'retry-after': '-1' }),
    `${AFTER}; any other value means the client’s own backoff`,
  ),
  retried(
    'http-retry-after-past',
    'Refuses with 429 and a date long past in Retry-After.',
    limited({ 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }),
    `${AFTER}; a date in the past means the client’s own backoff`,
  ),
  retried(
    'http-retry-after-junk',
    'Refuses with 429 and Retry-After: soon.',
    limited({ 'retry-after': 'soon' }),
    `${AFTER}; junk means the client’s own backoff`,
  ),
  once(
    'http-retry-after-huge',
    'Refuses with 429 and Retry-After: 198300.',
    limited({ 'retry-after': '198300' }),
    `${AFTER}; a client does not wait for 55 hours, it reports the error at once`,
    { within: 3_000 },
  ),
  retried('http-retry-503', 'Refuses with 503, retryable.', refusal(503, 'busy', true), RETRYABLE),
  retried('http-retry-500', 'Refuses with 500, retryable.', refusal(500, 'internal_error', true), RETRYABLE),
  retried('http-retry-502', 'Refuses with 502, retryable.', refusal(502, 'intern_unreachable', true), RETRYABLE),
  retried('http-retry-504', 'Refuses with 504, retryable.', refusal(504, 'timeout', true), RETRYABLE),
  retried('http-retry-408', 'Refuses with 408, retryable.', refusal(408, 'timeout', true), RETRYABLE),
  retried('http-retry-409', 'Refuses with 409, retryable.', refusal(409, 'intern_not_ready', true), RETRYABLE),
  plain('http-retry-ends', 'Refuses with 503 again and again.', {
    layer: 'chat',
    retries: 'default',
    timeout: 20_000,
    why: ['docs/client-rules.md: up to 2 retries of what is retryable are right', RETRYABLE],
    exchanges: [refusal(503, 'busy', true)],
    expect: refused(503, { requests: { count: [1, 3], watched_for: 1_500 } }),
  }),
  once('http-no-retry-409', 'Refuses with 409, not retryable.', refusal(409, 'intern_busy', false), RETRYABLE),
  once('http-no-retry-503', 'Refuses with 503, not retryable.', refusal(503, 'busy', false), RETRYABLE),
  once('http-no-retry-502', 'Refuses with 502, not retryable.', refusal(502, 'turn_failed', false), RETRYABLE),
  once('http-no-retry-429', 'Refuses with 429, not retryable.', refusal(429, 'rate_limited', false), RETRYABLE),
  once('http-no-retry-400', 'Refuses with 400 that calls itself retryable.', refusal(400, 'bad_request', true), NEVER),
  once(
    'http-no-retry-501',
    'Refuses with 501 that calls itself retryable.',
    refusal(501, 'not_implemented', true),
    NEVER,
  ),
  once('http-no-retry-404', 'Refuses with 404.', refusal(404, 'not_found', false), RETRYABLE),

  // After the stream began
  plain('http-no-retry-in-stream', 'Resets the connection within the stream.', {
    layer: 'chat',
    retries: 'default',
    timeout: 10_000,
    why: 'interface.md, Disconnect rules: the run was cancelled; a second POST would start another',
    exchanges: [stream([role(), say('Hel'), { wait: 50 }, { end: 'reset' }]), OK],
    expect: {
      outcome: 'error',
      chat: { content: 'Hel', tool_calls: [], finish_reason: null, usage: null },
      requests: { count: 1, watched_for: 1_500 },
    },
  }),
  plain('http-no-retry-after-error', 'Ends the stream with an error chunk that is retryable.', {
    layer: 'chat',
    retries: 'default',
    timeout: 10_000,
    why: 'docs/client-rules.md: a request is never retried once its stream has begun',
    exchanges: [
      stream([
        role(),
        `data: ${JSON.stringify({ choices: [], error: { code: 503, message: 'overloaded', metadata: { reason: 'busy', retryable: true } } })}\n\n`,
        DONE,
      ]),
      OK,
    ],
    expect: { outcome: 'error', error: { status: 503 }, requests: { count: 1, watched_for: 1_500 } },
  }),
  plain('http-no-second-post', 'Ends the stream cleanly.', {
    layer: 'chat',
    retries: 'default',
    why: 'docs/client-rules.md, Retries: an answered prompt is not sent again',
    exchanges: [OK as CaseExchange],
    expect: { ...ANSWERED, requests: { count: 1, watched_for: 1_500 } },
  }),
  plain('http-no-reconnect', 'Ends an event stream cleanly, with a `retry`.', {
    layer: 'sse',
    why: 'RFC 9110 9.2.2: a client does not repeat a POST by itself',
    exchanges: [stream(['retry: 10\nid: 1\ndata: a\n\n'])],
    expect: {
      outcome: 'complete',
      events: [{ event: 'message', data: 'a', id: '1' }],
      requests: { count: 1, watched_for: 1_500 },
    },
  }),
  plain('http-leave-sse', 'Goes on after the user has left the event stream.', {
    layer: 'sse',
    stop_after: 2,
    why: 'RFC 9112 9.6: a client that wants no more of an answer closes the connection',
    exchanges: [stream(manyDue)],
    expect: { outcome: 'complete', requests: { count: 1, close_within: 1_500 } },
  }),
  plain('http-leave-chat', 'Goes on after the user has left the chat.', {
    layer: 'chat',
    stop_after: 2,
    why: 'interface.md, Disconnect rules: the close is what cancels the run',
    exchanges: [
      stream([role(), ...Array.from({ length: 40 }, (_, n) => [say(`${n} `), { wait: 100 }] as const).flat()]),
    ],
    expect: { outcome: 'complete', requests: { count: 1, close_within: 1_500 } },
  }),
];
