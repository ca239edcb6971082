import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TARGETS } from './targets.js';

// Today's inputs decide where these seeds lead: if they change, another may take longer.
test.each([
  ['requests', 'dies', /^the process lives: it ended with 70: .*planted/s],
  ['requests', 'leaves-out', /^every answer is as the rules say: interns that a list/],
  ['control', 'fails', /^nothing of ours fails: .*planted/],
  ['recordings', 'throws', /^nothing of ours throws: .*planted/s],
  ['upstreams', 'gives-up', /^the process lives: it ended with 70: .*planted/s],
])('%s finds a defect that is planted: %s', async (name, plant, law) => {
  const planted = join(import.meta.dirname, `plants/${plant}.ts`);
  const outcome = await TARGETS[name]?.({ seed: 1, seconds: 60, shrink: 0 }, planted);
  expect(outcome?.failure?.law).toMatch(law);
});
