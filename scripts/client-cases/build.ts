import { createHash } from 'node:crypto';
import { chatOf } from '../../conformance/clients/oracle/chat.js';
import { eventStream, type OracleOptions } from '../../conformance/clients/oracle/event-stream.js';
import type { CaseExchange, ClientCase, Expectation, Scripted, Step } from '../../emulator/contract/client-case.js';
import { notesOn } from './differences.js';
import { SEEN } from './seen.js';

/** Text of one write, bytes of one write, or a step unchanged. */
export type Written = string | Uint8Array | Step;

export const toStep = (written: Written): Step => {
  if (typeof written === 'string') return { write: written };
  if (written instanceof Uint8Array) return { write_base64: Buffer.from(written).toString('base64') };
  return written;
};

/** Bytes of text whose characters are bytes: `raw('data: \xff')`. */
export const raw = (latin1: string): Uint8Array => Buffer.from(latin1, 'latin1');

/** A short form for a long text of ASCII. */
export const digest = (text: string) => ({
  sha256: createHash('sha256').update(text).digest('hex'),
  length: text.length,
});

/** The body of a list of steps, repeats written out. */
export function bodyOf(steps: readonly Step[]): Uint8Array {
  return Buffer.concat(
    steps.flatMap((step) => {
      if (!('write' in step || 'write_base64' in step)) return [];
      const bytes = 'write' in step ? Buffer.from(step.write) : Buffer.from(step.write_base64, 'base64');
      return Array.from({ length: step.repeat ?? 1 }, () => bytes);
    }),
  );
}

const STREAM = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };

/** An answer with the usual head of a stream. */
export const stream = (written: readonly Written[], more: Partial<Scripted> = {}): Scripted => ({
  status: 200,
  headers: STREAM,
  framing: 'chunked',
  connection: 'keep-alive',
  ...more,
  steps: written.map(toStep),
});

/** An answer of JSON. */
export const json = (status: number, value: unknown, more: Partial<Scripted> = {}): Scripted => ({
  status,
  framing: 'length',
  connection: 'keep-alive',
  ...more,
  headers: { 'content-type': 'application/json', ...more.headers },
  steps: [{ write: JSON.stringify(value) }],
});

/** The error envelope of the interface. */
export const refusal = (
  status: number,
  reason: string,
  retryable: boolean,
  headers: Scripted['headers'] = {},
  more: Partial<Scripted> = {},
): Scripted =>
  json(
    status,
    { error: { code: status, message: `refused: ${reason}`, metadata: { reason, retryable } } },
    { ...more, headers },
  );

type Alternative = NonNullable<ClientCase['alternatives']>[number];
type Given = Omit<
  ClientCase,
  'layer' | 'class' | 'seen' | 'notes' | 'why' | 'exchanges' | 'expect' | 'alternatives' | 'flags'
> & {
  class?: ClientCase['class'];
  why: string | string[];
  flags?: ClientCase['flags'];
  alternatives?: readonly Alternative[];
};

/** The class that follows from what is expected. */
function finish(
  { why, alternatives = [], flags = [], ...given }: Given,
  layer: ClientCase['layer'],
  exchanges: CaseExchange[],
  expect: Expectation,
): ClientCase {
  const notes = notesOn(given.id);
  const classOf = alternatives.length > 0 ? 'either' : expect.outcome === 'error' ? 'invalid' : 'valid';
  return {
    ...given,
    layer,
    class: given.class ?? classOf,
    ...(flags.length === 0 ? {} : { flags }),
    why: [why].flat(),
    seen: [...(SEEN[given.id] ?? [])].sort(),
    ...(notes.length === 0 ? {} : { notes }),
    exchanges,
    expect,
    ...(alternatives.length === 0 ? {} : { alternatives: [...alternatives] }),
  };
}

/** A whole case. */
export const plain = (
  given: Given & { layer: ClientCase['layer']; exchanges: CaseExchange[]; expect: Expectation },
): ClientCase => {
  const { layer, exchanges, expect, ...rest } = given;
  return finish(rest, layer, exchanges, expect);
};

interface SseGiven extends Given {
  steps: readonly Written[];
  answer?: Partial<Scripted>;
  /** Beside what the oracle computes. */
  expect?: Partial<Expectation>;
  /** Other results of the oracle that are accepted too, each with its clause. */
  or?: readonly (OracleOptions & { why: string })[];
  whole?: boolean;
}

const isBroken = (steps: readonly Step[]) => steps.some((step) => 'end' in step && step.end !== 'none');

const flagsOf = (steps: readonly Step[], whole: boolean | undefined, given: ClientCase['flags'] = []) =>
  whole === true || given.includes('linear') || steps.some((step) => !('write' in step || 'write_base64' in step))
    ? given
    : (['splittable' as const, ...given] satisfies ClientCase['flags']);

/** A case of the event stream: the oracle says what is expected. */
export function sse({ steps, answer, expect, or = [], whole, flags, ...given }: SseGiven): ClientCase {
  const exchange = stream(steps, answer);
  const body = bodyOf(exchange.steps);
  const events = eventStream(body);
  return finish(
    {
      ...given,
      flags: flagsOf(exchange.steps, whole || expect?.prompt === true, flags),
      alternatives: [
        ...or.map(({ why, ...options }) => ({ outcome: 'complete' as const, events: eventStream(body, options), why })),
        ...(given.alternatives ?? []),
      ],
    },
    'sse',
    [exchange],
    { outcome: isBroken(exchange.steps) ? 'error' : 'complete', events, ...expect },
  );
}

interface ChatGiven extends Omit<SseGiven, 'or'> {
  /** Exchanges before the one that streams. */
  before?: CaseExchange[];
}

/** A case of a chat completion: the oracles say what is expected. */
export function chat({ steps, answer, expect, whole, flags, before = [], ...given }: ChatGiven): ClientCase {
  const exchange = stream(steps, answer);
  const read = chatOf(eventStream(bodyOf(exchange.steps)), isBroken(exchange.steps));
  return finish(
    { ...given, flags: flagsOf(exchange.steps, whole || before.length > 0 || expect?.prompt === true, flags) },
    'chat',
    [...before, exchange],
    { outcome: read.outcome, chat: read.chat, ...(read.error === undefined ? {} : { error: read.error }), ...expect },
  );
}

/** The oracles' reading of these writes, for an alternative. */
export const chatExpect = (written: readonly Written[]): Expectation => {
  const read = chatOf(eventStream(bodyOf(written.map(toStep))));
  return { outcome: read.outcome, chat: read.chat };
};

/** The events of these writes, as WHATWG dispatches them. */
export const sseExpect = (written: readonly Written[]): NonNullable<Expectation['events']> =>
  eventStream(bodyOf(written.map(toStep)));

const CHUNK = { id: 'gen-1', object: 'chat.completion.chunk', created: 1_767_225_600, model: 'lab/model' };

/** `data:` with JSON and a blank line. */
export const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
export const choice = (delta: object, finishReason: string | null = null, more: object = {}): string =>
  data({ ...CHUNK, choices: [{ index: 0, delta, finish_reason: finishReason }], ...more });
export const role = (): string => choice({ role: 'assistant', content: '' });
export const say = (content: string): string => choice({ content });
export const end = (reason: string): string => choice({}, reason);
/** One or more tool-call deltas in one chunk. */
export const tools = (...calls: object[]): string => choice({ tool_calls: calls });
export const call = (
  index: number | undefined,
  id: string | null | undefined,
  name: string | undefined,
  args?: unknown,
) => ({
  ...(index === undefined ? {} : { index }),
  ...(id === undefined ? {} : { id, type: 'function' }),
  function: { ...(name === undefined ? {} : { name }), ...(args === undefined ? {} : { arguments: args }) },
});
export const USAGE = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
export const final = (usage: unknown = USAGE, more: object = { session_id: 'ses-lab-1' }): string =>
  data({ ...CHUNK, choices: [], usage, ...more });
export const chunkOf = (value: object): string => data({ ...CHUNK, ...value });
export const DONE = 'data: [DONE]\n\n';
