import { expect, test } from 'vitest';
import { AREAS } from '../index.js';
import { readFound } from './found.harness.js';
import { differsAt } from './trace.harness.js';

const { found } = readFound();

// A table that tells one apart goes on to: whatever becomes of the emulator or of the mutants, they differ as before.
test.each(Object.keys(AREAS))(
  'the deviations of %s still differ from the right emulator',
  { timeout: 300_000 },
  async (area) => {
    const same: string[] = [];
    const known = (AREAS[area] ?? []).filter(({ name }) => typeof found[name] === 'string');
    for (const { name, mutant } of known)
      if ((await differsAt(mutant, [found[name] ?? ''])) === undefined) same.push(name);
    expect(same).toEqual([]);
  },
);
