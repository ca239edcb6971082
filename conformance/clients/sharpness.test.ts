import { afterAll, expect, test } from 'vitest';
import { createEmulator } from '../../emulator/index.js';
import { cases } from '../../emulator/lab/cases.js';
import { createLab } from '../../emulator/lab/lab.js';
import { FLAWS, type Flaw } from '../../test/reference/flaws.js';
import { catches, isPlain } from '../../test/reference/sharpness.js';
import { systemHost } from '../probe/time.js';
import score from './score.json' with { type: 'json' };

const lab = createLab({ id: () => systemHost.tag(10), emulator: createEmulator });
afterAll(() => lab.close());

const caughtBy: Readonly<Record<string, readonly string[]>> = score.catches;
const flaws = Object.values(FLAWS).flatMap((area) => Object.keys(area));

test('the score is of the cases and the wrong clients that there are: else npm run lab-score', () => {
  expect(Object.keys(caughtBy).sort()).toEqual(cases.map(({ id }) => id).sort());
  expect([score.cases, score.flaws]).toEqual([cases.length, flaws.length]);
  for (const named of Object.values(caughtBy).flat()) expect(flaws).toContain(named);
});

test('no case is one that no wrong client fails, and each wrong client fails one', () => {
  expect(Object.entries(caughtBy).filter(([, list]) => list.length === 0)).toEqual([]);
  const caught = new Set(Object.values(caughtBy).flat());
  expect(flaws.filter((flaw) => !caught.has(flaw))).toEqual([]);
});

test('each case of bytes alone catches the wrong client that stands first in its score', {
  timeout: 240_000,
}, async () => {
  const left = cases.filter(isPlain);
  const dull: string[] = [];
  // Many at a time: most of the work is waiting.
  const worker = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [first] = caughtBy[next.id] ?? [];
      if (first === undefined || !(await catches(next, first as Flaw, lab, systemHost)))
        dull.push(`${next.id}: ${first}`);
    }
  };
  await Promise.all(Array.from({ length: 10 }, worker));
  expect(dull).toEqual([]);
});
