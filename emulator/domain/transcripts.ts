import type { Clock } from '../clock/clock.js';
import type { Answer, Ask } from '../contract/interaction.js';
import type { RunEnded, Usage } from '../contract/run.js';

/** One thing that was said in a run, by either side, in the order in which it happened. */
export type Said =
  | { readonly type: 'prompt' | 'steer'; readonly text: string }
  | { readonly type: 'content' | 'reasoning'; readonly text: string }
  | { readonly type: 'model'; readonly model: string }
  | { readonly type: 'ask'; readonly id: string; readonly ask: Ask }
  | { readonly type: 'answer'; readonly id: string; readonly answer: Answer }
  | { readonly type: 'end'; readonly ended: RunEnded; readonly message?: string; readonly usage: Usage | null };

/** A line of a transcript as the control interface shows it; `n` counts the lines of its run from 0. */
export type SaidView = { n: number; at: string } & Said;

/**
 * The lines of a run in columns: what is kept of each costs a collection of garbage, and an object for each line more than
 * all the rest of a run.
 */
interface Transcript {
  /** The number of the first line that is held. */
  first: number;
  readonly seqs: number[];
  readonly times: number[];
  /** Of what the intern said, which is most of it, the text alone. */
  readonly said: (string | Said)[];
  size: number;
  cut: boolean;
}

/** Is told of a line by its number. */
type Observer = (runId: string, n: number) => void;

/** A line with its place among all changes. */
export interface PlacedLine {
  readonly seq: number;
  readonly line: SaidView;
}

/** What was said in the newest runs, bounded: for people who look at them, never for the runs themselves. */
export interface Transcripts {
  note(runId: string, said: Said): void;
  /** `cut` where the beginning was let go of; undefined for a run that is not held any more. */
  of(runId: string): { lines: SaidView[]; cut: boolean } | undefined;
  /** The line of a run with a number; undefined where it is not held any more. */
  line(runId: string, n: number): PlacedLine | undefined;
  /** Lines after a place among all changes. */
  since(seq: number): (PlacedLine & { readonly runId: string })[];
  observe(observer: Observer): void;
  clear(): void;
}

/** Of how many runs, and about how many bytes of one and of all together. */
const RUNS = 1_000;
const BYTES_OF_ONE = 256 * 1024;
const BYTES = 16 * 1024 * 1024;
/** By how much both may be passed, so that the oldest go together: from a map, taking them one by one costs ever more. */
const SLACK = 1.1;

const sizeOf = (said: string | Said): number => {
  if (typeof said === 'string') return 96 + 2 * said.length;
  return 96 + ('text' in said ? 2 * said.text.length : 256);
};

/** `next` gives each line its place among all changes; `redact` takes credentials out of what is shown (AUTH-9). */
export function createTranscripts(
  clock: Pick<Clock, 'now'>,
  next: () => number,
  redact: (text: string) => string,
): Transcripts {
  const transcripts = new Map<string, Transcript>();
  const observers: Observer[] = [];
  let total = 0;

  const shown = (said: string | Said): Said => {
    if (typeof said === 'string') return { type: 'content', text: redact(said) };
    return 'text' in said ? { ...said, text: redact(said.text) } : (JSON.parse(redact(JSON.stringify(said))) as Said);
  };
  const placed = ({ first, seqs, times, said }: Transcript, index: number): PlacedLine => ({
    seq: seqs[index] ?? 0,
    line: { n: first + index, at: new Date(times[index] ?? 0).toISOString(), ...shown(said[index] ?? '') },
  });

  const begin = (runId: string): Transcript => {
    const transcript: Transcript = { first: 0, seqs: [], times: [], said: [], size: 0, cut: false };
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
    const size = transcript.said.splice(0, half).reduce<number>((sum, said) => sum + sizeOf(said), 0);
    transcript.seqs.splice(0, half);
    transcript.times.splice(0, half);
    transcript.first += half;
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
      const n = transcript.first + transcript.said.length;
      transcript.seqs.push(next());
      transcript.times.push(clock.now());
      transcript.said.push(said.type === 'content' ? said.text : said);
      const size = sizeOf(said);
      transcript.size += size;
      total += size;
      if (transcript.size > BYTES_OF_ONE) shorten(transcript);
      if (total > SLACK * BYTES || transcripts.size > SLACK * RUNS) evict();
      for (const observer of observers) observer(runId, n);
    },
    of(runId) {
      const transcript = transcripts.get(runId);
      if (!transcript) return undefined;
      return { lines: transcript.said.map((_, index) => placed(transcript, index).line), cut: transcript.cut };
    },
    line(runId, n) {
      const transcript = transcripts.get(runId);
      const index = n - (transcript?.first ?? 0);
      return transcript && index >= 0 && index < transcript.said.length ? placed(transcript, index) : undefined;
    },
    since(seq) {
      const found: (PlacedLine & { runId: string })[] = [];
      for (const [runId, transcript] of transcripts)
        for (const [index, own] of transcript.seqs.entries())
          if (own > seq) found.push({ runId, ...placed(transcript, index) });
      return found;
    },
    observe: (observer) => void observers.push(observer),
    clear() {
      transcripts.clear();
      total = 0;
    },
  };
}
