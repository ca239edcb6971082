import type { Habit } from './habit.js';
import { LATER } from './visit.js';

const NOBODY: ReadonlySet<unknown> = new Set(['refused', 'dns', 'proxy']);

/** A service that is down for some seconds breaks no sentence of the interface. */
const explains: Habit['explains'] = ({ found, silence }) => {
  if (silence === undefined || !NOBODY.has(silence.kind)) return undefined;
  return {
    again: LATER,
    skip: { kind: 'stopped', because: { kind: 'unreached', request: found.of, got: silence } },
  };
};

export const away: Habit = {
  id: 'away',
  what: 'is away, so that no connection is made',
  kit: 'retries, 2 and 4 s later; skips the checks that reach nobody, and exits 3',
  explains,
  silent: true,
};
