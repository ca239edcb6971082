import type { Serve } from '../../emulator/wire/serve.js';
import type { Explanation, Head, Knowledge, Sighting, Visit } from './visit.js';

/** A behaviour of a service that no sentence of the interface forbids. Files of habits import only each other to run. */
export interface Habit {
  readonly id: string;
  /** The behaviour of the service: `gives short pages`. */
  readonly what: string;
  /** The kit's reaction; with `what`, a row of docs/kit.md. Absent where another habit has the same row. */
  readonly kit?: string;
  /** Published requirements that the habit breaks: a warning. `reason`: any requirement, if only the reason differs. */
  readonly differs?: readonly string[];
  /** Makes a service with the habit. */
  readonly serve?: Serve;
  /** ms that a read must wait after an earlier write of the run. */
  before?(read: { readonly id: string | undefined; readonly path: string }, known: Knowledge): number;
  /** ms after which a request is repeated because of its answer; undefined if the answer counts. */
  again?(head: Head, known: Knowledge): number | undefined;
  /** Prepares for a check that runs alone. */
  prepare?(visit: Visit): Promise<void>;
  /** Explains a finding, if the habit can. May send requests. */
  explains?(sighting: Sighting, visit: Visit): Explanation | undefined | Promise<Explanation | undefined>;
  /** Whether it may explain a missing answer, too. */
  readonly silent?: true;
}
