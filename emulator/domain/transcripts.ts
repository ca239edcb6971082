import type { Clock } from '../clock/clock.js';
import type { AskResult } from '../contract/interaction.js';
import type { RunEnd, RunEvent } from '../contract/run.js';
import type { Line } from '../contract/views.js';

/** The words of both sides in a run, in order. */
export type Utterance =
  | Exclude<RunEvent, RunEnd>
  | { readonly type: 'prompt' | 'steer'; readonly text: string }
  | { readonly type: 'answer'; readonly id: string; readonly answer: AskResult }
  | Omit<RunEnd, 'retryable'>;

type LineText = Exclude<Utterance, { readonly type: 'content' }> | { readonly type: 'content'; readonly text: string };

/**
 * The lines of a run, in columns. Lines that were said together are one entry. An object for each line would burden
 * garbage collection more than the rest of a run.
 */
interface Transcript {
  /** The number of each entry's first line. */
  readonly firsts: number[];
  /** The place of each entry's first line among all changes. */
  readonly seqs: number[];
  readonly times: number[];
  /** The entries. Content, which is most of them, is kept as texts only. */
  readonly said: (readonly string[] | Held)[];
  /** The number of the next line. */
  next: number;
  size: number;
  cut: boolean;
}

type Held = Exclude<Utterance, { readonly type: 'content' }>;

/** Receives lines by the number of the first of them. */
type Observer = (runId: string, first: number, count: number) => void;

/** A line with its place among all changes. */
export interface PlacedLine {
  readonly seq: number;
  readonly line: Line;
}

/** A line that may be sent again. It is made only when sent, because making it costs more than finding it. */
export interface PastLine {
  readonly seq: number;
  readonly runId: string;
  line(): Line;
}

/** The limits of kept runs: their number, and about the bytes of one and of all. */
const RUNS = 1_000;
const BYTES_OF_ONE = 256 * 1024;
const BYTES = 16 * 1024 * 1024;
/** The factor by which the limits of all runs may be exceeded. The oldest are then dropped together, which is faster. */
const SLACK = 1.1;

function sizeOf(said: readonly string[] | Held): number {
  if ('type' in said) return 96 + ('text' in said ? 2 * said.text.length : 256);
  let size = 96;
  for (const text of said) size += 16 + 2 * text.length;
  return size;
}

const linesOf = (said: readonly string[] | Held): number => ('type' in said ? 1 : said.length);

/**
 * `next` gives a number of lines their places among all changes, and returns the first; `redact` takes credentials out
 * of what is shown (AUTH-9).
 */
export function createTranscripts(
  clock: Pick<Clock, 'now'>,
  next: (count: number) => number,
  redact: (text: string) => string,
) {
  const transcripts = new Map<string, Transcript>();
  const observers: Observer[] = [];
  let total = 0;

  const shown = (said: readonly string[] | Held, within: number): LineText => {
    if (!('type' in said)) return { type: 'content', text: redact(said[within] ?? '') };
    return 'text' in said ? { ...said, text: redact(said.text) } : (JSON.parse(redact(JSON.stringify(said))) as Held);
  };
  /** A line of an entry. */
  const placed = ({ firsts, seqs, times, said }: Transcript, index: number, within: number): PlacedLine => ({
    seq: (seqs[index] ?? 0) + within,
    line: {
      n: (firsts[index] ?? 0) + within,
      at: new Date(times[index] ?? 0).toISOString(),
      ...shown(said[index] ?? [], within),
    },
  });
  const past = (runId: string, transcript: Transcript, from: number, to: number): PastLine[] =>
    transcript.said.flatMap((said, index) => {
      const first = transcript.seqs[index] ?? 0;
      const begin = Math.max(0, from + 1 - first);
      const count = Math.min(linesOf(said), to + 1 - first) - begin;
      return Array.from({ length: Math.max(0, count) }, (_, n) => ({
        seq: first + begin + n,
        runId,
        line: () => placed(transcript, index, begin + n).line,
      }));
    });

  const begin = (runId: string): Transcript => {
    const transcript: Transcript = { firsts: [], seqs: [], times: [], said: [], next: 0, size: 0, cut: false };
    transcripts.set(runId, transcript);
    return transcript;
  };
  const evict = () => {
    for (const [id, oldest] of transcripts) {
      if (transcripts.size <= RUNS && (total <= BYTES || transcripts.size === 1)) return;
      transcripts.delete(id);
      total -= oldest.size;
    }
  };
  /** Drops the first half of a transcript that is too long. Dropping line by line would cost each time. */
  const shorten = (transcript: Transcript) => {
    const half = transcript.said.length >> 1;
    const size = transcript.said.splice(0, half).reduce((sum, said) => sum + sizeOf(said), 0);
    for (const column of [transcript.firsts, transcript.seqs, transcript.times]) column.splice(0, half);
    transcript.size -= size;
    total -= size;
    transcript.cut = true;
  };

  return {
    note(runId: string, said: Utterance): void {
      const known = transcripts.get(runId);
      // A dropped transcript does not begin again in the middle.
      if (!known && said.type !== 'prompt') return;
      const transcript = known ?? begin(runId);
      const held = said.type === 'content' ? said.texts : said;
      const first = transcript.next;
      const count = linesOf(held);
      transcript.next += count;
      transcript.firsts.push(first);
      transcript.seqs.push(next(count));
      transcript.times.push(clock.now());
      transcript.said.push(held);
      const size = sizeOf(held);
      transcript.size += size;
      total += size;
      if (transcript.size > BYTES_OF_ONE) shorten(transcript);
      if (total > SLACK * BYTES || transcripts.size > SLACK * RUNS) evict();
      for (const observer of observers) observer(runId, first, count);
    },
    /** `cut` if the beginning was dropped; undefined for a run that is no longer held. */
    of(runId: string): { lines: Line[]; cut: boolean } | undefined {
      const transcript = transcripts.get(runId);
      if (!transcript) return undefined;
      const lines = transcript.said.flatMap((said, index) =>
        Array.from({ length: linesOf(said) }, (_, within) => placed(transcript, index, within).line),
      );
      return { lines, cut: transcript.cut };
    },
    /** The line of a run with a number; undefined if it is no longer held. */
    line(runId: string, n: number): PlacedLine | undefined {
      const transcript = transcripts.get(runId);
      if (!transcript || n >= transcript.next) return undefined;
      // Usually one of the last.
      const index = transcript.firsts.findLastIndex((first) => first <= n);
      return index < 0 ? undefined : placed(transcript, index, n - (transcript.firsts[index] ?? 0));
    },
    /** Lines after the place `seq` among all changes, up to and including `to`. */
    since(seq: number, to: number): PastLine[] {
      return [...transcripts].flatMap(([runId, transcript]) => past(runId, transcript, seq, to));
    },
    observe: (observer: Observer): void => void observers.push(observer),
    clear(): void {
      transcripts.clear();
      total = 0;
    },
  };
}

/** The lines of the newest runs, bounded: for people who look at them, never for the runs themselves. */
export type Transcripts = ReturnType<typeof createTranscripts>;
