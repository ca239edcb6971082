import { expect, test } from 'vitest';
import { assemble } from '../../emulator/emulator.js';
import { defaultFactories } from '../../emulator/factories.js';
import { judgeEmulators, suspendingWith } from '../../test/judged-emulators.js';

/** What is found of a suspension at an emulator whose suspensions answer with this status. */
async function foundAt(status: number): Promise<string[]> {
  const found: string[] = [];
  const undo = judgeEmulators((breach) => found.push(breach));
  const emulator = assemble({ quiet: true }, { ...defaultFactories, createRoutes: suspendingWith(status) });
  undo();
  const { base_url, credentials } = emulator.target;
  const answer = await emulator.fetch(`${base_url}/interns/${credentials.intern?.id}/suspend`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credentials.api_key}` },
  });
  expect(answer.status).toBe(status);
  await emulator.close();
  return found;
}

test('an emulator whose answer breaks a rule is found in its journal, and a right one is not', async () => {
  expect(await foundAt(200)).toEqual([]);
  expect(await foundAt(202)).toEqual([expect.stringContaining('"status of a suspend"')]);
});
