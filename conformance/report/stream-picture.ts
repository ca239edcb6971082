import { clipped } from '../../emulator/contract/visible.js';
import { brief } from '../model/assert.js';
import type { OrderGot } from '../model/finding.js';
import type { ShownExchange } from '../probe/evidence.js';
import { isRecord, jsonOf } from '../probe/json.js';
import { createSseParser, type SseItem } from '../probe/sse.js';
import type { FindingResult } from '../run/results.js';
import { breachText } from './words/stream.js';

/** A step of a stream as a reader sees it: what came when, and what is wrong with it. */
export interface StreamRow {
  /** ms since the request was sent. */
  readonly at: number;
  /** In a few words: `says in 3 chunks "…"`, `finish_reason stop`, `[DONE]`. */
  readonly text: string;
  /** The part of the stream. `odd`: no part of any valid stream. */
  readonly kind: 'says' | 'calls' | 'finish' | 'final' | 'done' | 'comment' | 'odd' | 'end';
  /** The mistake in it. */
  readonly wrong?: string;
  /** The event that is wrong, as it was sent. */
  readonly data?: string;
}

type Marks = Pick<FindingResult, 'wanted' | 'got' | 'exchange'>;

/** A step before it has words. Equal consecutive steps become one. */
interface Step extends Pick<StreamRow, 'kind' | 'at' | 'wrong' | 'data'> {
  readonly text: string;
  readonly said?: string;
  readonly count: number;
}

/**
 * A chat stream step by step, with the finding at the step that is wrong; undefined for an answer
 * that is no event stream.
 */
export function streamRows(exchange: ShownExchange, finding?: Marks): StreamRow[] | undefined {
  const { response, at: sent } = exchange;
  if (response === undefined || response.sent || !/event-stream/i.test(response.headers['content-type'] ?? ''))
    return undefined;
  const cut = /^… \d+ more bytes$/.test(response.pieces.at(-1)?.text ?? '');
  const pieces = cut ? response.pieces.slice(0, -1) : response.pieces;
  const parser = createSseParser();
  const encoder = new TextEncoder();
  const items = pieces.flatMap(({ at, text }) => parser.push(encoder.encode(text), at));
  const unfinished = cut ? '' : parser.end().unfinished;
  const here = finding?.exchange === exchange.number ? finding : undefined;
  const wrong = rulesBroken(here);

  const steps = items.map((item, index) => step(item, sent, wrong.get(index + 1)));
  const last = { at: (pieces.at(-1)?.at ?? response.at) - sent, count: 1 };
  if (unfinished.trim() !== '')
    steps.push({ ...last, kind: 'odd', text: `an event without its blank line: ${clipped(unfinished, 80)}` });
  if (cut) steps.push({ ...last, kind: 'odd', text: 'what came after is not kept here' });
  else steps.push({ ...last, kind: 'end', text: ending(response.ended), ...marked(wrong.get(END)) });
  return joined(markFinish(steps, here)).map(inWords);
}

const ending = (ended: string | undefined): string =>
  ({ end: 'end of the body', cancelled: 'the kit reads no further', none: 'still open' })[ended ?? 'none'] ??
  String(ended);

const marked = (wrong: string | undefined, data?: string) => ({
  ...(wrong === undefined ? {} : { wrong }),
  ...(wrong === undefined || data === undefined ? {} : { data }),
});

/** The number for the end of a stream. Events have numbers from 1. */
const END = 0;

/** The rules that this stream breaks, by the number of the event that breaks them. */
function rulesBroken(finding: Marks | undefined): ReadonlyMap<number, string> {
  const { wanted, got } = finding ?? {};
  if (wanted?.kind !== 'stream' || wanted.rule !== 'order') return new Map();
  const broken = new Map<number, string>();
  for (const breach of (got as OrderGot).breaches) {
    const number = breach.event?.number ?? END;
    if (!broken.has(number)) broken.set(number, breachText(breach));
  }
  return broken;
}

/** Marks the finish reason where another one was expected. */
function markFinish(steps: readonly Step[], finding: Marks | undefined): readonly Step[] {
  const { wanted } = finding ?? {};
  if (wanted?.kind !== 'stream' || wanted.rule !== 'finish') return steps;
  const at = steps.findLastIndex(({ kind }) => kind === 'finish');
  return steps.map((one, index) => (index === at ? { ...one, wrong: `expected ${brief(wanted.finish)}` } : one));
}

/** Joins consecutive words, and equal consecutive comments, into one step. */
function joined(steps: readonly Step[]): Step[] {
  const rows: Step[] = [];
  for (const next of steps) {
    const before = rows.at(-1);
    const alike =
      before !== undefined &&
      (next.kind === 'says' || next.kind === 'comment') &&
      before.kind === next.kind &&
      before.text === next.text &&
      (before.said === undefined) === (next.said === undefined) &&
      before.wrong === undefined &&
      next.wrong === undefined;
    if (alike)
      rows[rows.length - 1] = {
        ...before,
        count: before.count + next.count,
        ...(before.said === undefined ? {} : { said: before.said + next.said }),
      };
    else rows.push(next);
  }
  return rows;
}

function inWords({ said, count, text, ...step }: Step): StreamRow {
  if (said === undefined) return { ...step, text: count > 1 ? `${text}, ${count} times` : text };
  return { ...step, text: `${text}${count > 1 ? ` in ${count} chunks` : ''} ${JSON.stringify(clipped(said, 120))}` };
}

function step(item: SseItem, sent: number, wrong: string | undefined): Step {
  const at = item.at - sent;
  if (item.kind === 'comment') return { at, count: 1, kind: 'comment', text: `comment ${item.text}`, ...marked(wrong) };
  return { at, count: 1, ...described(item.data), ...marked(wrong, item.data) };
}

function described(data: string): Pick<Step, 'kind' | 'text' | 'said'> {
  if (data === '[DONE]') return { kind: 'done', text: '[DONE]' };
  const json = jsonOf(data);
  if (json === undefined) return { kind: 'odd', text: `no JSON: ${clipped(data, 80)}` };
  if (!isRecord(json) || !Array.isArray(json.choices)) return { kind: 'odd', text: `no chunk: ${clipped(data, 80)}` };
  if (json.choices.length > 0) return choice(json, json.choices[0]);
  const fields = Object.entries({ session_id: json.session_id, usage: json.usage }).filter(([name]) => name in json);
  return {
    kind: 'final',
    text: ['final chunk', ...fields.map(([name, held]) => `${name} ${brief(held, 60)}`)].join(', '),
  };
}

function choice(json: Record<string, unknown>, first: unknown): Pick<Step, 'kind' | 'text' | 'said'> {
  if (!isRecord(first)) return { kind: 'odd', text: `a choice is not an object: ${brief(first, 80)}` };
  const delta = isRecord(first.delta) ? first.delta : {};
  const words = [
    ['says', delta.content],
    ['thinks', delta.reasoning],
  ].filter((pair): pair is [string, string] => typeof pair[1] === 'string' && pair[1] !== '');
  const calls = Array.isArray(delta.tool_calls) ? delta.tool_calls.map(called) : [];
  const reason = first.finish_reason ?? undefined;
  const error = [json.error, first.error, delta.error].find(isRecord);
  const [only] = words;
  if (only !== undefined && words.length === 1 && calls.length === 0 && reason === undefined && error === undefined)
    return { kind: 'says', text: only[0], said: only[1] };
  const metadata = isRecord(error?.metadata) ? error.metadata : error;
  const parts = [
    ...(reason === undefined ? [] : [`finish_reason ${String(reason)}`]),
    ...(error === undefined ? [] : [`error ${String(error.code)} ${String(metadata?.reason)}`]),
    ...words.map(([does, said]) => `${does} ${JSON.stringify(clipped(said, 120))}`),
    ...calls,
  ];
  const kind = reason !== undefined ? 'finish' : calls.length > 0 ? 'calls' : 'says';
  return { kind, text: parts.length > 0 ? parts.join(', ') : 'begins' };
}

function called(call: unknown): string {
  const named = isRecord(call) && isRecord(call.function) ? call.function : {};
  const asked = typeof named.arguments === 'string' ? inShort(named.arguments) : '';
  return `calls ${String(named.name ?? '')}${asked === '' ? '' : `: ${clipped(asked, 100)}`}`;
}

/** A question in short: its kind, and its operation or message. Invalid arguments stay unchanged. */
function inShort(given: string): string {
  const asked = jsonOf(given);
  if (!isRecord(asked) || typeof asked.kind !== 'string') return given;
  return [asked.kind, asked.operation ?? asked.message].filter((one) => typeof one === 'string').join(' ');
}
