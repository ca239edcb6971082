import { describe, expect, test } from 'vitest';
import { createSessions } from '../domain/sessions.js';
import { createTestClient } from '../testing/client.harness.js';
import { NEWEST_KEPT as KEPT } from './limits.js';
import { createMemoryStore } from './memory.js';

describe('of what grows with every request the newest 10,000 are kept', () => {
  test('sessions that invoke issued', () => {
    const rows = createMemoryStore().collection('sessions');
    const sessions = createSessions(rows);
    for (let i = 0; i <= KEPT; i++) sessions.issue('intern', `s-${i}`, 'alice');
    expect(rows.size).toBe(KEPT);
    expect(() => sessions.owned('intern', 's-0', 'alice')).toThrow();
    sessions.owned('intern', 's-1', 'alice');
    sessions.owned('intern', `s-${KEPT}`, 'alice');
    expect(() => sessions.owned('intern', 's-1', 'bob')).toThrow();
  });

  test('reveals, and creates with a key', async () => {
    const api = createTestClient();
    const intern = api.credentials.intern?.id ?? '';
    const { json: state } = await api.get('/_emulator/state?credentials=1');
    const at = '2026-01-01T00:00:00.000Z';
    const many = Array.from({ length: KEPT }, (_, i) => `old-${i}`);
    const [{ record }] = state.interns;
    // An unfinished create is not counted: it goes with its intern.
    const answerOf = (id: string) => (id === 'old-0' ? null : record);
    const create = { intern_id: intern, body_hash: '', derived: false };
    const creates = many.map((id) => ({ id, ...create, answer: answerOf(id) }));
    const reveals = many.map((id) => ({ id, intern_id: intern, caller: 'alice', at }));
    expect((await api.put('/_emulator/state', { ...state, idempotency: creates, reveals })).status).toBe(200);

    await api.get(`/interns/${intern}/daemon`, { as: api.credentials.oauth_token });
    await api.create({ name: 'newest' }, { headers: { 'idempotency-key': 'newest' } });
    const after = (await api.get('/_emulator/state')).json;
    expect([after.reveals.length, after.idempotency.length]).toEqual([KEPT, KEPT + 1]);
    expect(after.reveals[0].id).toBe('old-1');
    expect(after.idempotency.slice(0, 2).map((row: { id: string }) => row.id)).toEqual(['old-0', 'old-1']);
    expect(after.idempotency.at(-1).id).toContain('newest');
    await api.emulator.close();
  });
});
