import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { UsageError } from '../../emulator/contract/problem.js';
import { inWords } from '../../emulator/contract/system-error.js';
import { readRecording } from '../../emulator/recording/read.js';
import type { Exchange } from '../model/exchange.js';
import { jsonOf } from '../probe/json.js';
import { systemHost } from '../probe/time.js';
import { type Element, elementsIn, JsonCut } from './elements.js';
import { exchangeBy } from './exchange.js';
import { type HarExchange, readEntry } from './har.js';
import type { Conversation, Judge } from './judge.js';
import { isWhole, partsOf, recordersIn, VIEWS } from './recording.js';

/** Bytes that distinguish a recording from a HAR. */
const HEAD = 4_096;

interface FilesOptions {
  warn(message: string): void;
  /** Ends it early. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Requests and answers in the order of their times, by the places of their exchanges; at one time by the places, requests first.
 * Times are numbers alone, as a file may have millions of exchanges.
 */
function* inOrder(
  ats: readonly number[],
  ends: readonly number[],
): Generator<{ readonly index: number; readonly isAnswer: boolean }> {
  const timeOf = (moment: number) => (moment % 2 === 0 ? ats : ends)[moment >>> 1] ?? 0;
  const moments = new Uint32Array(ats.length * 2).map((_, moment) => moment);
  moments.sort((a, b) => {
    const [first, second] = [timeOf(a), timeOf(b)];
    return first === second ? (a % 2) - (b % 2) || a - b : first < second ? -1 : 1;
  });
  for (const moment of moments) yield { index: moment >>> 1, isAnswer: moment % 2 === 1 };
}

/** Exchanges that are judged in one go: in between the process hears signals, and an emulator beside it answers. */
const AT_ONCE = 500;

/** Lets others have a turn from time to time. @throws the reason of the signal once it is aborted */
function pauses(signal: AbortSignal | undefined): () => Promise<void> | undefined {
  let done = 0;
  return () => {
    if (++done % AT_ONCE !== 0) return undefined;
    return systemHost.turn().then(() => signal?.throwIfAborted());
  };
}
type Pause = ReturnType<typeof pauses>;

/** The key of an entry: equal entries that begin at the same time share it. */
const sameEntry = ({ target, parts: { method, path, answer } }: HarExchange): string =>
  JSON.stringify([target, method, path, answer?.at, answer?.status]);

/** The value of an element of a file. @throws UsageError in one line */
function valueAt({ file, fd }: Pick<Har, 'file' | 'fd'>, { from, length }: Element): unknown {
  const bytes = Buffer.alloc(length);
  readSync(fd, bytes, 0, length, from);
  const value = jsonOf(bytes.toString());
  if (value === undefined) throw new UsageError(`${file}: no HAR and no recording: its JSON is cut or broken`);
  return value;
}

interface Har {
  readonly file: string;
  readonly fd: number;
  /** Browsers take credentials out of what they save. */
  hasCredentials: boolean;
}

/**
 * Judges HAR files. Entries are read twice, for their times and when they are due: those alone are held that are under way. The
 * result is the highest number of an exchange.
 *
 * @throws UsageError in one line for any other file
 */
async function judgeHars(
  judge: Judge,
  files: readonly (readonly [file: string, fd: number])[],
  pause: Pause,
): Promise<number> {
  const hars = files.map(([file, fd]): Har => ({ file, fd, hasCredentials: false }));
  const ats: number[] = [];
  const ends: number[] = [];
  const places: { readonly har: number[]; readonly from: number[]; readonly length: number[] } = {
    har: [],
    from: [],
    length: [],
  };
  for (const [number, har] of hars.entries()) {
    let index = 0;
    for (const { from, length } of placesIn(har)) {
      await pause();
      const one = readEntry(valueAt(har, { from, length }), `${har.file}: log.entries[${index++}]`);
      if (one === undefined) {
        judge.ignores();
        continue;
      }
      const { at, answer, caller } = one.parts;
      har.hasCredentials ||= typeof caller === 'string';
      ats.push(at);
      ends.push(answer?.at ?? Number.POSITIVE_INFINITY);
      places.har.push(number);
      places.from.push(from);
      places.length.push(length);
    }
  }
  const conversations = new Map<string, Conversation>();
  const under = new Map<number, { readonly exchange: Exchange; readonly conversation: Conversation }>();
  const met = { at: Number.NaN, same: new Set<string>() };
  for (const { index, isAnswer } of inOrder(ats, ends)) {
    await pause();
    const asked = under.get(index);
    if (isAnswer) {
      under.delete(index);
      if (asked !== undefined) asked.conversation.sees(asked.exchange);
      continue;
    }
    const har = hars[places.har[index] ?? 0];
    const place = { from: places.from[index] ?? 0, length: places.length[index] ?? 0 };
    const one = har && readEntry(valueAt(har, place), har.file);
    if (har === undefined || one === undefined) continue;
    const { target, parts } = one;
    if (met.at !== parts.at) {
      met.at = parts.at;
      met.same.clear();
    }
    const same = sameEntry(one);
    if (met.same.has(same)) continue;
    met.same.add(same);
    const conversation = conversations.get(target) ?? judge.open(target);
    conversations.set(target, conversation);
    const caller = har.hasCredentials ? parts.caller : undefined;
    const exchange = exchangeBy({ ...parts, number: index + 1, caller }, judge.profile.tool_name);
    under.set(index, { exchange, conversation });
    conversation.asks(exchange.asked);
  }
  return ats.length;
}

/** Judges recordings, each on its own. Their numbers begin at `from`. */
async function judgeRecordings(
  judge: Judge,
  files: readonly string[],
  from: number,
  { warn, pause }: Pick<FilesOptions, 'warn'> & { readonly pause: Pause },
): Promise<void> {
  let next = from;
  for (const file of files)
    for (const recorder of recordersIn(readRecording(file, warn))) {
      const all = partsOf(recorder, next);
      next += recorder.length;
      const conversation = judge.open(file, { whole: isWhole(recorder), views: VIEWS.length });
      const judged = all.flatMap((views) => {
        if (views === undefined) judge.ignores();
        return views === undefined ? [] : [views.map((one) => exchangeBy(one, judge.profile.tool_name))];
      });
      const ats = judged.map(([first]) => first?.asked.at ?? 0);
      const ends = judged.map(([first]) => first?.answered?.at ?? Number.POSITIVE_INFINITY);
      for (const { index, isAnswer } of inOrder(ats, ends)) {
        await pause();
        const views = judged[index] ?? [];
        if (isAnswer) conversation.sees(...views);
        else conversation.asks(...views.map(({ asked }) => asked));
      }
    }
}

/** The places of the entries of a HAR. @throws UsageError in one line for any other file */
function* placesIn({ file, fd }: Pick<Har, 'file' | 'fd'>): Generator<Element> {
  try {
    if (!(yield* elementsIn(fd, ['log', 'entries'])))
      throw new UsageError(`${file}: expected a HAR ({"log": {"entries": […]}}) or a recording`);
  } catch (error) {
    if (error instanceof JsonCut) throw new UsageError(`${file}: no HAR and no recording: ${error.message}`);
    throw error;
  }
}

/** The beginning of a file. @throws UsageError in one line that names it */
function openFile(file: string): { readonly fd: number; readonly size: number; readonly isRecording: boolean } {
  try {
    const there = statSync(file);
    // A pipe that nobody writes to holds the process up for ever.
    if (!there.isFile() && !there.isDirectory()) throw new Error('it is no file, but a device or a pipe');
    const fd = openSync(file, 'r');
    const { size } = fstatSync(fd);
    const head = Buffer.alloc(HEAD);
    const text = head.subarray(0, readSync(fd, head, 0, HEAD, 0)).toString();
    const isRecording = /^\s*\{\s*"format"\s*:/.test(text) || /^\s*\{[^\n]*"n"\s*:[^\n]*"request"\s*:/.test(text);
    return { fd, size, isRecording };
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${inWords(error)}`);
  }
}

/**
 * Judges files: recordings, and HAR files of browsers and proxies. Files of one deployment are judged in the order of
 * their times, and every recording on its own.
 *
 * @throws UsageError in one line for a file that is neither, and the reason of the signal once it is aborted
 */
export async function judgeFiles(
  judge: Judge,
  files: readonly string[],
  { warn, signal }: FilesOptions,
): Promise<void> {
  const pause = pauses(signal);
  const hars: (readonly [file: string, fd: number])[] = [];
  const recordings: string[] = [];
  const open: number[] = [];
  let last = 0;
  try {
    for (const file of files) {
      const { fd, size, isRecording } = openFile(file);
      open.push(fd);
      if (size === 0) throw new UsageError(`${file}: the file is empty`);
      if (isRecording) recordings.push(file);
      else hars.push([file, fd]);
    }
    last = await judgeHars(judge, hars, pause);
  } finally {
    for (const fd of open) closeSync(fd);
  }
  await judgeRecordings(judge, recordings, last + 1, { warn, pause });
}
