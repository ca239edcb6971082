import { blocked, type Obstacle, type ObstacleSeen } from '../model/skip.js';

/** An obstacle that this many checks met stops the checks that build on it. */
const ENOUGH: Readonly<Record<Obstacle, number>> = {
  create: 1,
  running: 1,
  gone: 1,
  chat: 3,
  streaming: 1,
  answers: 3,
};

/** The obstacles of a run: each is reported once, and not by every check that builds on it. */
export function createObstacles(blocking: boolean) {
  const found = new Map<Obstacle, Map<string, ObstacleSeen | undefined>>();
  return {
    /** Notes that a check met an obstacle. */
    met(obstacle: Obstacle, by: string, seen?: ObstacleSeen) {
      const checks = found.get(obstacle) ?? new Map<string, ObstacleSeen | undefined>();
      checks.set(by, seen);
      found.set(obstacle, checks);
    },
    /** Notes that an obstacle does not exist, or no longer. */
    gone(obstacle: Obstacle) {
      found.delete(obstacle);
    },
    /** Whether enough checks have met an obstacle. */
    blocks: (obstacle: Obstacle) => (found.get(obstacle)?.size ?? 0) >= ENOUGH[obstacle],
    /** Throws a skip if enough other checks have met an obstacle. */
    pass(obstacle: Obstacle, check: string) {
      const by = found.get(obstacle);
      // A check that met the obstacle itself is repeated unchanged.
      if (!blocking || by === undefined || by.size < ENOUGH[obstacle] || by.has(check)) return;
      const [[first, seen] = [check, undefined]] = by;
      throw blocked({ kind: 'blocked', by: first, obstacle, ...(seen === undefined ? {} : { seen }) });
    },
  };
}
export type Obstacles = ReturnType<typeof createObstacles>;
