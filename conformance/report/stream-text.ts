import { measured, visible } from '../../emulator/contract/visible.js';
import type { Piece, ShownExchange } from '../probe/evidence.js';
import type { FindingResult } from '../run/results.js';
import { type StreamRow, streamRows } from './stream-picture.js';

/** Text of a target in one line. */
export const joinLines = (text: string): string => visible(text).replace(/\s*\n\s*/g, ' ');

export const seconds = (ms: number): string =>
  ms < 10_000 ? `${(ms / 1000).toFixed(2)} s` : `${(ms / 1000).toFixed(1)} s`;

/** A value as text, cut to `most` characters. */
export function value(given: unknown, most = 2_000): string {
  const text = typeof given === 'string' ? given : JSON.stringify(given, null, 2);
  return visible(measured(text ?? String(given), most));
}

/** The part that an exchange has in a finding. */
export function partIn({ number }: ShownExchange, finding: FindingResult | undefined): string | undefined {
  if (finding?.restsOn === undefined) return undefined;
  if (finding.exchange === number) return 'shows it';
  return finding.restsOn.includes(number) ? 'established what was expected' : undefined;
}

/** The exchanges of a finding that a short report shows: the one that shows it, and those that it rests on, else the latest. */
export function sliceOf({ transcript, exchange, restsOn }: FindingResult, most: number): readonly ShownExchange[] {
  if (restsOn === undefined) return transcript.slice(-most);
  return transcript.filter(({ number }) => number === exchange || restsOn.includes(number)).slice(-most);
}

/**
 * An exchange in lines: the request, the head of the response, its body. A stream is shown step by step, with times and with the
 * words of the finding at the wrong step. Any other body is shown as it was sent.
 */
export function exchangeLines(exchange: ShownExchange, most = 1_000, finding?: FindingResult): string[] {
  const { request, response } = exchange;
  const part = partIn(exchange, finding);
  const beside = part === undefined ? '' : `  (${part})`;
  const lines = [`#${exchange.number} ${seconds(exchange.at)}  ${request.method} ${visible(request.url)}${beside}`];
  for (const [name, header] of Object.entries(request.headers)) lines.push(`    ${name}: ${visible(header)}`);
  if (request.body !== undefined) lines.push(...indented(measured(request.body, most)));
  if (exchange.error !== undefined) lines.push(`  ! no answer: ${visible(exchange.error)}`);
  if (response === undefined) return lines;
  lines.push(`  < ${response.status} at ${seconds(response.at)}`);
  for (const [name, header] of Object.entries(response.headers)) lines.push(`    ${name}: ${visible(header)}`);
  const steps = streamRows(exchange, finding);
  if (steps !== undefined) return [...lines, ...shortened(steps).flatMap((row) => stepLines(row, most))];
  lines.push(...pieceLines(response.pieces, most));
  if (response.ended !== undefined && response.ended !== 'end') lines.push(`  < ${visible(response.ended)}`);
  return lines;
}

/** The line with the status of an answer. */
const HEAD = /^ {2}< \d{3} at /;
/** Lines with the mark of a mistake. */
const MARKED = /^ {2}[<✗] .*← /;
/** Marked lines that a shortened exchange keeps, and the lines kept for each. */
const KEPT = 6;
const BELOW = 3;

/** Shortens the lines of an exchange in the middle. Keeps the first and last `most`, the status of the answer, and marked lines. */
export function shortExchange(lines: readonly string[], most: number): string[] {
  if (lines.length <= most * 2) return [...lines];
  const kept = new Set<number>();
  const keep = (from: number, to: number) => {
    for (let at = Math.max(0, from); at < Math.min(lines.length, to); at++) kept.add(at);
  };
  keep(0, most);
  keep(lines.length - most, lines.length);
  const head = lines.findIndex((line) => HEAD.test(line));
  if (head !== -1) keep(head, head + 1);
  const marked = lines.flatMap((line, at) => (MARKED.test(line) ? [at] : [])).slice(0, KEPT);
  for (const at of marked) keep(at, at + BELOW);
  return [...kept]
    .sort((one, other) => one - other)
    .flatMap((at, index, all) =>
      (index > 0 && at - (all[index - 1] ?? 0) > 1 ? ['    …'] : []).concat(lines[at] ?? []),
    );
}

/** Steps of a stream that are shown from its beginning and from its end. The end most often shows the mistake. */
const FIRST = 4;
const LAST = 8;

const shortened = (steps: readonly StreamRow[]): (StreamRow | number)[] => {
  const between = steps.length - FIRST - LAST;
  return between > 1 ? [...steps.slice(0, FIRST), between, ...steps.slice(-LAST)] : [...steps];
};

function stepLines(row: StreamRow | number, most: number): string[] {
  if (typeof row === 'number') return [`    … ${row} steps`];
  const { at, text, wrong, data } = row;
  const line = `${seconds(at).padStart(7)}  ${visible(text)}`;
  if (wrong === undefined) return [`    ${line}`];
  return [
    `  ✗ ${line}  ← ${visible(wrong)}`,
    ...(data === undefined ? [] : [`             ${visible(middle(data, most))}`]),
  ];
}

/** Cuts a text in its middle: the end of a chunk tells its kind. */
const middle = (text: string, most: number) =>
  text.length > most ? `${text.slice(0, most / 4)} … ${text.slice(text.length - (most * 3) / 4)}` : text;

function pieceLines(pieces: readonly Piece[], most: number): string[] {
  const lines: string[] = [];
  let left = most * 4;
  for (const piece of pieces) {
    if (left <= 0) {
      lines.push('    …');
      break;
    }
    const shown = measured(piece.text, Math.min(most, left));
    left -= shown.length;
    if (pieces.length > 1) lines.push(`  < ${seconds(piece.at)}${piece.odd ? '  ← odd' : ''}`);
    lines.push(...indented(shown));
  }
  return lines;
}

const indented = (text: string) =>
  text
    .replace(/\n+$/, '')
    .split('\n')
    .map((line) => `    ${visible(line)}`);
