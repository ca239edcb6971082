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

interface Line {
  readonly seq: number;
  readonly n: number;
  readonly at: number;
  readonly said: Said;
}

interface Transcript {
  lines: Line[];
  size: number;
  cut: boolean;
}

type Observer = (runId: string, seq: number, line: () => SaidView) => void;

/** What was said in the newest runs, bounded: for people who look at them, never for the runs themselves. */
export interface Transcripts {
  note(runId: string, said: Said): void;
  /** `cut` where the beginning was let go of; undefined for a run that is not held any more. */
  of(runId: string): { lines: SaidView[]; cut: boolean } | undefined;
  /** Lines after a place among all changes, with their own. */
  since(seq: number): { seq: number; runId: string; line: SaidView }[];
  observe(observer: Observer): void;
  clear(): void;
}

/** Of how many runs, and about how many bytes of one and of all together. */
const RUNS = 1_000;
const BYTES_OF_ONE = 256 * 1024;
const BYTES = 16 * 1024 * 1024;
/** By how much both may be passed, so that the oldest go together: from a map, taking them one by one costs ever more. */
const SLACK = 1.1;

const sizeOf = (said: Said): number => 96 + ('text' in said ? 2 * said.text.length : 256);

/** `next` gives each line its place among all changes; `redact` takes credentials out of what is shown (AUTH-9). */
export function createTranscripts(
  clock: Pick<Clock, 'now'>,
  next: () => number,
  redact: (text: string) => string,
): Transcripts {
  const transcripts = new Map<string, Transcript>();
  const observers: Observer[] = [];
  let total = 0;

  const view = ({ n, at, said }: Line): SaidView => {
    const shown =
      'text' in said ? { ...said, text: redact(said.text) } : (JSON.parse(redact(JSON.stringify(said))) as Said);
    return { n, at: new Date(at).toISOString(), ...shown };
  };

  const begin = (runId: string): Transcript => {
    const transcript: Transcript = { lines: [], size: 0, cut: false };
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
    const gone = transcript.lines.splice(0, transcript.lines.length >> 1);
    const size = gone.reduce((sum, { said }) => sum + sizeOf(said), 0);
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
      const n = (transcript.lines.at(-1)?.n ?? -1) + 1;
      const line = { seq: next(), n, at: clock.now(), said };
      const size = sizeOf(said);
      transcript.lines.push(line);
      transcript.size += size;
      total += size;
      if (transcript.size > BYTES_OF_ONE) shorten(transcript);
      if (total > SLACK * BYTES || transcripts.size > SLACK * RUNS) evict();
      for (const observer of observers) observer(runId, line.seq, () => view(line));
    },
    of(runId) {
      const transcript = transcripts.get(runId);
      return transcript && { lines: transcript.lines.map(view), cut: transcript.cut };
    },
    since(seq) {
      const found: { seq: number; runId: string; line: SaidView }[] = [];
      for (const [runId, { lines }] of transcripts)
        for (const line of lines) if (line.seq > seq) found.push({ seq: line.seq, runId, line: view(line) });
      return found;
    },
    observe: (observer) => void observers.push(observer),
    clear() {
      transcripts.clear();
      total = 0;
    },
  };
}
