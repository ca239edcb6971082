import type { Clock } from '../clock/clock.js';
import type { Answer, Ask } from '../contract/interaction.js';
import type { RunEnded, Usage } from '../contract/run.js';

/** One thing that was said in a run, by either side, in the order in which it happened. */
export type Said =
  | { readonly type: 'prompt' | 'steer'; readonly text: string }
  /** Texts that the intern said together: a line each. */
  | { readonly type: 'content'; readonly texts: readonly string[] }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'model'; readonly model: string }
  | { readonly type: 'ask'; readonly id: string; readonly ask: Ask }
  | { readonly type: 'answer'; readonly id: string; readonly answer: Answer }
  | { readonly type: 'end'; readonly ended: RunEnded; readonly message?: string; readonly usage: Usage | null };

/** A line of a transcript as the control interface shows it; `n` counts the lines of its run from 0. */
export type SaidView = { n: number; at: string } & Line;

/** What a line says. */
type Line = Exclude<Said, { readonly type: 'content' }> | { readonly type: 'content'; readonly text: string };

/**
 * The lines of a run in columns, those that were said together as one entry: what is kept of each costs a collection of
 * garbage, and an object for each line more than all the rest of a run.
 */
interface Transcript {
  /** Of each entry the number of its first line and its place among all changes: its other lines have the next ones. */
  readonly firsts: number[];
  readonly seqs: number[];
  readonly times: number[];
  /** Of what the intern said, which is most of it, the texts alone. */
  readonly said: (readonly string[] | Held)[];
  /** The number of the next line. */
  next: number;
  size: number;
  cut: boolean;
}

type Held = Exclude<Said, { readonly type: 'content' }>;

/** Is told of lines by the number of the first of them. */
type Observer = (runId: string, first: number, count: number) => void;

/** A line with its place among all changes. */
export interface PlacedLine {
  readonly seq: number;
  readonly line: SaidView;
}

/** A line that may be told again, in the turn that it was asked for. It is made when it is told: that costs more than to find it. */
export interface PastLine {
  readonly seq: number;
  readonly runId: string;
  line(): SaidView;
}

/** What was said in the newest runs, bounded: for people who look at them, never for the runs themselves. */
export interface Transcripts {
  note(runId: string, said: Said): void;
  /** `cut` where the beginning was let go of; undefined for a run that is not held any more. */
  of(runId: string): { lines: SaidView[]; cut: boolean } | undefined;
  /** The line of a run with a number; undefined where it is not held any more. */
  line(runId: string, n: number): PlacedLine | undefined;
  /** Lines after the place `seq` among all changes, up to and with the place `to`. */
  since(seq: number, to: number): PastLine[];
  observe(observer: Observer): void;
  clear(): void;
}

/** Of how many runs, and about how many bytes of one and of all together. */
const RUNS = 1_000;
const BYTES_OF_ONE = 256 * 1024;
const BYTES = 16 * 1024 * 1024;
/** By how much both may be passed, so that the oldest go together: from a map, taking them one by one costs ever more. */
const SLACK = 1.1;

function sizeOf(said: readonly string[] | Held): number {
  if ('type' in said) return 96 + ('text' in said ? 2 * said.text.length : 256);
  let size = 96;
  for (const text of said) size += 16 + 2 * text.length;
  return size;
}

const linesOf = (said: readonly string[] | Held): number => ('type' in said ? 1 : said.length);

/** `next` gives so many lines their places among all changes, and tells the first; `redact` takes credentials out of what is shown (AUTH-9). */
export function createTranscripts(
  clock: Pick<Clock, 'now'>,
  next: (count: number) => number,
  redact: (text: string) => string,
): Transcripts {
  const transcripts = new Map<string, Transcript>();
  const observers: Observer[] = [];
  let total = 0;

  const shown = (said: readonly string[] | Held, within: number): Line => {
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
  /** Halves one that has become too long, from its beginning: shifting line by line would cost each time. */
  const shorten = (transcript: Transcript) => {
    const half = transcript.said.length >> 1;
    const size = transcript.said.splice(0, half).reduce((sum, said) => sum + sizeOf(said), 0);
    for (const column of [transcript.firsts, transcript.seqs, transcript.times]) column.splice(0, half);
    transcript.size -= size;
    total -= size;
    transcript.cut = true;
  };

  return {
    note(runId, said) {
      const known = transcripts.get(runId);
      // One that was let go of does not begin again in the middle.
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
    of(runId) {
      const transcript = transcripts.get(runId);
      if (!transcript) return undefined;
      const lines = transcript.said.flatMap((said, index) =>
        Array.from({ length: linesOf(said) }, (_, within) => placed(transcript, index, within).line),
      );
      return { lines, cut: transcript.cut };
    },
    line(runId, n) {
      const transcript = transcripts.get(runId);
      if (!transcript || n >= transcript.next) return undefined;
      // Mostly one of the last.
      const index = transcript.firsts.findLastIndex((first) => first <= n);
      return index < 0 ? undefined : placed(transcript, index, n - (transcript.firsts[index] ?? 0));
    },
    since(seq, to) {
      return [...transcripts].flatMap(([runId, transcript]) => past(runId, transcript, seq, to));
    },
    observe: (observer) => void observers.push(observer),
    clear() {
      transcripts.clear();
      total = 0;
    },
  };
}
