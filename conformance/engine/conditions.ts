import type { Intern } from '../../emulator/contract/intern.js';
import type { Condition, Conditions, Shelf } from '../habits/known.js';
import { READS, TURNS } from '../habits/visit.js';

const STATES: Readonly<Record<string, Shelf>> = {
  stopped: 'stopped',
  provisioning: 'booting',
  running: 'running',
};
/**
 * What an update may change of an intern that serves others: nothing that it does depends on it. Not its name: a peer may
 * have one of the new name.
 */
const HARMLESS = new Set(['description']);

export function createConditions(now: () => number): Conditions {
  const known = new Map<string, Condition>();
  const ran = new Set<string>();
  const went = new Map<string, string>();
  let stopsThem = false;
  const flying = new Map<string, { requests: number; writes: number }>();
  const writes = (method: string, rest: string) => !READS.has(method) && !TURNS.test(rest);
  const move = (id: string, state: Shelf, change: Partial<Intern> = {}) => {
    const record = known.get(id)?.record;
    if (record !== undefined) known.set(id, { state, record: { ...record, ...change }, since: now() });
  };
  const landed = (id: string) => {
    const now = flying.get(id);
    if (now === undefined || now.requests <= 1) flying.delete(id);
    else now.requests--;
  };
  return {
    made: (record, state) => void known.set(record.id, { record, state, since: now() }),
    seen(record) {
      if (record.status === 'running') ran.add(record.id);
      else if (ran.delete(record.id)) {
        went.set(record.id, record.status);
        stopsThem ||= record.status === 'stopped';
      }
      const before = known.get(record.id);
      if (before === undefined) return;
      // One that waits for its first provision may be queued for it.
      const state = record.status === 'queued' ? before.state : STATES[record.status];
      // Its suspend goes on after the answer: until when, nobody can tell.
      const stopping = before.state === 'stopped' && before.record.status === 'running' && state === 'running';
      if (state === undefined || stopping) known.delete(record.id);
      else known.set(record.id, { record, state, since: before.state === state ? before.since : now() });
    },
    sent(id, method, rest) {
      const now = flying.get(id) ?? { requests: 0, writes: 0 };
      now.requests++;
      if (writes(method, rest)) now.writes++;
      flying.set(id, now);
      if (now.requests > 1 && now.writes > 0) known.delete(id);
    },
    answered: landed,
    lost(id, method, rest) {
      landed(id);
      if (writes(method, rest)) known.delete(id);
    },
    done(id, method, rest, body) {
      if (TURNS.test(rest)) return;
      if (method !== 'PATCH') ran.delete(id);
      if (rest === 'provision') move(id, 'booting', { status: 'provisioning' });
      // Its status stays the last that was read: who takes it looks whether it is stopped by then.
      else if (rest === 'suspend') move(id, 'stopped');
      else {
        const keys = typeof body === 'object' && body !== null ? Object.keys(body) : ['?'];
        if (method !== 'PATCH' || rest !== '' || keys.some((key) => !HARMLESS.has(key))) known.delete(id);
      }
    },
    runs: (id) => ran.has(id),
    handed: (id) => void went.delete(id),
    went: (id) => went.get(id),
    stopsThem: () => stopsThem,
    of: (id) => known.get(id),
  };
}
