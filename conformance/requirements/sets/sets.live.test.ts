import { expect, test } from 'vitest';
import { wanting } from '../../mutants/digest.js';
import { checks } from '../../scenarios/index.js';
import { SETS } from './index.js';

const areas = [
  ...new Set(checks.filter(({ id }) => SETS.some((set) => id in set.checks)).map(({ id }) => id.split('/')[0] ?? id)),
];

test.each(areas)('every published check of %s wants what it wanted', async (area) => {
  for (const { name, checks: published } of SETS)
    for (const check of checks.filter(({ id }) => id.startsWith(`${area}/`) && id in published))
      expect(`${check.id} of ${name}: ${await wanting(check)}`).toBe(
        `${check.id} of ${name}: ${published[check.id]?.split('-')[1]}`,
      );
});
