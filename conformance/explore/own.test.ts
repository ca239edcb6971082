import { expect, test } from 'vitest';
import type { Journaled } from '../../emulator/contract/journal-entry.js';
import { assemble } from '../../emulator/emulator.js';
import { defaultFactories } from '../../emulator/factories.js';
import { suspendingWith } from '../../test/judged-emulators.js';
import { explore } from './index.js';
import { keepsRules } from './own.js';
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

test('a read that came before a delete and was answered after it shows no breach, whatever was refused before', async () => {
  const emulator = assemble({ quiet: true }, defaultFactories);
  const { base_url, credentials, workspace_id } = emulator.target;
  const headers = { authorization: `Bearer ${credentials.api_key}`, 'content-type': 'application/json' };
  const send = async (method: string, path: string, json?: object) =>
    (
      await emulator.fetch(base_url + path, {
        method,
        headers,
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      })
    ).json();
  const { id } = (await send('POST', '/interns', { name: 'one', workspace_id })) as { id: string };
  await send('GET', `/interns/${id}`);
  await send('DELETE', `/interns/${id}`, { unknown: true });
  await send('DELETE', `/interns/${id}`);
  await send('GET', `/interns/${id}`);
  const { data } = (await (await emulator.fetch('/_emulator/journal')).json()) as { data: readonly Journaled[] };
  await emulator.close();
  expect(data.map(({ response }) => response.status)).toEqual([201, 200, 400, 202, 200]);
  // Each comes 10 ms after the one before it, however busy the machine is.
  const timed = data.map(({ closed: _, ...one }, nth) => ({ ...one, at: new Date(nth * 10).toISOString(), ms: 1 }));
  const [create, read, refused, deleted, after] = timed as [Journaled, Journaled, Journaled, Journaled, Journaled];
  const late = { ...after, at: refused.at, ms: 1_000 };
  expect(() => keepsRules([create, read, refused, late, deleted], 'svc')).not.toThrow();
  expect(() => keepsRules([create, read, refused, late], 'svc')).toThrow(/broke LIFE-1\/refused-does-nothing/);
});
