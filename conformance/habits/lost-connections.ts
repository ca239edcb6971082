import type { Habit } from './habit.js';

/** A connection may be lost on the way. */
const explains: Habit['explains'] = ({ silence }) => (silence?.kind === 'dropped' ? { again: 0 } : undefined);

export const lostConnections: Habit = {
  id: 'lost-connections',
  what: 'drops a connection',
  kit: 'tries again; reports a connection that is lost each time',
  explains,
  silent: true,
};
