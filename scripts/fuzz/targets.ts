import { control } from './control.js';
import { type FuzzOptions, fuzz, type Outcome, type Target } from './fuzz.js';
import { recordings } from './recordings.js';
import { requests } from './requests.js';
import { upstreams } from './upstreams.js';

type Run = (options: FuzzOptions, plant?: string) => Promise<Outcome>;
/** Only the target knows its type of input. */
const run =
  <Input>(make: (plant?: string) => Promise<Target<Input>>): Run =>
  async (options, plant) =>
    fuzz(await make(plant), options);

/** Each target, run by its name. `plant` is a defect for a test. */
export const TARGETS: Readonly<Record<string, Run>> = {
  requests: run(requests),
  control: run(control),
  recordings: run(recordings),
  upstreams: run(upstreams),
};
