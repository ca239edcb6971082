import { expect, inject, test } from 'vitest';
import { hash } from '../probe/time.js';
import { checks } from '../scenarios/index.js';
import { mutants } from './index.js';
import { atDeployed, wholeRun } from './live.js';
import { broke } from './matrix.js';
import { isSeen, readMeasured } from './seen.js';
import { TRY } from './try.js';

/** How many a commit draws: each takes a default run until something is found. */
const MANY = 12;

const commit = inject('commit');
const measured = Object.entries(readMeasured().mutants);
const drawn = measured
  .flatMap(([name, { all }]) => (isSeen(all) ? [{ name, by: all.seen, at: hash(`${commit} ${name}`) }] : []))
  .sort((one, other) => one.at - other.at)
  .slice(0, MANY);

test.each(drawn)('a default run still sees $name', async ({ name, by }) => {
  const mutant = mutants.find((one) => one.name === name);
  if (mutant === undefined) throw new Error(`no mutant ${name}`);
  const options = { seed: `${TRY.seed} ${name}`, runs: 1 };
  const rows = await wholeRun(mutant, options);
  // The last requests of a budget go to one check or another: the count of all is held by seen.test.ts.
  const cut = rows.some(({ id, skip }) => id === by && skip?.because.kind === 'over');
  const named = checks.filter(({ id }) => id === by);
  const found = cut && !rows.some(broke) ? await atDeployed(mutant, named, options) : rows;
  expect(found.filter(broke).length).toBeGreaterThan(0);
});
