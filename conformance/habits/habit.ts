import type { Serve } from './serve.js';
import type { Explanation, Sighting, Visit } from './visit.js';

/** A way of a service that no sentence of the interface forbids. Files of habits need only each other to run. */
export interface Habit {
  readonly id: string;
  /** What the service does: `gives short pages`. */
  readonly what: string;
  /** What the kit does about it; with `what`, a row of docs/ci.md. Absent where another habit's row says it too. */
  readonly kit?: string;
  /** Published requirements that it differs from: there it gets a warning. `reason` is any of them, where a reason differs. */
  readonly differs?: readonly string[];
  /** A service with it. */
  readonly serve?: Serve;
  /** ms that a read must wait for what the run wrote before. */
  before?(
    read: { readonly id: string | undefined; readonly path: string },
    visit: Pick<Visit, 'history' | 'learnt' | 'now'>,
  ): number;
  /** Whether it explains a finding. May send requests. */
  explains?(sighting: Sighting, visit: Visit): Explanation | undefined | Promise<Explanation | undefined>;
  /** Whether it is asked where no answer came, too. */
  readonly silent?: true;
}
