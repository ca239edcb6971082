import { Unmet } from '../framework/assert.js';

/** What checks build on and cannot do without. */
export type Obstacle = 'create' | 'running' | 'gone' | 'chat' | 'streaming' | 'answers';

/** How often each has to be found before what builds on it is not tried any more. */
const ENOUGH: Readonly<Record<Obstacle, number>> = {
  create: 1,
  running: 1,
  gone: 1,
  chat: 3,
  streaming: 1,
  answers: 3,
};

/** What the obstacles keep a check from. */
const LACKS: Readonly<Record<Obstacle, string>> = {
  create: 'no intern could be created',
  running: 'no intern came to run',
  gone: 'a deleted intern stays',
  chat: 'chat does not answer with a stream that ends',
  streaming: 'streams arrive only when they end',
  answers: 'no answer to a question is taken',
};

/** What was found to be in the way, so that it is told once and not by every check that builds on it. */
export interface Obstacles {
  /** Notes that a check met it. */
  met(obstacle: Obstacle, by: string, why?: string): void;
  /** Notes that it is not, or no longer, in the way. */
  gone(obstacle: Obstacle): void;
  /** Whether other checks have met it often enough. */
  blocks(obstacle: Obstacle): boolean;
  /** Throws {@link Unmet} where other checks have met it often enough. */
  pass(obstacle: Obstacle, check: string): void;
}

export function createObstacles(blocking: boolean): Obstacles {
  const found = new Map<Obstacle, Map<string, string | undefined>>();
  return {
    met(obstacle, by, why) {
      const checks = found.get(obstacle) ?? new Map<string, string | undefined>();
      checks.set(by, why);
      found.set(obstacle, checks);
    },
    gone(obstacle) {
      found.delete(obstacle);
    },
    blocks: (obstacle) => (found.get(obstacle)?.size ?? 0) >= ENOUGH[obstacle],
    pass(obstacle, check) {
      const by = found.get(obstacle);
      // One that has met it itself is repeated as it was.
      if (!blocking || by === undefined || by.size < ENOUGH[obstacle] || by.has(check)) return;
      const [first = [check, undefined]] = by;
      throw new Unmet(`blocked by ${first[0]}`, first[1] ?? LACKS[obstacle], 'blocked');
    },
  };
}
