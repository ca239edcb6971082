import type { Serve } from '../../emulator/wire/serve.js';
import type { Explanation, Head, Knowledge, Sighting, Visit } from './visit.js';

/** A way of a service that no sentence of the interface forbids. Files of habits need only each other to run. */
export interface Habit {
  readonly id: string;
  /** The behaviour of the service: `gives short pages`. */
  readonly what: string;
  /** The kit's reaction; with `what`, a row of docs/kit.md. Absent where another habit's row says it too. */
  readonly kit?: string;
  /** Published requirements that it differs from: there it gets a warning. `reason` is any of them, where a reason differs. */
  readonly differs?: readonly string[];
  /** A service with it. */
  readonly serve?: Serve;
  /** ms that a read must wait for what the run wrote before. */
  before?(read: { readonly id: string | undefined; readonly path: string }, known: Knowledge): number;
  /** ms after which a request is sent again that was answered so; undefined where the answer counts. */
  again?(head: Head, known: Knowledge): number | undefined;
  /** Makes ready for a check that is done alone. */
  prepare?(visit: Visit): Promise<void>;
  /** Whether it explains a finding. May send requests. */
  explains?(sighting: Sighting, visit: Visit): Explanation | undefined | Promise<Explanation | undefined>;
  /** Whether it is asked where no answer came, too. */
  readonly silent?: true;
}
