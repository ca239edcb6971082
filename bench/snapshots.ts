// The cost of keeping and restoring a state, at 100 interns: in memory, and with --data.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFileStore } from '../emulator/store/file.js';
import { createMemoryStore } from '../emulator/store/memory.js';
import type { Store } from '../emulator/store/store.js';
import { idempotencyRow, internRow } from '../emulator/store/test-rows.js';
import { median, report } from './lib.js';

const INTERNS = 100;
const ROUNDS = 50;

async function timesOf(store: Store) {
  for (let number = 1; number <= INTERNS; number++) {
    store.collection('interns').put(internRow(number));
    store.collection('idempotency').put(idempotencyRow(number));
  }
  await store.commit();
  const kept: number[] = [];
  const restored: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const begun = performance.now();
    const state = store.snapshot();
    kept.push(performance.now() - begun);
    for (let number = 1; number <= INTERNS; number += 3)
      store.collection('interns').put(internRow(number, { name: `changed-${round}` }));
    await store.commit();
    const back = performance.now();
    await store.replace(state);
    restored.push(performance.now() - back);
  }
  return { kept: median(kept), restored: median(restored) };
}

const memory = await timesOf(createMemoryStore());
report('snapshot of 100 interns', `${memory.kept.toFixed(3)} ms`, '≤ 1 ms', memory.kept <= 1);
report('restore in memory', `${memory.restored.toFixed(3)} ms`, '≤ 5 ms', memory.restored <= 5);

const folder = mkdtempSync(join(tmpdir(), 'bench-snapshots-'));
const store = openFileStore(join(folder, 'interns.json'));
const file = await timesOf(store);
report('restore with --data', `${file.restored.toFixed(3)} ms`, '≤ 5 ms', file.restored <= 5);
await store.close();
rmSync(folder, { recursive: true });
