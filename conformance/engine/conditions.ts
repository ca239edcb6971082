import type { Intern } from '../../emulator/contract/intern.js';
import type { Addressed, Conditions as Known } from '../habits/known.js';
import { READS, TURNS } from '../habits/visit.js';

/** States in which an intern can be handed out again. */
export type IdleState = 'stopped' | 'booting' | 'running';

/** The state of an intern of the run, as the answers said it. */
export interface Condition {
  readonly record: Intern;
  readonly state: IdleState;
  /** When it got there, as far as the run knows. */
  readonly since: number;
}

const STATES: Readonly<Record<string, IdleState>> = {
  stopped: 'stopped',
  provisioning: 'booting',
  running: 'running',
};
/**
 * Fields that an update may change of an intern that serves other checks: nothing that it does depends on it. Not its name: a peer may
 * have one of the new name.
 */
const HARMLESS = new Set(['description']);

/** Keeps track of the interns that a run made, so that those left in a known state can serve another check. */
export function createConditions(now: () => number) {
  const known = new Map<string, Condition>();
  const ran = new Set<string>();
  const went = new Map<string, { status: string; at: number }>();
  const doubted = new Set<string>();
  let stopsThem = false;
  const flying = new Map<string, { requests: number; writes: number }>();
  const writes = ({ send: { method = 'GET' }, rest }: Addressed) => !READS.has(method) && !TURNS.test(rest);
  const move = (id: string, state: IdleState, change: Partial<Intern> = {}) => {
    const record = known.get(id)?.record;
    if (record !== undefined) known.set(id, { state, record: { ...record, ...change }, since: now() });
  };
  const landed = ({ id = '' }: Addressed) => {
    const now = flying.get(id);
    if (now === undefined || now.requests <= 1) flying.delete(id);
    else now.requests--;
  };
  return {
    /** A new intern of which nothing was asked but a name, and whether to boot. */
    made: (record: Intern, state: IdleState) => void known.set(record.id, { record, state, since: now() }),
    /** The record of one, as a read answered it. */
    seen(record: Intern) {
      doubted.delete(record.id);
      if (record.status === 'running') ran.add(record.id);
      else if (ran.delete(record.id)) {
        went.set(record.id, { status: record.status, at: now() });
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
    /** A request about one leaves: of two at once, one of them a write, nobody can tell which the service took first. */
    sent(request: Addressed) {
      const { id } = request;
      if (id === undefined) return;
      const now = flying.get(id) ?? { requests: 0, writes: 0 };
      now.requests++;
      if (writes(request)) now.writes++;
      flying.set(id, now);
      if (now.requests > 1 && now.writes > 0) known.delete(id);
    },
    /** The head of its answer came. */
    answered: landed,
    /** No head came: a write may have been done all the same. */
    lost(request: Addressed) {
      landed(request);
      if (request.id !== undefined && writes(request)) known.delete(request.id);
    },
    /** A write that was accepted. */
    done({ send: { method, json }, id, rest }: Addressed) {
      if (id === undefined || TURNS.test(rest)) return;
      if (method !== 'PATCH') ran.delete(id);
      if (rest === 'provision') move(id, 'booting', { status: 'provisioning' });
      // Its status stays the last that was read: who takes it looks whether it is stopped by then.
      else if (rest === 'suspend') move(id, 'stopped');
      else {
        const keys = typeof json === 'object' && json !== null ? Object.keys(json) : ['?'];
        if (method !== 'PATCH' || rest !== '' || keys.some((key) => !HARMLESS.has(key))) known.delete(id);
      }
    },
    runs: (id: string) => ran.has(id),
    /** A check takes it as it is now: what happened to it before does not matter. */
    handed: (id: string) => void went.delete(id),
    went(id: string) {
      const gone = went.get(id);
      return gone && { status: gone.status, ago: now() - gone.at };
    },
    /** A check found something: an intern that ran when it was last read may be what it rests on. */
    doubt() {
      for (const id of ran) doubted.add(id);
    },
    /** Whether one that ran when it was last read may have stopped by itself since. */
    mayHaveStopped: (id: string) => stopsThem || doubted.has(id),
    /** Undefined where nobody can tell, or its settings are no longer those of any intern. */
    of: (id: string) => known.get(id),
  } satisfies Known & Record<string, unknown>;
}
export type Conditions = ReturnType<typeof createConditions>;
