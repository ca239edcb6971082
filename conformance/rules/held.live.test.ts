import { expect, test } from 'vitest';
import { atDeployed } from '../mutants/live.js';
import { checks } from '../scenarios/index.js';
import { RULES } from './index.js';

/** Rules that nothing in a default run at a right service gives rise to, and why. */
const UNMET: Readonly<Record<string, string>> = {
  'CREATE-1/workspace-is-explicit': 'the published service has a default workspace',
  'PROV-1/provision-runs': 'a shared service may have suspended the intern',
  'DELETE-1/shows-that-it-goes': 'the teardowns of this service are short',
  'CHAT-13/severed': 'no connection breaks at a right service',
  'CHAT-14/busy-while-it-streams': 'it judges refusals, and successes beside a stream',
};

test('a default run at a right service holds every rule against some exchange', async () => {
  const rows = await atDeployed({ mutation: {} }, checks, { seed: 'held', runs: 1 }, { rate: 20 });
  const rules = new Set(RULES.map(({ id }) => id));
  const unmet = rows.filter(({ id, skip }) => rules.has(id) && skip?.because.kind === 'met').map(({ id }) => id);
  expect(unmet.filter((id) => !(id in UNMET))).toEqual([]);
});
