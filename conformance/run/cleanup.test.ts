import { describe, expect, test } from 'vitest';
import { PROFILES } from '../../emulator/contract/profile.js';
import { createOwnership } from '../model/ownership.js';
import type { Answer } from '../probe/client.js';
import type { Send } from '../probe/request.js';
import { NoAnswer } from '../probe/wait.js';
import { cleanUp } from './cleanup.js';
import { askedBy } from './exchange-of.js';
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
  const made = Array.from(
    { length: INTERNS },
    (_, n) => ({ event: 'created', id: `i${n}`, name: `kabcd-${n}`, as: 'api_key' }) as const,
  );
  const ledger = createLedger(undefined, [{ event: 'creating', name: 'kabcd-0', as: 'api_key' }, ...made]);
  const own = createOwnership({ ledger, prefix: 'kabcd-' });
  let sent = 0;
  let paused = 0;
  const result = await cleanUp({
    own,
    before: INTERNS,
    atOnce,
    async send(send) {
      return target(send, ++sent);
    },
    async pause() {
      return ++paused < 10;
    },
  });
  return { result, sent: () => sent, paused: () => paused, left: own.open() };
}

const list = (data: unknown[] = []) => answer(200, { data, has_more: false });
const all = (status = 'running') =>
  Array.from({ length: INTERNS }, (_, n) => ({ id: `i${n}`, name: `kabcd-${n}`, status }));
/** Lists them all until one was deleted, and none from then on. */
const listedOnce = () => {
  let deletes = 0;
  return (send: Send) => {
    if (send.method === 'DELETE') deletes++;
    return send.method === 'DELETE' ? answer(202, {}) : list(deletes === 0 ? all() : []);
  };
};

test('a clean-up deletes as many at a time as it may', async () => {
  let open = 0;
  let most = 0;
  const target = listedOnce();
  const { left } = await after(async (send) => {
    if (send.method !== 'DELETE') return target(send);
    most = Math.max(most, ++open);
    await Promise.resolve();
    open--;
    return target(send);
  }, 4);
  expect([left.length, most]).toEqual([0, 4]);
});

describe('a clean-up that the target keeps from its work', () => {
  test('by 429 gives up at once, and says why and when', async () => {
    const { result, sent, left } = await after(() => answer(429, {}, { 'retry-after': '60' }));
    expect(sent()).toBe(1);
    expect(left).toHaveLength(INTERNS);
    expect(result).toMatchObject({ deleted: 0, unsearched: { kind: 'too-many', retryAfter: '60' } });
    expect(result.failed.every(({ because }) => because.kind === 'too-many')).toBe(true);
  });

  test('by 429 half way keeps what is left in the ledger', async () => {
    const { result, sent, left } = await after((send, count) => {
      if (count > 6) return answer(429, {});
      return send.method === 'DELETE' ? answer(202, {}) : list(all());
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
    expect(result.failed.at(-1)?.because).toMatchObject({ kind: 'silent', got: { kind: 'timeout' } });
  });

  test('by teardowns that go on tells them from what nobody takes away', async () => {
    const { result } = await after(({ method, path }) =>
      method === 'DELETE'
        ? path === '/interns/i0'
          ? answer(409, {})
          : answer(202, {})
        : list(all('destroying').map((one) => (one.id === 'i0' ? { ...one, status: 'running' } : one))),
    );
    expect(result.failed.filter(({ leaving }) => leaving !== true).map(({ id }) => id)).toEqual(['i0']);
    expect(result.failed).toHaveLength(INTERNS);
  });

  test('by one lost answer goes on and leaves nothing', async () => {
    const target = listedOnce();
    const { result, left } = await after((send, count) => {
      if (count === 2) throw new NoAnswer('dropped', 'DELETE', 'reset');
      if (send.path === '/interns/i0' && send.method === undefined) return answer(200, all()[0]);
      return target(send);
    });
    expect(left).toEqual([]);
    expect(result).toMatchObject({ deleted: INTERNS, failed: [] });
  });
});

describe('a clean-up takes away only what bears a name of the run', () => {
  test.each([
    [
      'by a list',
      (send: Send) => list(send.path === '/interns' ? [{ id: 'i0', name: 'precious', status: 'stopped' }] : []),
    ],
    [
      'by a read, where the list does not show it',
      (send: Send) => (send.path === '/interns' ? list() : answer(200, { id: 'i0', name: 'precious' })),
    ],
    [
      'by no name, where the read shows none',
      (send: Send) => (send.path === '/interns' ? list() : answer(200, { id: 'i0' })),
    ],
  ])('as it is read %s', async (_, target) => {
    const deleted: (string | undefined)[] = [];
    const { result } = await after((send) => {
      if (send.method === 'DELETE') deleted.push(send.path);
      if (send.path !== '/interns' && send.path !== '/interns/i0' && send.method === undefined) return answer(404, {});
      return target(send);
    });
    expect(deleted).toEqual([]);
    expect(result.failed.map(({ id }) => id)).toEqual(['i0']);
    expect(result.failed[0]?.because).toMatchObject({ kind: 'named-otherwise' });
  });

  test('and waits for nothing that others have named', async () => {
    const named = all().map((one) => (one.id === 'i0' ? { ...one, name: 'precious' } : one));
    let deletes = 0;
    const { result, paused } = await after(({ method }) => {
      if (method === 'DELETE') {
        deletes++;
        return answer(202, {});
      }
      return list(deletes === 0 ? named : named.slice(0, 1));
    });
    expect(result.failed.map(({ id }) => id)).toEqual(['i0']);
    expect([deletes, paused()]).toEqual([INTERNS - 1, 1]);
  });

  test('one whose name the list leaves out is read by itself', async () => {
    const names = new Set<string>();
    const { left } = await after((send) => {
      if (send.method === 'DELETE') return answer(202, {});
      if (send.path === '/interns')
        return list(names.size === 0 ? all().map(({ id, status }) => ({ id, status })) : []);
      names.add(String(send.path));
      return answer(200, { id: 'x', name: `kabcd-${names.size}` });
    });
    expect(names.size).toBe(INTERNS);
    expect(left).toEqual([]);
  });
});

test.each([
  ['502 once is asked for again, and is gone', 502, []],
  ['403 is named, and not asked for again', 403, ['/vault/secrets/kabcd_1']],
])('a secret whose delete is answered %s', async (_, status, failed) => {
  const ledger = createLedger(undefined, [{ event: 'stored', path: '/vault/secrets/kabcd_1', as: 'api_key' }]);
  let deletes = 0;
  const result = await cleanUp({
    own: createOwnership({ ledger, prefix: 'kabcd-' }),
    atOnce: 1,
    send: async ({ method }) => (method === 'DELETE' ? answer(deletes++ === 0 ? status : 204, undefined) : list()),
    pause: async () => true,
  });
  expect(result.failed.map(({ id }) => id)).toEqual(failed);
  expect(deletes).toBe(status === 502 ? 2 : 1);
});

test('what a create makes whose client has left is looked for once more', async () => {
  const own = createOwnership({ ledger: createLedger(), prefix: 'kabcd-' });
  const create = askedBy(
    { method: 'POST', path: '/interns', json: { name: 'kabcd-1' } },
    { baseUrl: 'https://x.test/api/v1', profile: PROFILES.svc },
  );
  own.permits(create);
  own.asks(1, create);
  const sent: string[] = [];
  const result = await cleanUp({
    ...{ own, atOnce: 1 },
    async send({ method = 'GET', path = '' }) {
      sent.push(`${method} ${path}`);
      if (method === 'DELETE') return answer(202, {});
      const late = sent.length > 1 && !sent.some((line) => line.startsWith('DELETE'));
      return list(late ? [{ id: 'late', name: 'kabcd-1', status: 'stopped' }] : []);
    },
    pause: async (round) => round < 5,
  });
  expect(sent).toEqual(['GET /interns', 'GET /interns', 'DELETE /interns/late', 'GET /interns']);
  expect(result).toMatchObject({ created: 1, deleted: 1, failed: [] });
});
