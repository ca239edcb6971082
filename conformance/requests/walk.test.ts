import { expect, onTestFinished, test } from 'vitest';
import { createEmulator } from '../../emulator/index.js';
import { runs } from '../../test/same-draws.js';
import { createEmulatorDriver } from '../drivers/emulator.js';
import type { Fetch } from '../probe/client.js';
import { systemHost } from '../probe/time.js';
import { run } from '../run.js';

/** A walk at an emulator behind something that changes what it answers. */
async function walked(
  through: (fetch: Fetch) => Fetch,
  more: { readonly runs?: number; readonly only?: string; readonly replay?: { name: string; path: string } } = {},
) {
  const emulator = createEmulator({ clock: 'virtual', quiet: true, seed: 'walk' });
  onTestFinished(() => emulator.close());
  const driver = createEmulatorDriver({
    descriptor: { ...emulator.target },
    fetch: through((request) => emulator.fetch(request)),
    host: systemHost,
    tag: 'walk',
    remote: false,
    disposable: true,
  });
  const { only = 'walk/interface', runs: walks = 12, replay } = more;
  const options = { driver, host: systemHost, tag: 'walk', seed: 'walk', only: [only], runs: walks, shrinkBudget: 40 };
  const { checks } = await run({ ...options, ...(replay === undefined ? {} : { replay }) });
  return checks.find(({ id }) => id === 'walk/interface');
}

/** Lists by any status leave out what is stopped. */
const leavesOut =
  (fetch: Fetch): Fetch =>
  async (request) => {
    const answer = await fetch(request);
    if (request.method !== 'GET' || !/\/interns$/.test(new URL(request.url).pathname)) return answer;
    const { data, ...rest } = (await answer.json()) as { data?: { status: string }[] };
    return Response.json(
      data === undefined ? rest : { data: data.filter(({ status }) => status !== 'stopped'), ...rest },
      answer,
    );
  };

test('nothing that a right emulator answers breaks a rule, whatever was asked before', async () => {
  const walks = runs(12);
  const row = await walked((fetch) => fetch, { runs: walks });
  expect(row).toMatchObject({ verdict: 'pass', properties: [{ name: 'steps', runs: walks }] });
  expect(row?.requests).toBeGreaterThan(15 * walks);
});

test('what breaks a rule is made smaller, names what is broken, and is found again by its path, under its published id', async () => {
  const found = await walked(leavesOut);
  expect(found).toMatchObject({ verdict: 'fail', finding: { breaks: 'LIST-1' } });
  const { path = '', counterexample = [] } = found?.finding?.property ?? {};
  expect(counterexample[0]?.split('),').length).toBeLessThanOrEqual(4);
  expect(found?.finding?.replay).toContain(`--only walk/interface --seed walk --runs 12 --path steps:${path}`);
  const again = await walked(leavesOut, { only: 'model/lifecycle', replay: { name: 'steps', path } });
  expect(again).toMatchObject({ verdict: 'fail', finding: { property: { counterexample } } });
});
