import { expect, test } from 'vitest';
import { defaultFactories } from '../../emulator/factories.js';
import { suspendingWith } from '../../test/judged-emulators.js';
import { explore } from './index.js';
import type { Program } from './types.js';

const suspends: Program = async ({ fetch, target }) => {
  const { base_url, credentials } = target;
  await fetch(`${base_url}/interns/${credentials.intern?.id}/suspend`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credentials.api_key}` },
  });
};

test('an emulator that breaks a rule ends the exploration: no app is blamed by it', async () => {
  const { createRoutes } = defaultFactories;
  defaultFactories.createRoutes = suspendingWith(202);
  try {
    await expect(explore(suspends)).rejects.toThrow(/the emulator broke SUSP-1\/\S+: status of a suspend/);
  } finally {
    defaultFactories.createRoutes = createRoutes;
  }
  expect((await explore(suspends, { maxRuns: 1 })).counts.breach).toBe(0);
});
