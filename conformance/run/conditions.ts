import type { Intern } from '../../emulator/contract/intern.js';

/** States in which an intern can be handed out again. */
export type Shelf = 'stopped' | 'booting' | 'running';

/** What the answers told of an intern that the run made. */
export interface Condition {
  readonly record: Intern;
  readonly state: Shelf;
  /** When it got there, as far as the run knows. */
  readonly since: number;
}

/** Keeps track of the interns that a run made, so that those left in a known state can serve another check. */
export interface Conditions {
  /** A new intern of which nothing was asked but a name, and whether to boot. */
  made(record: Intern, state: Shelf): void;
  /** The record of one, as a read told it. */
  seen(record: Intern): void;
  /** A write that was accepted. */
  done(id: string, method: string, rest: string, body: unknown): void;
  /** Whether it was running when it was last read, and nothing was sent since that ends that. */
  runs(id: string): boolean;
  /** The status of one that ran, and was read otherwise although nobody here suspended or deleted it. */
  went(id: string): string | undefined;
  /** Whether any was read to have stopped by itself. */
  stopsThem(): boolean;
  /** Undefined where nobody can tell, or its settings are no longer those of any intern. */
  of(id: string): Condition | undefined;
}

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
/** Requests that have an intern do something and leave it as it is. */
const TALK = /^(chat\/completions|invoke|daemon(-access)?\/sign)$/;

export function createConditions(now: () => number): Conditions {
  const known = new Map<string, Condition>();
  const ran = new Set<string>();
  const went = new Map<string, string>();
  const move = (id: string, state: Shelf, change: Partial<Intern> = {}) => {
    const record = known.get(id)?.record;
    if (record !== undefined) known.set(id, { state, record: { ...record, ...change }, since: now() });
  };
  return {
    made: (record, state) => void known.set(record.id, { record, state, since: now() }),
    seen(record) {
      if (record.status === 'running') ran.add(record.id);
      else if (ran.delete(record.id)) went.set(record.id, record.status);
      const before = known.get(record.id);
      if (before === undefined) return;
      // One that waits for its first provision may be queued for it.
      const state = record.status === 'queued' ? before.state : STATES[record.status];
      // Its suspend goes on after the answer: until when, nobody can tell.
      const stopping = before.state === 'stopped' && before.record.status === 'running' && state === 'running';
      if (state === undefined || stopping) known.delete(record.id);
      else known.set(record.id, { record, state, since: before.state === state ? before.since : now() });
    },
    done(id, method, rest, body) {
      if (TALK.test(rest)) return;
      if (method !== 'PATCH') ran.delete(id);
      if (rest === 'provision') went.delete(id);
      if (rest === 'provision') move(id, 'booting', { status: 'provisioning' });
      // Its status stays the last that was read: who takes it looks whether it is stopped by then.
      else if (rest === 'suspend') move(id, 'stopped');
      else {
        const keys = typeof body === 'object' && body !== null ? Object.keys(body) : ['?'];
        if (method !== 'PATCH' || rest !== '' || keys.some((key) => !HARMLESS.has(key))) known.delete(id);
      }
    },
    runs: (id) => ran.has(id),
    went: (id) => went.get(id),
    stopsThem: () => [...went.values()].includes('stopped'),
    of: (id) => known.get(id),
  };
}
