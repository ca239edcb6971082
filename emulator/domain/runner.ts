import type { Clock } from '../clock/clock.js';
import { hostSleep } from '../clock/host-wait.js';
import type { Random } from '../clock/random.js';
import { Refusal } from '../contract/errors.js';
import type { Ask, AskResult } from '../contract/interaction.js';
import type { RunEvent } from '../contract/run.js';
import type { TurnGenerator } from '../scripts/behaviour.js';
import { messageOf } from './behaviour-events.js';
import { createDriver, type End } from './drive.js';
import type { Run } from './run.js';
import { clearEvents, HELD_LIMIT, pushEvent } from './run-log.js';
import { createSleeps, RunEndedError } from './sleeps.js';
import type { Utterance } from './transcripts.js';
import { beginTurn, type TurnDeps, type TurnIntern } from './turn.js';

/** ms of real time for which a reader may take nothing while {@link HELD_LIMIT} bytes wait for it. */
const READER_PATIENCE = 2_000;

/** ms in which an intern must accept a prompt: by saying something, waiting or ending (CHAT-16, 504). */
const ACCEPT_TIMEOUT = 30_000;

export interface RunnerDeps {
  readonly clock: Clock;
  readonly random: Random;
  /** A behaviour's own source of random numbers. `stream` names the run. */
  readonly randomFor: (stream: string) => Random;
  readonly log: (record: Record<string, unknown>) => void;
  /** The answer that the run gives by itself, or undefined to ask. */
  readonly answer: (run: Run, ask: Ask) => AskResult | undefined;
  /** Whether an intern would be given a secret for a host (VAULT-9). */
  readonly release: TurnDeps['release'];
  readonly interactionDeadline: () => number;
  readonly executionDeadline: () => number;
  /** ms between two words of a text; 0 says it at once. */
  readonly pace: () => number;
  /** A run went from one status to another. */
  readonly changed: (run: Run, from: Run['status']) => void;
  /** A behaviour waits for the clock, in ms. */
  readonly waits?: (runId: string, ms: number) => void;
  /** Receives the words of both sides in a run. */
  readonly said?: (runId: string, said: Utterance) => void;
}

/**
 * Drives runs. It appends the events of a behaviour's generator to the run's log, and ends the run. The reader wakes when the
 * behaviour is idle: it sleeps, asks, ends or computes. A run has one generator and one reader.
 */
export function createRunner(deps: RunnerDeps) {
  const { clock } = deps;

  /** The intern accepted the prompt: its sender may go on. */
  const accept = (run: Run) => {
    const { opening } = run;
    if (!opening) return;
    run.opening = undefined;
    run.timer?.cancel();
    run.timer = undefined;
    if (run.status === 'running' && run.origin === 'invoke') {
      const left = run.startedAt + deps.executionDeadline() - clock.now();
      run.timer = clock.timer(left, () => end(run, { ended: 'deadline' }));
    }
    opening();
  };

  /** The behaviour yields nothing more for now. The prompt counts as accepted, and the reader gets the ready events. */
  const idle = (run: Run) => {
    run.atWork = false;
    accept(run);
    run.reader?.wake();
  };

  /** Becomes idle after all work that is ready now: so the reader follows a behaviour that neither sleeps nor ends. */
  const idleSoon = (run: Run) => {
    setImmediate(() => {
      if (run.atWork) idle(run);
    });
  };

  const append = (run: Run, event: Exclude<RunEvent, { type: 'end' }>) => {
    if (run.status !== 'ended') deps.said?.(run.id, event);
    // Nobody ever reads a run that was started by invoke, and nothing follows an ending.
    if (run.origin === 'invoke' || run.lost || run.status === 'ended') return;
    pushEvent(run, event);
    if (run.atWork) return;
    run.atWork = true;
    idleSoon(run);
  };

  /** Appends an event from outside the behaviour, such as a steer. It cannot wait for the reader. */
  const appendFromOutside = (run: Run, event: Exclude<RunEvent, { type: 'end' }>) => {
    append(run, event);
    const limit = run.status === 'running' ? 2 * HELD_LIMIT : HELD_LIMIT;
    if (run.held > limit && run.status !== 'ended' && !run.taken) overflow(run);
  };

  /** Waits for a slow reader, and holds an automatic clock. A reader that takes nothing ends the run. */
  const waitForReader = async (run: Run) => {
    const release = clock.hold();
    idle(run);
    while (run.status === 'running' && run.held > HELD_LIMIT) {
      const taken = new AbortController();
      run.taken = () => taken.abort();
      const tookNothing = await hostSleep(READER_PATIENCE, AbortSignal.any([taken.signal, run.scope.signal]));
      run.taken = undefined;
      if (tookNothing) overflow(run);
    }
    release();
  };

  const overflow = (run: Run) => {
    if (run.status === 'running') {
      deps.log({ level: 'warn', event: 'reader_too_slow', intern_id: run.internId, run_id: run.id, held: run.held });
      return end(run, { ended: 'severed' });
    }
    run.lost = true;
    clearEvents(run);
  };

  const setStatus = (run: Run, status: Run['status']) => {
    const from = run.status;
    run.status = status;
    deps.changed(run, from);
  };

  /**
   * Ends a run, once. Its waits are rejected, its signal aborts, its `finally` blocks run. A behaviour that ignores
   * this is left to itself, and nothing waits for it.
   */
  const end = (run: Run, { ended, retryable = false, message, refusal }: End) => {
    if (run.status === 'ended') return;
    const { opening, generator } = run;
    run.timer?.cancel();
    run.timer = undefined;
    run.question = undefined;
    run.ended = ended;
    run.endedAt = clock.now();
    run.generator = undefined;
    run.zeroWaits = 0;
    deps.said?.(run.id, { type: 'end', ended, usage: run.usage, ...(message === undefined ? {} : { message }) });
    setStatus(run, 'ended');

    // A behaviour that stopped and awaits nothing never sees the reason.
    const reason = run.sleeps || ended !== 'stop' ? new RunEndedError(`the run ended: ${ended}`) : undefined;
    sleeps.end(run, reason);
    void run.scope.dispose(reason);
    if (generator) void leave(run, generator);

    if (opening && refusal) {
      run.opening = undefined;
      run.reader = undefined;
      opening(new Refusal(refusal, { ...(message === undefined ? {} : { message }), ...(retryable && { retryable }) }));
    }
    if (run.reader) {
      pushEvent(run, {
        type: 'end',
        ended,
        usage: run.usage,
        retryable,
        ...(message === undefined ? {} : { message }),
      });
    } else {
      // Nobody reads further. Texts may remain that were steered after an unanswered question.
      clearEvents(run);
    }
    idle(run);
  };

  const leave = async (run: Run, generator: TurnGenerator) => {
    try {
      await generator.return(undefined);
    } catch (error) {
      scriptFailed(run, error);
    }
  };

  const scriptFailed = (run: Run, error: unknown) => {
    if (error instanceof RunEndedError) return;
    // Waits of the platform reject with an AbortError when the run's signal aborts.
    if (run.status === 'ended' && error instanceof Error && error.name === 'AbortError') return;
    deps.log({
      level: 'error',
      event: 'script_failed',
      script: run.behaviour.name,
      step: `event ${run.events + 1}`,
      message: messageOf(error),
      intern_id: run.internId,
      run_id: run.id,
    });
  };

  const ask = (run: Run, question: Ask) => {
    accept(run);
    const id = `call_${deps.random.uuid()}`;
    const ms = deps.interactionDeadline();
    run.question = { id, ask: question, deadline: clock.now() + ms };
    run.timer = clock.timer(ms, () => end(run, { ended: 'deadline' }));
    run.events++;
    setStatus(run, 'waiting');
    append(run, { type: 'ask', id, ask: question });
    idle(run);
  };

  /** A behaviour threw an error: only its run fails. */
  const failed = (run: Run, error: unknown) => {
    scriptFailed(run, error);
    end(run, { ended: 'failed', ...(run.events === 0 && { refusal: 'turn_failed' as const }) });
  };

  const sleeps = createSleeps({
    clock,
    waitedForNoTime: accept,
    asleep(run, ms) {
      deps.waits?.(run.id, ms);
      if (run.atWork || run.opening) idle(run);
    },
    letOthersRun: (run, hold) => letOthersRun(run, hold),
  });

  /** Gives other work a turn, and the reader the ready events. */
  const letOthersRun = async (run: Run, hold: boolean) => {
    const release = hold ? clock.hold() : undefined;
    await new Promise<void>((resolve) => setImmediate(resolve));
    release?.();
    if (run.atWork) idle(run);
  };

  const drive = createDriver({
    append,
    answer: deps.answer,
    ask,
    end,
    failed,
    letOthersRun,
    pace: deps.pace,
    sleep: sleeps.sleep,
    waitForReader,
  });

  return {
    end,
    append: appendFromOutside,
    failed,
    /**
     * Starts the behaviour of a new run. Resolves once the intern has accepted the prompt: it said something, waits, or ended.
     * Rejects with the 502 or 504 of CHAT-16. `onWait` is called if it does not accept at once.
     */
    start(run: Run, prompt: string, intern: TurnIntern, onWait: () => void = () => {}): Promise<void> {
      const accepted = new Promise<void>((resolve, reject) => {
        run.opening = (refusal) => (refusal ? reject(refusal) : resolve());
      });
      try {
        run.generator = beginTurn(run, prompt, intern, {
          clock,
          sleep: sleeps.sleep,
          randomFor: deps.randomFor,
          release: deps.release,
        });
      } catch (error) {
        failed(run, error);
        return accepted;
      }
      run.atWork = true;
      void drive(run, intern.model);
      idleSoonUnlessSilent(run, onWait);
      return accepted;
    },
    /**
     * Passes an answer to the run that asked, which continues where it paused. Resolves once the run is idle again.
     */
    answer(run: Run, answer: AskResult): Promise<void> {
      run.timer?.cancel();
      run.timer = undefined;
      if (run.question) deps.said?.(run.id, { type: 'answer', id: run.question.id, answer });
      run.question = undefined;
      setStatus(run, 'running');
      run.atWork = true;
      const rested = new Promise<void>((resolve) => {
        run.opening = () => resolve();
      });
      idleSoon(run);
      void drive(run, null, answer);
      return rested;
    },
  };

  /**
   * A behaviour accepts a prompt with its first event or wait. It has {@link ACCEPT_TIMEOUT} for that.
   */
  function idleSoonUnlessSilent(run: Run, onWait: () => void) {
    setImmediate(() => {
      if (!run.opening) {
        if (run.atWork) idle(run);
        return;
      }
      if (run.events > 0) return idle(run);
      run.atWork = false;
      run.timer = clock.timer(ACCEPT_TIMEOUT, () => end(run, { ended: 'failed', refusal: 'turn_timeout' }));
      onWait();
    });
  }
}
