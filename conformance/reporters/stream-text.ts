import type { Exchange, Piece } from '../probe/exchange.js';

/**
 * Control characters made visible, so that what a target sent cannot drive a terminal or hide in a page, and no line of it
 * is a command to a runner of GitHub Actions, which reads them out of any output: `::name::` at the beginning of a line,
 * `##[name]` anywhere.
 */
export const visible = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Bidi_Control}]/gu, (character) => {
      if (character === '\n' || character === '\t') return character;
      return character === '\r' ? '\\r' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
    })
    .replace(/^(\s*)::/gm, '$1\\::')
    .replaceAll('##[', '#\\#[');

const clip = (text: string, most: number) =>
  text.length > most ? `${text.slice(0, most)}… (${text.length} characters)` : text;

export const seconds = (ms: number): string =>
  ms < 10_000 ? `${(ms / 1000).toFixed(2)} s` : `${(ms / 1000).toFixed(1)} s`;

/** A value as a reader wants to see it. */
export function value(given: unknown, most = 2_000): string {
  const text = typeof given === 'string' ? given : JSON.stringify(given, null, 2);
  return visible(clip(text ?? String(given), most));
}

/** An exchange in lines: request, response head, and the body piece by piece with its times. */
export function exchangeLines(exchange: Exchange, most = 1_000): string[] {
  const { request, response } = exchange;
  const lines = [`#${exchange.number} ${seconds(exchange.at)}  ${request.method} ${visible(request.url)}`];
  for (const [name, header] of Object.entries(request.headers)) lines.push(`    ${name}: ${visible(header)}`);
  if (request.body !== undefined) lines.push(...indented(clip(request.body, most)));
  if (exchange.error !== undefined) lines.push(`  ! no answer: ${visible(exchange.error)}`);
  if (response === undefined) return lines;
  lines.push(`  < ${response.status} at ${seconds(response.at)}`);
  for (const [name, header] of Object.entries(response.headers)) lines.push(`    ${name}: ${visible(header)}`);
  if (/event-stream/i.test(response.headers['content-type'] ?? '')) lines.push(...eventLines(response.pieces, most));
  else lines.push(...pieceLines(response.pieces, most));
  if (response.ended !== undefined && response.ended !== 'end') lines.push(`  < ${visible(response.ended)}`);
  return lines;
}

/** How many events of a stream are shown from its beginning, and from its end, which most often tells what is wrong. */
const FIRST = 2;
const LAST = 5;

/** A stream event by event, its beginning and its end, each with the time at which it had come. */
function eventLines(pieces: readonly Piece[], most: number): string[] {
  const events: { at: number; text: string }[] = [];
  let rest = '';
  for (const { at, text } of pieces) {
    const parts = (rest + text).split(/\r?\n\r?\n/);
    rest = parts.pop() ?? '';
    events.push(...parts.map((part) => ({ at, text: part })));
  }
  if (rest.trim() !== '') events.push({ at: pieces.at(-1)?.at ?? 0, text: rest });
  const between = events.length - FIRST - LAST;
  return events.flatMap(({ at, text }, index) => {
    if (between > 1 && index >= FIRST && index < events.length - LAST)
      return index === FIRST ? [`    … ${between} events`] : [];
    const same = index > 0 && events[index - 1]?.at === at;
    return [...(same ? [] : [`  < ${seconds(at)}`]), ...indented(middle(text, most))];
  });
}

/** Cut in its middle: of a chunk the end says what it is. */
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
    const shown = clip(piece.text, Math.min(most, left));
    left -= shown.length;
    if (pieces.length > 1) lines.push(`  < ${seconds(piece.at)}`);
    lines.push(...indented(shown));
  }
  return lines;
}

const indented = (text: string) =>
  text
    .replace(/\n+$/, '')
    .split('\n')
    .map((line) => `    ${visible(line)}`);
