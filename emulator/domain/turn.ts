import type { Clock } from '../clock/clock.js';
import type { Random } from '../clock/random.js';
import type { ReleaseVerdict } from '../contract/vault.js';
import type { TurnGenerator } from '../scripts/behaviour.js';
import { validateGenerator } from './behaviour-events.js';
import type { Run } from './run.js';

/** The intern of a run, as its behaviour sees it. */
export interface TurnIntern {
  readonly id: string;
  readonly name: string;
  /** The model it booted with. */
  readonly model: string | null;
}

export interface TurnDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly sleep: (run: Run, ms: number, signal?: AbortSignal) => Promise<void>;
  /** A source of its own for a behaviour: `stream` separates the runs. */
  readonly randomFor: (stream: string) => Random;
  /** Whether the intern of a run would be given a secret for a host. */
  readonly release: (internId: string, name: string, to: string) => ReleaseVerdict;
}

/**
 * Calls the behaviour of a run with the arguments of a turn: time, cancellation and randomness, made on demand.
 *
 * @throws what the behaviour throws, and TypeError if it returns no generator
 */
export function beginTurn(run: Run, prompt: string, intern: TurnIntern, deps: TurnDeps): TurnGenerator {
  const { clock, sleep, randomFor, release } = deps;
  let random: Random | undefined;
  const turn = run.behaviour.turn(
    {
      prompt,
      intern: { ...intern },
      session: { id: run.sessionId },
      origin: run.origin,
      approvalMode: run.approvalMode,
    },
    {
      clock: { now: clock.now, sleep: (ms, signal) => sleep(run, ms, signal) },
      get signal() {
        return run.scope.signal;
      },
      get random() {
        random ??= randomFor(run.id);
        return random;
      },
      release: (name, to) => release(intern.id, name, to),
    },
  );
  return validateGenerator(turn);
}
