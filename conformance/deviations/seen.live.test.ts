import { expect, inject, test } from 'vitest';
import { hash } from '../framework/random.js';
import { deviations } from './index.js';
import { broke, wholeRun } from './live.js';
import { isSeen, readMeasured } from './seen.js';
import { TRY } from './try.js';

/** How many a commit draws: each takes a default run until something is found. */
const MANY = 12;

const commit = inject('commit');
const measured = Object.entries(readMeasured().deviations);
const drawn = measured
  .flatMap(([name, { all }]) => (isSeen(all) ? [{ name, at: hash(`${commit} ${name}`) }] : []))
  .sort((one, other) => one.at - other.at)
  .slice(0, MANY);

test.each(drawn)('a default run still sees $name', async ({ name }) => {
  const deviation = deviations.find((one) => one.name === name);
  if (deviation === undefined) throw new Error(`no deviation ${name}`);
  const rows = await wholeRun(deviation, { seed: `${TRY.seed} ${name}`, runs: 1 });
  expect(rows.filter(broke).length).toBeGreaterThan(0);
});
