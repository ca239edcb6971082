import { describe, expect, test } from 'vitest';
import { createSessions } from '../domain/sessions.js';
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
});
