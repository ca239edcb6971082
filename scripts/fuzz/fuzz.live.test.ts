import { join } from 'node:path';
import { expect, test } from 'vitest';
import { control } from './control.js';
import { type FuzzOptions, fuzz, type Outcome, type Target } from './fuzz.js';
import { recordings } from './recordings.js';
import { requests } from './requests.js';
import { upstreams } from './upstreams.js';

type Run = (plant: string | undefined, options: FuzzOptions) => Promise<Outcome>;
const run =
  <Input>(make: (plant?: string) => Promise<Target<Input>>): Run =>
  async (plant, options) =>
    fuzz(await make(plant), options);

// Today's inputs decide where these seeds lead: if they change, another may take longer.
test.each<[string, Run, string, RegExp]>([
  ['requests', run(requests), 'dies', /^the process lives: it ended with 70: .*planted/s],
  ['requests', run(requests), 'leaves-out', /^every answer is as the rules say: interns that a list/],
  ['control', run(control), 'fails', /^nothing of ours fails: .*planted/],
  ['recordings', run(recordings), 'throws', /^nothing of ours throws: .*planted/s],
  ['upstreams', run(upstreams), 'gives-up', /^the process lives: it ended with 70: .*planted/s],
])('%s finds a defect that is planted', async (_, fuzzed, plant, law) => {
  const { failure } = await fuzzed(join(import.meta.dirname, `plants/${plant}.ts`), {
    seed: 1,
    seconds: 60,
    shrink: 0,
  });
  expect(failure?.law).toMatch(law);
});
