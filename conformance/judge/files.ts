import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { inWords } from '../../emulator/contract/system-error.js';
import { readRecordings } from '../drift/recordings.js';
import { UsageError } from '../framework/usage.js';
import type { Exchange } from '../model/exchange.js';
import { jsonOf } from '../probe/json.js';
import { systemHost } from '../probe/time.js';
import { type Element, elementsIn, JsonCut } from './elements.js';
import { exchangeBy } from './exchange.js';
import { type HarExchange, readEntry } from './har.js';
import type { Conversation, Judge } from './judge.js';
import { isWhole, partsOf, recordersIn, VIEWS } from './recording.js';

/** Bytes of a recording above which it is not read. A HAR may be larger than memory. */
const MOST = 256 * 1024 * 1024;
/** Bytes by which a recording is told from a HAR. */
const HEAD = 4_096;

/** How files are read. */
export interface FilesOptions {
  warn(message: string): void;
  /** Ends it early. */
  readonly signal?: AbortSignal | undefined;
}

/** A request of a file, or its answer. Small, as a file may have millions. */
interface Moment<Of> {
  readonly at: number;
  readonly isAnswer: boolean;
  readonly number: number;
  readonly of: Of;
}

/** Sorts by the times; at one time by the numbers, each request before its answer. */
const sorted = <Of>(moments: Moment<Of>[]): readonly Moment<Of>[] =>
  moments.sort((a, b) =>
    a.at === b.at ? Number(a.isAnswer) - Number(b.isAnswer) || a.number - b.number : a.at < b.at ? -1 : 1,
  );

/** A request and its answer as two moments. */
const momentsOf = <Of>(number: number, at: number, end: number | undefined, of: Of): readonly Moment<Of>[] => [
  { at, isAnswer: false, number, of },
  { at: end ?? Number.POSITIVE_INFINITY, isAnswer: true, number, of },
];

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

/** A number that equal entries share, and others by hardly any chance. */
const sameEntry = ({ target, parts: { at, method, path, answer } }: HarExchange): number =>
  createHash('sha256')
    .update(JSON.stringify([target, at, method, path, answer?.at, answer?.status]))
    .digest()
    .readUIntBE(0, 6);

/** The value of an element of a file. @throws UsageError in one line */
function valueAt({ file, fd }: Pick<Har, 'file' | 'fd'>, { from, length }: Element): unknown {
  const bytes = Buffer.alloc(length);
  readSync(fd, bytes, 0, length, from);
  const value = jsonOf(bytes.toString());
  if (value === undefined) throw new UsageError(`${file}: no HAR and no recording: its JSON is cut or broken`);
  return value;
}

/** An entry of a HAR, and where it stands. */
interface Entry {
  readonly har: Har;
  readonly place: Element;
}
interface Har {
  readonly file: string;
  readonly fd: number;
  /** Browsers take credentials out of what they save. */
  hasCredentials: boolean;
}

/**
 * Judges HAR files. Entries are read twice, for their times and when they are due: those alone are held that are under way.
 *
 * @throws UsageError in one line for a file that is none
 */
async function judgeHars(
  judge: Judge,
  files: readonly (readonly [file: string, fd: number])[],
  pause: Pause,
): Promise<void> {
  const moments: Moment<Entry>[] = [];
  const met = new Set<number>();
  for (const [file, fd] of files) {
    const har: Har = { file, fd, hasCredentials: false };
    let index = 0;
    for (const place of placesIn(file, fd)) {
      await pause();
      const one = readEntry(valueAt(har, place), `${file}: log.entries[${index++}]`);
      if (one === undefined) judge.ignores();
      const same = one === undefined ? undefined : sameEntry(one);
      if (one === undefined || same === undefined || met.has(same)) continue;
      met.add(same);
      har.hasCredentials ||= typeof one.parts.caller === 'string';
      const { at, answer } = one.parts;
      for (const moment of momentsOf(met.size, at, answer?.at, { har, place })) moments.push(moment);
    }
  }
  const conversations = new Map<string, Conversation>();
  const under = new Map<number, { readonly exchange: Exchange; readonly conversation: Conversation }>();
  for (const { number, isAnswer, of } of sorted(moments)) {
    await pause();
    const asked = under.get(number);
    if (isAnswer) {
      under.delete(number);
      if (asked !== undefined) asked.conversation.sees(asked.exchange);
      continue;
    }
    const one = readEntry(valueAt(of.har, of.place), of.har.file);
    if (one === undefined) continue;
    const { target, parts } = one;
    const conversation = conversations.get(target) ?? judge.open(target);
    conversations.set(target, conversation);
    const caller = of.har.hasCredentials ? parts.caller : undefined;
    const exchange = exchangeBy({ ...parts, number, caller }, judge.profile.tool_name);
    under.set(number, { exchange, conversation });
    conversation.asks(exchange.asked);
  }
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
    for (const recorder of recordersIn(readRecordings([file], warn))) {
      const all = partsOf(recorder, next);
      next += recorder.length;
      const conversation = judge.open(file, { whole: isWhole(recorder), views: VIEWS.length });
      const moments = all.flatMap((views) => {
        const exchanges = views?.map((one) => exchangeBy(one, judge.profile.tool_name)) ?? [];
        const [first] = exchanges;
        if (first === undefined) judge.ignores();
        return first === undefined ? [] : momentsOf(first.asked.number, first.asked.at, first.answered?.at, exchanges);
      });
      for (const { isAnswer, of } of sorted(moments)) {
        await pause();
        if (isAnswer) conversation.sees(...of);
        else conversation.asks(...of.map(({ asked }) => asked));
      }
    }
}

/** The places of the entries of a HAR. @throws UsageError in one line for a file that is none */
function* placesIn(file: string, fd: number): Generator<Element> {
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
 * Judges what files hold: recordings, and HAR files of browsers and proxies. Those of one deployment are judged in the order of
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
  try {
    for (const file of files) {
      const { fd, size, isRecording } = openFile(file);
      open.push(fd);
      if (size === 0) throw new UsageError(`${file}: the file is empty`);
      if (isRecording && size > MOST)
        throw new UsageError(
          `${file}: ${Math.round(size / 1024 / 1024)} MB, of a recording at most ${MOST / 1024 / 1024} MB are read`,
        );
      if (isRecording) recordings.push(file);
      else hars.push([file, fd]);
    }
    await judgeHars(judge, hars, pause);
  } finally {
    for (const fd of open) closeSync(fd);
  }
  await judgeRecordings(judge, recordings, judge.counts.seen + judge.counts.ignored + 1, { warn, pause });
}
