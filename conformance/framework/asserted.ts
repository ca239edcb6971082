import { AsyncLocalStorage } from 'node:async_hooks';
import type { Wanted } from './finding.js';

/** Receives what a check wants, whether or not it holds. */
const recording = new AsyncLocalStorage<(wanted: Wanted) => void>();

/** Calls `work`, and `seen` with everything that the assertions in it want. */
export const recordAssertions = <Result>(seen: (wanted: Wanted) => void, work: () => Result): Result =>
  recording.run(seen, work);

/** An assertion says what it wants. Costs nothing while nobody records. */
export const asserted = (wanted: () => Wanted): void => recording.getStore()?.(wanted());
