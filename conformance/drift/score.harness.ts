// Prints how many of the kit's mutants drift finds: each is recorded, and its recording compared with the emulator.
//
//   npm run drift-score [AREA…]

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assemble } from '../../emulator/emulator.js';
import { defaultFactories } from '../../emulator/factories.js';
import { createEmulator } from '../../emulator/index.js';
import type { RecordedExchange } from '../../emulator/recording/format.js';
import { readRecording } from '../../emulator/recording/read.js';
import { connect } from '../drivers/connect.js';
import { AREAS } from '../mutants/index.js';
import type { Mutation } from '../mutants/mutant.js';
import { systemHost } from '../probe/time.js';
import { conversation, recorderOf, type Spoken } from './conversation.harness.js';
import { drift } from './drift.js';
import { streamText } from './script.js';

/** The real time that a mutant's conversation may take, in ms. One that hangs is recorded up to there. */
const PATIENCE = 3_000;
const OPTIONS = { clock: 'virtual', profile: 'openrouter', settings: { turns_per_minute: 0 }, quiet: true } as const;

/** The lines of a conversation with a mutant. */
async function linesOf(given: Mutation | (() => Mutation)): Promise<readonly string[]> {
  const mutation = typeof given === 'function' ? given() : given;
  const emulator = assemble(
    { ...OPTIONS, seed: 'recorded' },
    { ...defaultFactories, ...mutation.factories?.(defaultFactories) },
  );
  const usual = (request: Request) => emulator.fetch(request);
  const wrong = mutation.around?.(usual, emulator) ?? usual;
  const spoken: Spoken = {
    clock: emulator.clock,
    target: emulator.target,
    fetch: (input, init) =>
      wrong(input instanceof Request ? input : new Request(new URL(input, emulator.target.base_url), init)),
  };
  const recorder = recorderOf(spoken);
  await Promise.race([conversation(spoken, recorder).catch(() => {}), systemHost.sleep(PATIENCE)]);
  const lines = [...recorder.lines];
  await emulator.close().catch(() => {});
  return lines;
}

/** The content of a recording, without its times and without the size of its writes. */
const outcomeOf = (lines: readonly string[]) =>
  lines
    .map((line) => {
      const { at: _at, writes, ...exchange } = JSON.parse(line) as RecordedExchange;
      return JSON.stringify({ ...exchange, writes: writes && streamText({ ...exchange, at: 0, writes }) });
    })
    .join('\n');

async function findsDrift(file: string): Promise<boolean> {
  const emulator = createEmulator({ ...OPTIONS, seed: 'live' });
  const { driver } = await connect({
    settings: {
      url: emulator.target.base_url,
      fetch: (request) => emulator.fetch(request),
      daemonFetch: (request) => emulator.daemon.fetch(request),
    },
    host: systemHost,
    tag: 'drft',
    look: true,
  });
  try {
    const results = await drift({
      driver,
      host: systemHost,
      exchanges: readRecording(file, () => {}),
      timeout: 500,
      bootTimeout: 5_000,
      signal: new AbortController().signal,
      command: 'drift',
    });
    return results.counts.fail + results.counts.warn + results.counts.error > 0;
  } finally {
    await emulator.close();
  }
}

const folder = mkdtempSync(join(tmpdir(), 'drift-score-'));
const file = join(folder, 'recording.jsonl');
const areas = process.argv.slice(2);
const right = outcomeOf(await linesOf({}));
const missed: string[] = [];
let shown = 0;
let all = 0;
for (const [area, mutants] of Object.entries(AREAS)) {
  if (areas.length > 0 && !areas.includes(area)) continue;
  for (const { name, mutation } of mutants) {
    all++;
    const lines = await linesOf(mutation);
    if (outcomeOf(lines) === right || lines.length === 0) continue;
    shown++;
    writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
    if (!(await findsDrift(file))) missed.push(name);
  }
}
rmSync(folder, { recursive: true });
for (const one of missed) console.log(`not found  ${one}`);
console.log(`drift finds ${shown - missed.length} of the ${shown} mutations that the recording shows (of ${all})`);
