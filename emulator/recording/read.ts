import { FileInvalid, textOfFile } from '../contract/file.js';
import { MAX_NESTING, nestingOf } from '../contract/nesting.js';
import { problem, words } from '../contract/problem.js';
import { recordOf } from '../contract/record.js';
import { aliasProblem } from './check-aliases.js';
import { ANSWER_HEADERS, exchangeSchema, RECORDING_FORMAT, REQUEST_HEADERS, type RecordedExchange } from './format.js';

export interface PlacedExchange {
  readonly exchange: RecordedExchange;
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

/** A line that is not JSON: the recorder may have been stopped while it wrote it. */
class NotWhole extends FileInvalid {}

/** The body of a request is the third level of a line. */
const DEEPEST_LINE = MAX_NESTING + 2;

function parseLine(text: string, place: string): RecordedExchange {
  const invalid = (what: string) => new FileInvalid(`recording ${place}:`, what);
  if (nestingOf(text) > DEEPEST_LINE) throw invalid(`expected a body of at most ${MAX_NESTING} levels, found more`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new NotWhole(`recording ${place}:`, 'expected an exchange as one line of JSON');
  }
  const { format } = recordOf(value);
  if (typeof format === 'number' && format > RECORDING_FORMAT) {
    throw invalid(`format ${format} is newer than ${RECORDING_FORMAT}, the newest known here; update intern-emulator`);
  }
  const { data, error } = exchangeSchema().safeParse(value, { error: words });
  if (!data) throw invalid(problem(error, 'line'));
  const wrong = aliasProblem(data);
  if (wrong !== undefined) throw invalid(wrong);
  return data;
}

type HeaderLines = RecordedExchange['headers'];

/**
 * An exchange with only the headers that a recorder keeps: a file must not be able to send any other to a browser or a
 * deployment. The names of the omitted headers go to `left`.
 */
function withKnownHeaders(exchange: RecordedExchange, left: Set<string>): RecordedExchange {
  const kept = (headers: HeaderLines, known: readonly string[]): HeaderLines => {
    for (const name of Object.keys(headers)) if (!known.includes(name)) left.add(name);
    return Object.fromEntries(Object.entries(headers).filter(([name]) => known.includes(name)));
  };
  const { request, headers } = exchange;
  return {
    ...exchange,
    request: { ...request, headers: kept(request.headers, REQUEST_HEADERS) },
    headers: kept(headers, ANSWER_HEADERS),
  };
}

/**
 * The exchanges of a recording, in the order in which their requests came. A last line that was cut (the recorder was
 * killed while writing) is left out, and so are headers that no recorder keeps; both are reported to `warn`.
 *
 * @throws FileInvalid that names file, line and field
 */
export function readRecording(file: string, warn: (message: string) => void): PlacedExchange[] {
  const lines = textOfFile(file, `recording ${file}`).split('\n');
  const last = lines.length - 1;
  const exchanges: PlacedExchange[] = [];
  const left = new Set<string>();
  for (const [index, text] of lines.entries()) {
    if (text.trim() === '') continue;
    try {
      const exchange = withKnownHeaders(parseLine(text, `${file}:${index + 1}`), left);
      exchanges.push({ exchange, file, line: index + 1 });
    } catch (error) {
      // Every line that was written whole ends in a line feed.
      if (index !== last || !(error instanceof NotWhole)) throw error;
      warn(`recording ${file}:${index + 1}: the last line is cut, and was left out`);
    }
  }
  if (left.size > 0) {
    const names = [...left].sort().join(', ');
    warn(`recording ${file}: headers that are not part of a recording were left out: ${names}`);
  }
  if (exchanges.length === 0) throw new FileInvalid(`recording ${file}:`, 'holds no exchange');
  return exchanges.sort((a, b) => a.exchange.n - b.exchange.n);
}
