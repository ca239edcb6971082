import { expect, test } from 'vitest';
import { createHarness, type Harness } from './chat.harness.js';

const started = async (h: Harness, body: unknown, extra?: Parameters<Harness['invoke']>[1]) => {
  const response = await h.invoke(body, extra);
  expect(response.status).toBe(202);
  return (await response.json()) as { session_id: string; status: string };
};

test('sessions go with their intern', async () => {
  const h = createHarness();
  await started(h, { input: 'x' });
  await started(h, { input: 'x' }, { row: h.addIntern(2) });
  h.runs.forget(h.intern.id);
  expect([...h.store.collection('sessions').values()].map((row) => row.intern_id)).toEqual([
    '00000000-0000-4000-8000-000000000002',
  ]);
});
