import { readFileSync } from 'node:fs';
import { problem, words } from '../contract/problem.js';
import { inWords } from '../contract/system-error.js';
import { exchangeSchema, RECORDING_FORMAT, type RecordedExchange } from './format.js';

/** A recording that cannot be used. The message names file, line and what was wrong. */
export class RecordingInvalid extends Error {
  override readonly name = 'RecordingInvalid';
}

/** A recorded exchange and where it stands. */
export interface PlacedExchange {
  readonly exchange: RecordedExchange;
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new RecordingInvalid(`recording ${file} cannot be read: ${inWords(error)}`);
  }
}

function parseLine(text: string, place: string): RecordedExchange {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new RecordingInvalid(`recording ${place}: expected an exchange as one line of JSON`);
  }
  const { format } = (typeof value === 'object' && value !== null ? value : {}) as { format?: unknown };
  if (typeof format === 'number' && format > RECORDING_FORMAT) {
    throw new RecordingInvalid(
      `recording ${place}: format ${format} is newer than ${RECORDING_FORMAT}, the newest that is known here; update intern-emulator`,
    );
  }
  const { data, error } = exchangeSchema().safeParse(value, { error: words });
  if (data) return data;
  throw new RecordingInvalid(`recording ${place}: ${problem(error, 'line')}`);
}

/**
 * The exchanges of a recording, in the order in which their requests came. A last line that was cut (the recorder was
 * killed as it wrote) is left out, and reported to `warn`.
 *
 * @throws RecordingInvalid that names file, line and field
 */
export function readRecording(file: string, warn: (message: string) => void): PlacedExchange[] {
  const lines = textOf(file).split('\n');
  const last = lines.length - 1;
  const exchanges: PlacedExchange[] = [];
  for (const [index, text] of lines.entries()) {
    if (text.trim() === '') continue;
    try {
      exchanges.push({ exchange: parseLine(text, `${file}:${index + 1}`), file, line: index + 1 });
    } catch (error) {
      // Every line that was written whole ends in a line feed.
      if (index !== last || !/expected an exchange as one line/.test((error as Error).message)) throw error;
      warn(`recording ${file}:${index + 1}: the last line is cut, and was left out`);
    }
  }
  if (exchanges.length === 0) throw new RecordingInvalid(`recording ${file}: holds no exchange`);
  return exchanges.sort((a, b) => a.exchange.n - b.exchange.n);
}
