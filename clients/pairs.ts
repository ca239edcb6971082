import type { Row } from './run.js';

/** Two versions of a client, of which the second mends what the first does wrong, and the cases that show it. */
export interface Pair {
  /** The name of its file in `clients/real`. */
  readonly client: string;
  readonly broken: string;
  readonly mended: string;
  /** The behaviour of the broken one. */
  readonly what: string;
  /** Where the mistake or its mending is named: a thread, or a changelog; `*` after a thread that was not read itself. */
  readonly seen: readonly string[];
  /** The broken version fails each of these, and the mended one passes. */
  readonly cases: readonly string[];
}

const passes = ({ verdict }: Row) => verdict === 'pass' || verdict === 'pass-alternative';

/** Why the lab does not distinguish the two; undefined if it does. */
export function whyNotDistinct(
  { cases }: Pick<Pair, 'cases'>,
  broken: readonly Row[],
  mended: readonly Row[],
): string | undefined {
  const of = (rows: readonly Row[], id: string) => rows.find((row) => row.id === id) ?? { id, verdict: 'not asked' };
  const wrong = cases.flatMap((id) => {
    const [before, after] = [of(broken, id), of(mended, id)];
    if (before.verdict === 'fail' && passes(after)) return [];
    return [`${id} says ${before.verdict} of the broken one, ${after.verdict} of the mended one`];
  });
  return wrong.length === 0 ? undefined : `not distinguished: ${wrong.join('; ')}`;
}

export const PAIRS: readonly Pair[] = [
  {
    client: 'openai',
    broken: '4.85.1',
    mended: '4.85.2',
    what: 'hands out an event only when the next one comes',
    seen: ['openai/openai-node#1339*'],
    cases: ['chat-prompt'],
  },
  {
    client: 'openai',
    broken: '7.4.0',
    mended: '7.5.0',
    what: 'waits after `[DONE]` until the connection closes',
    seen: ['openai/openai-node#2317'],
    cases: ['chat-done-open', 'abort-after-done'],
  },
  {
    client: 'openai',
    broken: '7.16.0',
    mended: '7.17.0',
    what: 'an abort while a retry waits is heard only when the wait is over',
    seen: ['openai/openai-node#2580', 'openai/openai-node#2581'],
    cases: ['abort-retry-waits'],
  },
  {
    client: 'ai-openai-compatible',
    broken: '2.0.57',
    mended: '2.0.58',
    what: 'fails where the name of a call comes late, and ends a call as soon as its arguments parse',
    seen: ['vercel/ai#14760', 'vercel/ai#16836', 'vercel/ai#13137'],
    cases: ['chat-tool-name-late', 'chat-tool-parses-early'],
  },
  {
    client: 'ai-openai-compatible',
    broken: '2.0.60',
    mended: '2.0.61',
    what: 'loses the code of an error that comes within the stream',
    seen: ['https://github.com/vercel/ai/blob/main/packages/openai-compatible/CHANGELOG.md'],
    cases: ['chat-error-chunk', 'chat-run-ended', 'chat-stream-severed'],
  },
  {
    client: 'ai-openai-compatible',
    broken: '2.0.69',
    mended: '2.0.70',
    what: 'takes a stream that ends too early for a whole answer',
    seen: ['https://github.com/vercel/ai/blob/main/packages/openai-compatible/CHANGELOG.md'],
    cases: ['chat-no-end', 'chat-no-end-empty'],
  },
  {
    client: 'ai-openai-compatible',
    broken: '2.0.79',
    mended: '2.0.80',
    what: 'joins calls that have no index, or all the same one',
    seen: ['https://github.com/vercel/ai/blob/main/packages/provider-utils/CHANGELOG.md'],
    cases: ['chat-tool-no-index', 'chat-tool-two-ids', 'chat-gateway-index-all-0'],
  },
  {
    client: 'ai-openrouter',
    broken: '2.8.1',
    mended: '2.9.0',
    what: 'tells a call again with each delta after which its arguments still parse',
    seen: ['OpenRouterTeam/ai-sdk-provider#489', 'anomalyco/opencode#30800'],
    cases: ['chat-tool-parses-early-object', 'chat-gateway-id-null-text'],
  },
  {
    client: 'eventsource-parser',
    broken: '3.0.0',
    mended: '3.0.1',
    what: 'takes time squared for a long line',
    seen: ['rexxars/eventsource-parser#19'],
    cases: ['sse-long-line'],
  },
  {
    client: 'stream-reader-anthropic',
    broken: '0.36.3',
    mended: '0.37.0',
    what: 'hands out an event only when the next one comes',
    seen: ['anthropics/anthropic-sdk-typescript#686*'],
    cases: ['sse-lf-prompt', 'sse-comment-prompt', 'sse-glued-prompt'],
  },
  {
    client: 'got',
    broken: '15.0.6',
    mended: '15.0.7',
    what: 'sends no body after a redirect with 307 to another origin',
    seen: ['sindresorhus/got#2459', 'sindresorhus/got#2460'],
    cases: ['http-redirect-307-other'],
  },
  {
    client: 'undici',
    broken: '7.25.0',
    mended: '7.26.0',
    what: 'takes a chunked body that is cut for a whole one, where the answer says `connection: close`',
    seen: ['nodejs/undici#5273', 'nodejs/undici#5307'],
    cases: ['http-truncated-chunked-close', 'http-reset-chunked-close'],
  },
];

/** The mistakes of newest versions, each with the smallest case that shows it. */
export const DEFECTS: readonly { readonly client: string; readonly cases: readonly string[]; readonly what: string }[] =
  [
    {
      client: 'ai-openai-compatible',
      cases: ['chat-done-open'],
      what: 'after `[DONE]` it waits until the connection closes',
    },
    {
      client: 'ai-openrouter',
      cases: ['chat-no-end'],
      what: 'a stream that ends with neither finish reason nor `[DONE]` is a whole answer',
    },
    {
      client: 'eventsource-parser',
      cases: ['sse-bom-twice'],
      what: 'since version 4 a second byte order mark is removed, too',
    },
    {
      client: 'eventsource',
      cases: ['http-truncated-chunked-keep', 'http-truncated-length-keep'],
      what: 'a body that was cut is an end like any other',
    },
    {
      client: 'fetch-event-source',
      cases: ['abort-before-sse'],
      what: 'a signal aborted before the call is not heard',
    },
    {
      client: 'groq',
      cases: ['chat-error-chunk', 'chat-done-open', 'abort-retry-waits'],
      what: 'an error within the stream is taken for a chunk, `[DONE]` is not the end, and an abort waits for the retry',
    },
    {
      client: 'node-fetch',
      cases: ['http-redirect-307-other'],
      what: '`Authorization` goes to another port of the same host',
    },
    {
      client: 'openai',
      cases: ['chat-no-end', 'http-no-retry-503'],
      what: 'a stream that ends with neither finish reason nor `[DONE]` is a whole answer, and `retryable: false` is retried',
    },
    { client: 'undici', cases: ['coding-gzip-no-trailer'], what: 'a body of gzip without its trailer is whole' },
  ];

/** Clients, and abilities of clients, that are not asked. */
export const LEFT_OUT: readonly { readonly what: string; readonly why: string }[] = [
  {
    what: '`ollama` (npm, 0.6.4)',
    why: 'it reads lines of JSON (NDJSON), not an event stream',
  },
  {
    what: '`@ai-sdk/mistral` (3.0.69)',
    why: 'it throws where `choices` is empty, so nearly every case of a chat fails',
  },
  {
    what: 'follow-redirects: silence, aborts, HTTP/2 and brotli',
    why: 'it hands out Node’s own request and response, which leave them to the user',
  },
  {
    what: 'Ruby’s net/http: silence, aborts, HTTP/2 and brotli',
    why: 'a process for each call starts more slowly than those cases wait; it speaks neither HTTP/2 nor brotli',
  },
];
