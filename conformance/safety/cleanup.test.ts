import { describe, expect, test } from 'vitest';
import type { Answer } from '../probe/client.js';
import { NoAnswer } from '../probe/no-answer.js';
import type { Send } from '../probe/request.js';
import { cleanUp } from './cleanup.js';
import { createLedger } from './ledger.js';

const INTERNS = 20;

const answer = (status: number, json: unknown, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: new Headers(headers),
  bytes: new Uint8Array(),
  text: '',
  json,
  exchange: 1,
});

/** Cleans up after a run of so many interns against a target that answers like this. */
async function after(target: (send: Send, count: number) => Answer | Promise<Answer>, atOnce = 1) {
  const ledger = createLedger();
  ledger.write({ event: 'creating', name: 'kabcd-0', as: 'api_key' });
  for (let n = 0; n < INTERNS; n++) ledger.write({ event: 'created', id: `i${n}`, name: `kabcd-${n}`, as: 'api_key' });
  let sent = 0;
  let paused = 0;
  const result = await cleanUp({
    ledger,
    prefix: 'kabcd-',
    created: INTERNS,
    atOnce,
    async send(send) {
      return target(send, ++sent);
    },
    async pause() {
      return ++paused < 10;
    },
  });
  return { result, sent: () => sent, paused: () => paused, left: ledger.open() };
}

const list = (data: unknown[] = []) => answer(200, { data, has_more: false });

test('a clean-up takes away as many at a time as it is told', async () => {
  let open = 0;
  let most = 0;
  const { left } = await after(async ({ method }) => {
    if (method !== 'DELETE') return list();
    most = Math.max(most, ++open);
    await Promise.resolve();
    open--;
    return answer(202, {});
  }, 4);
  expect([left.length, most]).toEqual([0, 4]);
});

describe('a clean-up that the target keeps from its work', () => {
  test('by 429 gives up at once, and says why and when', async () => {
    const { result, sent, left } = await after(() => answer(429, {}, { 'retry-after': '60' }));
    expect(sent()).toBe(1);
    expect(left).toHaveLength(INTERNS);
    expect(result).toMatchObject({ deleted: 0, notSearched: 'the target refuses for now with 429, Retry-After 60' });
    expect(new Set(result.failed.map(({ why }) => why))).toEqual(
      new Set(['the target refuses for now with 429, Retry-After 60']),
    );
  });

  test('by 429 half way keeps what is left in the ledger', async () => {
    const { result, sent, left } = await after((send, count) => {
      if (count > 6) return answer(429, {});
      return send.method === 'DELETE' ? answer(202, {}) : list();
    });
    // The list, five deletes, and the one that was refused.
    expect(sent()).toBe(7);
    expect(left.filter((made) => made.deleting === true)).toHaveLength(5);
    expect(result.failed).toHaveLength(INTERNS);
  });

  test('by silence sends two requests and no more, however many interns are left', async () => {
    const { result, sent, paused } = await after((send) => {
      throw new NoAnswer('timeout', `${send.method ?? 'GET'} ${send.path}`, 'nothing came within 10000 ms');
    });
    expect(sent()).toBe(2);
    expect(paused()).toBe(0);
    expect(result.failed).toHaveLength(INTERNS);
    expect(result.failed.at(-1)?.why).toMatch(/^the target gives no answer: .*timeout/);
  });

  test('by teardowns that go on tells them from what nobody takes away', async () => {
    const { result } = await after(({ method, path }) =>
      method === 'DELETE'
        ? path === '/interns/i0'
          ? answer(409, {})
          : answer(202, {})
        : list(
            Array.from({ length: INTERNS }, (_, n) => ({
              id: `i${n}`,
              name: `kabcd-${n}`,
              status: n === 0 ? 'running' : 'destroying',
            })),
          ),
    );
    expect(result.failed.filter(({ leaving }) => leaving !== true).map(({ id }) => id)).toEqual(['i0']);
    expect(result.failed).toHaveLength(INTERNS);
  });

  test('by one lost answer goes on and leaves nothing', async () => {
    const { result, left } = await after((send, count) => {
      if (count === 2) throw new NoAnswer('dropped', 'DELETE', 'reset');
      return send.method === 'DELETE' ? answer(202, {}) : list();
    });
    expect(left).toEqual([]);
    expect(result).toMatchObject({ deleted: INTERNS, failed: [] });
  });
});
