import { expect, inject, test } from 'vitest';
import { checks } from '../checks/index.js';
import { hash } from '../framework/random.js';
import { deviations } from './index.js';
import { atDeployed, broke } from './live.js';
import { isSeen, readMeasured } from './seen.js';
import { TRY } from './try.js';

/** How many a commit draws. */
const MANY = 16;

const commit = inject('commit');
const measured = Object.entries(readMeasured().deviations);
const drawn = measured
  .flatMap(([name, { all }]) => (isSeen(all) ? [{ name, by: all.seen, at: hash(`${commit} ${name}`) }] : []))
  .sort((one, other) => one.at - other.at)
  .slice(0, MANY);

/** Its checks by themselves first: a whole run costs two seconds, and some see only what the others met. */
test.each(drawn)('a default run still sees $name', async ({ name, by }) => {
  const deviation = deviations.find((one) => one.name === name);
  if (deviation === undefined) throw new Error(`no deviation ${name}`);
  const options = { seed: TRY.seed, runs: 1 };
  const alone = await atDeployed(
    deviation,
    checks.filter(({ id }) => id === by),
    options,
  );
  const found = alone.some(broke) ? alone : await atDeployed(deviation, undefined, options);
  expect(found.filter(broke).length).toBeGreaterThan(0);
});
