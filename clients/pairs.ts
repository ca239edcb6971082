import type { Row } from './run.js';

/** Two versions of a client, of which the second mends what the first does wrong, and the cases that show it. */
export interface Pair {
  /** The name of its file in `clients/real`. */
  readonly client: string;
  readonly broken: string;
  readonly mended: string;
  /** What the broken one does. */
  readonly what: string;
  /** Where the mistake or its mending is named. */
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
    seen: ['openai/openai-node#1339'],
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
];
