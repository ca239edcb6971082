import type { Ending } from './ending.js';
import type { Lane } from './lane.js';
import type { Obstacles } from './obstacles.js';
import type { Pool } from './pool.js';
import type { RunBase } from './run-base.js';
import type { Session } from './session.js';

/** Everything that the parts of a run share, and the lane that looks. Nothing in it is replaced while the run goes on. */
export interface RunContext extends RunBase {
  readonly session: Session;
  readonly pool: Pool;
  readonly obstacles: Obstacles;
  readonly lane: Lane;
  /** When and why it ends. */
  readonly ending: Pick<Ending, 'near'>;
}
