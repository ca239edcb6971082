import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askChild } from './ask-child.js';
import { type Child, checkLively, startChild } from './child.js';
import type { Subject, Target } from './fuzz.js';
import { Broken, notOneLine } from './law.js';
import { recordingText } from './recorded.js';

const MOST_MB = 700;

/** An answer of the replay, as far as laws look at it. */
export interface ReplayedAnswer {
  readonly status: number;
  /** Whether a browser cannot take it for a page. */
  readonly inert: boolean;
  readonly headers: readonly string[];
}

/** The outcome of a recording. */
export interface Read {
  /** Why it was refused, by each reader; undefined if it was not. */
  readonly byDrift: string | undefined;
  readonly byReplay: string | undefined;
  readonly answers: readonly ReplayedAnswer[];
  /** Mistakes of ours in the log. */
  readonly failed: readonly string[];
}

/** Headers that no recording may bring. */
const NEVER = ['set-cookie', 'transfer-encoding', 'connection', 'host'];

/** @throws Broken */
function judge({ byDrift, byReplay, answers, failed }: Read, file: string): void {
  if ((byDrift === undefined) !== (byReplay === undefined))
    throw new Broken('replay and drift read the same', `drift: ${byDrift ?? 'fine'}; replay: ${byReplay ?? 'fine'}`);
  for (const why of [byDrift, byReplay]) {
    if (why === undefined) continue;
    const wrong = notOneLine(why);
    if (wrong !== undefined) throw new Broken('a refusal is one line', wrong);
    if (!why.includes(file)) throw new Broken('a refusal names the file', why);
  }
  const [error] = failed;
  if (error !== undefined) throw new Broken('nothing of ours throws', error);
  for (const { status, inert, headers } of answers) {
    if (!inert) throw new Broken('what is replayed is no page', `an answer ${status} may be taken for one`);
    const brought = NEVER.find((name) => headers.includes(name));
    if (brought !== undefined) throw new Broken('a recording brings no header but those of the contract', brought);
  }
}

function subjectOf(child: Child): Subject<string> {
  const folder = mkdtempSync(join(tmpdir(), 'fuzz-recordings-'));
  const file = join(folder, 'recording.jsonl');
  const read = () => askChild<Read>(child, file, MOST_MB);
  return {
    async meet(text) {
      writeFileSync(file, text);
      judge(await read(), file);
      await checkLively(child, async () => {}, read);
    },
    async close() {
      await child.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Recordings from anybody, read as replay and drift do. */
export const recordings = async (plant?: string): Promise<Target<string>> => ({
  inputs: recordingText,
  start: async () => subjectOf((await startChild('scripts/fuzz/reader.ts', [], plant)).child),
});
