import type { Clock } from '../clock/clock.js';
import type { Random } from '../clock/random.js';
import type { ReleaseVerdict } from '../contract/vault.js';
import type { TurnContext, TurnGenerator } from '../scripts/behaviour.js';
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
  /** A behaviour's own source of random numbers. `stream` names the run. */
  readonly randomFor: (stream: string) => Random;
  /** Whether the intern of a run would be given a secret for a host. */
  readonly release: (internId: string, ...asked: Parameters<TurnContext['release']>) => ReleaseVerdict;
}

/** A class, since one is made per run: a literal with getters takes half a kilobyte more. */
class Context implements TurnContext {
  private made: Random | undefined;
  readonly clock: TurnContext['clock'];
  readonly release: TurnContext['release'];
  constructor(
    private readonly run: Run,
    private readonly deps: TurnDeps,
  ) {
    this.clock = { now: deps.clock.now, sleep: (ms, signal) => deps.sleep(run, ms, signal) };
    this.release = (...asked) => deps.release(run.internId, ...asked);
  }
  get signal(): AbortSignal {
    return this.run.scope.signal;
  }
  get random(): Random {
    this.made ??= this.deps.randomFor(this.run.id);
    return this.made;
  }
}

/**
 * Calls the behaviour of a run with the arguments of a turn: time, cancellation and randomness, made on demand.
 *
 * @throws what the behaviour throws, and TypeError if it returns no generator
 */
export function beginTurn(run: Run, prompt: string, intern: TurnIntern, deps: TurnDeps): TurnGenerator {
  const turn = run.behaviour.turn(
    {
      prompt,
      intern: { ...intern },
      session: { id: run.sessionId },
      origin: run.origin,
      approvalMode: run.approvalMode,
    },
    new Context(run, deps),
  );
  return validateGenerator(turn);
}
