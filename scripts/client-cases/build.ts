import { createHash } from 'node:crypto';
import { chatOf } from '../../conformance/clients/oracle/chat.js';
import { eventStream, type OracleOptions } from '../../conformance/clients/oracle/event-stream.js';
import type { ClientCase, Expectation, Scripted, Step } from '../../emulator/contract/client-case.js';
import { joined, movesOf } from '../../emulator/lab/body.js';
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
const bodyOf = (steps: readonly Step[]): Uint8Array => joined(movesOf(steps));

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

export const redirect = (status: number, to: string, more: Partial<Scripted> = {}): Scripted => ({
  ...more,
  status,
  headers: { location: to },
  framing: 'length',
  connection: 'keep-alive',
  steps: [],
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
type Flags = NonNullable<ClientCase['flags']>;

/** The rules that a case rests on. */
export type Why = string | readonly string[];
/** The parts of a case that are neither its id and title nor what is sent and expected. */
type Rest = Partial<
  Omit<ClientCase, 'id' | 'title' | 'layer' | 'why' | 'seen' | 'notes' | 'exchanges' | 'expect' | 'alternatives'>
> & { readonly alternatives?: readonly Alternative[] };
/** The parts of a case beside its id and title. */
export type Whole = Rest & Pick<ClientCase, 'layer' | 'exchanges' | 'expect'> & { readonly why: Why };

/** A whole case. Its class follows from what is expected. */
export function plain(
  id: string,
  title: string,
  { layer, why, exchanges, expect, alternatives = [], flags = [], ...rest }: Whole,
): ClientCase {
  const notes = notesOn(id);
  const classOf = alternatives.length > 0 ? 'either' : expect.outcome === 'error' ? 'invalid' : 'valid';
  return {
    id,
    title,
    ...rest,
    layer,
    class: rest.class ?? classOf,
    ...(flags.length === 0 ? {} : { flags }),
    why: [why].flat(),
    seen: [...(SEEN[id] ?? [])].sort(),
    ...(notes.length === 0 ? {} : { notes }),
    exchanges,
    expect,
    ...(alternatives.length === 0 ? {} : { alternatives: [...alternatives] }),
  };
}

/** The parts of a case of a stream beside its writes. */
interface Streamed extends Rest {
  readonly answer?: Partial<Scripted>;
  /** Beside what the oracle computes. */
  readonly expect?: Partial<Expectation>;
  /** Its body may not be cut elsewhere. */
  readonly whole?: boolean;
}

const isBroken = (steps: readonly Step[]) => steps.some((step) => 'end' in step && step.end !== 'none');

const flagsOf = (steps: readonly Step[], whole: boolean | undefined, given: Flags = []): Flags =>
  whole || given.includes('linear') || steps.some((step) => !('write' in step || 'write_base64' in step))
    ? given
    : ['splittable', ...given];

/** A case of the event stream: the oracle says what is expected. `or` are other results of it that are right too. */
export function sse(
  id: string,
  title: string,
  why: Why,
  steps: readonly Written[],
  {
    answer,
    expect,
    or = [],
    whole,
    flags,
    ...rest
  }: Streamed & { or?: readonly (OracleOptions & { why: string })[] } = {},
): ClientCase {
  const exchange = stream(steps, answer);
  const body = bodyOf(exchange.steps);
  return plain(id, title, {
    ...rest,
    layer: 'sse',
    why,
    flags: flagsOf(exchange.steps, whole || expect?.prompt, flags),
    alternatives: [
      ...or.map((one) => ({ outcome: 'complete' as const, events: eventStream(body, one), why: one.why })),
      ...(rest.alternatives ?? []),
    ],
    exchanges: [exchange],
    expect: { outcome: isBroken(exchange.steps) ? 'error' : 'complete', events: eventStream(body), ...expect },
  });
}

/** A case of a chat completion: the oracles say what is expected. */
export function chat(
  id: string,
  title: string,
  why: Why,
  steps: readonly Written[],
  { answer, expect, whole, flags, ...rest }: Streamed = {},
): ClientCase {
  const exchange = stream(steps, answer);
  const { outcome, chat: read, error } = chatOf(eventStream(bodyOf(exchange.steps)), isBroken(exchange.steps));
  return plain(id, title, {
    ...rest,
    layer: 'chat',
    why,
    flags: flagsOf(exchange.steps, whole || expect?.prompt, flags),
    exchanges: [exchange],
    expect: { outcome, chat: read, ...(error === undefined ? {} : { error }), ...expect },
  });
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
/** A delta that has a piece of the arguments alone. */
export const piece = (args: unknown, index = 0) => call(index, undefined, undefined, args);
export const USAGE = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
export const final = (usage: unknown = USAGE, more: object = { session_id: 'ses-lab-1' }): string =>
  data({ ...CHUNK, choices: [], usage, ...more });
export const chunkOf = (value: object): string => data({ ...CHUNK, ...value });
export const DONE = 'data: [DONE]\n\n';
/** The ends of a chat that was text, and of one that calls tools. */
export const TEXT_END: readonly string[] = [end('stop'), final(), DONE];
export const TOOL_END: readonly string[] = [end('tool_calls'), final(USAGE, {}), DONE];
export const HELLO: readonly string[] = [role(), say('Hello'), ...TEXT_END];
/** The socket stays open. */
export const NONE = { end: 'none' } as const;

/** Text divided inside its first character of four bytes. */
export const halved = (text: string): [Uint8Array, Uint8Array] => {
  const bytes = Buffer.from(text);
  const at = bytes.findIndex((byte) => byte >= 0xf0) + 2;
  return [bytes.subarray(0, at), bytes.subarray(at)];
};

/** The result of a client that does not try again, which is right too. */
export const noRetry = (more: Partial<Expectation> = {}): Alternative => ({
  outcome: 'error',
  ...more,
  requests: { count: 1, ...more.requests },
  why: 'a client owes nobody a retry',
});

type Deltas = readonly (object | readonly object[])[];
/** Writes of a chat that calls tools; a list has the deltas of one chunk. */
export const callsIn = (deltas: Deltas): readonly string[] => [
  role(),
  ...deltas.map((one) => tools(...[one].flat())),
  ...TOOL_END,
];

/** A case of a chat that calls tools, and ends as usual. */
export const calls = (id: string, title: string, why: Why, deltas: Deltas, more?: Streamed): ClientCase =>
  chat(id, title, why, callsIn(deltas), more);

/** A case of a chat of text that begins and ends as usual. */
export const text = (id: string, title: string, why: Why, said: readonly Written[], more?: Streamed): ClientCase =>
  chat(id, title, why, [role(), ...said, ...TEXT_END], more);
