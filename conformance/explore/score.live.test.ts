import { expect, test } from 'vitest';
import type { FoundByLaw } from '../../test/apps/score.js';
import score from '../../test/apps/score.json' with { type: 'json' };
import { WRONG } from '../../test/apps/wrong/index.js';
import { explore } from './explore.js';

const found: FoundByLaw = score;

/** The ways to break a law, but to hang and to notice nothing: `explore.test.ts` holds those. */
const SAMPLE = [
  'lf-only',
  'newest-is-mine',
  'retries-at-once',
  'loops-on-401',
  'prompts-again-after-a-cut',
  'prompts-again-after-a-loss',
  'approves-again-from-the-start',
  'nobody-catches-its-usage',
  'throws-in-a-callback',
  'delete-is-a-courtesy',
];

test.each(WRONG.filter(({ id }) => SAMPLE.includes(id)))('$id is found', async ({ id, law, run }) => {
  const [kind = ''] = found[id]?.[law] ?? [];
  const { findings } = await explore(run, { only: kind, jobs: 12, patience: 3_000 });
  expect(findings.map((finding) => finding.law)).toContain(law);
});
