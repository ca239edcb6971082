import { describe, expect, test } from 'vitest';
import { closing } from '../../test/closing.js';
import { deploy } from '../../test/targets/deployment.js';
import { IMPOSTORS, type Impostor, LISTS_AS_OURS, neighbourhood } from '../../test/targets/impostors.js';
import { findingText } from '../report/words/finding.js';
import { skipWords } from '../report/words/skip.js';
import { run } from '../run.js';
import { UNLIMITED } from './limits.js';

/** Runs the whole kit with every credential, and looks what became of other people's interns. */
async function meets({ name, wrongs }: Pick<Impostor, 'name' | 'wrongs'>) {
  const around = neighbourhood();
  const deployment = { name, obeys: 1, wrong: [wrongs(around), around.watch] };
  const { driver, host } = closing(await deploy(deployment, 'impostor', around.start));
  const before = await around.look();
  const results = await run({ driver, host, seed: 'impostor', rate: 0, ...UNLIMITED });
  const after = await around.look();
  return { results, noticed: around.noticed, before, after: after.slice(0, before.length) };
}

describe('interns of other people are never written to by a run at a service that', () => {
  test.each(IMPOSTORS)('$name, and the finding says so', { timeout: 300_000 }, async (impostor) => {
    const { results, noticed, before, after } = await meets(impostor);
    expect(noticed).toEqual([]);
    expect(after).toEqual(before);
    expect(results.counts.error).toBe(0);
    const found = results.checks.filter(
      ({ finding }) => finding !== undefined && impostor.says.test(String(findingText(finding).actual)),
    );
    const skipped = results.checks.filter(({ skip }) => skip !== undefined && impostor.says.test(skipWords(skip).why));
    expect(found.length + skipped.length).toBeGreaterThan(0);
    if (found.length > 0) expect(results.requirements.find(({ id }) => id === 'CREATE-1')?.verdict).toBe('fail');
    expect(results.exit).not.toBe(0);
  });

  test('lists them as those of the run', { timeout: 300_000 }, async () => {
    const { noticed, before, after } = await meets(LISTS_AS_OURS);
    expect(noticed).toEqual([]);
    expect(after).toEqual(before);
  });
});
