import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deploy } from '../../test/targets/deployment.js';
import { canGoTogether, INGREDIENTS, mixed, resultsOf } from '../../test/targets/mixes.js';
import { run } from '../run.js';
import '../../test/same-draws.js';

/** Checks that send a few requests each, of what most others build on. Whole runs: npm run soak -- --mix 3. */
const ONLY = [
  'create/reads-back',
  'list/agrees-with-reads',
  'update/n*',
  'suspend/stops-and-resumes',
  'delete/vault-is-gone',
];

const mixes = fc
  .subarray([...INGREDIENTS], { minLength: 2, maxLength: 3 })
  .filter((parts) => parts.every((one, at) => parts.slice(at + 1).every((other) => canGoTogether(one, other))))
  .map(mixed);

test('nothing is held against a service for several habits at once', async () => {
  await fc.assert(
    fc.asyncProperty(mixes, fc.string({ minLength: 1, maxLength: 4 }), async (mix, seed) => {
      const { driver, host, close } = await deploy(mix, seed);
      try {
        const { checks } = await run({ driver, host, seed, rate: 0, only: ONLY });
        const wrong = resultsOf({ ...mix, shows: [] }, { checks, exit: 0, incomplete: [] });
        expect(wrong, mix.name).toEqual([]);
      } finally {
        await close();
      }
    }),
    { numRuns: 8 },
  );
});
