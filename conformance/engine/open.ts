import { type Stop, Stopped } from '../framework/stop.js';
import type { Redactor } from '../probe/redact.js';
import { systemHost } from '../probe/time.js';
import { takeAway } from './cleaning.js';
import type { CleanupResult } from './cleanup.js';
import { createLedger } from './ledger.js';
import type { Obstacles } from './obstacles.js';
import { type RunnerOptions, settingsOf } from './options.js';
import { preflight } from './preflight.js';
import type { RunBase } from './run-base.js';
import { createSession, type Session } from './session.js';

/** A run at a target, whatever its units are: its session, its ledger, what ends it, and its clean-up. */
export interface OpenRun extends RunBase {
  readonly session: Session;
  readonly redactor: Redactor;
  /** ms, when it began. */
  readonly began: number;
  /** Why it is over, where it is. */
  readonly stopped: Stop | undefined;
  /** Begins nothing more; what is under way goes on. The first reason counts. */
  stop(why: Stop): void;
  /** Ends what is under way, too. */
  end(why: Stop): void;
  /** Looks at the target (KIT-5), unless there is nothing to do, and makes it ready. Answers why it is over, where it is. */
  begin(look?: boolean): Promise<Stop | undefined>;
  /** Notes that the target could not be put back as it was. */
  putBackFailed(error: unknown): void;
  /** Takes away all that the run made, and releases the target. */
  close(obstacles?: Obstacles): Promise<CleanupResult>;
}

/** Opens a run. Nothing is sent before it begins. `puts`: it may change the clock, limits and faults of an emulator. */
export function openRun(options: Omit<RunnerOptions, 'checks'>, { puts = true } = {}): OpenRun {
  const { driver, host = systemHost, maxTime } = options;
  const over = new AbortController();
  const base: RunBase = {
    driver,
    host,
    tag: options.tag ?? host.tag(4),
    settings: settingsOf(options),
    ledger: createLedger(options.ledgerPath),
    signal: over.signal,
  };
  const session = createSession(base);
  const { ledger, signal, tag } = base;
  const began = host.now();
  let stopped: Stop | undefined;
  let stopTimer = () => {};
  const stop = (why: Stop) => {
    stopped ??= why;
  };
  const end = (why: Stop) => over.abort(new Stopped(why));
  const interrupted = () => end({ kind: 'interrupted' });
  const putBackFailed = (error: unknown) =>
    stop({ kind: 'not-put-back', detail: error instanceof Error ? error.message : String(error) });

  return {
    ...base,
    session,
    redactor: session.redactor,
    began,
    get stopped() {
      return stopped ?? (signal.aborted ? ({ kind: 'interrupted' } as const) : undefined);
    },
    stop,
    end,
    putBackFailed,
    async begin(look = true) {
      const at = new Date(began).toISOString();
      ledger.write({ event: 'run', run: tag, url: driver.target.baseUrl, prefix: session.prefix, at });
      if (options.signal?.aborted) interrupted();
      options.signal?.addEventListener('abort', interrupted, { once: true });
      if (maxTime !== undefined) {
        stopTimer = host.later(maxTime, () => {
          stopped = { kind: 'time', ms: maxTime };
          end(stopped);
        });
      }
      const why = look && !signal.aborted ? await preflight(session.running, driver.control !== undefined) : undefined;
      if (why !== undefined) stop(why);
      if (puts && stopped === undefined && !signal.aborted) await driver.begin();
      return stopped;
    },
    async close(obstacles) {
      stopTimer();
      options.signal?.removeEventListener('abort', interrupted);
      session.cleaning();
      await session.client.closeAll();
      await session.client.idle();
      const cleanup = await takeAway({ ...base, session, ...(obstacles === undefined ? {} : { obstacles }) });
      if (puts) await driver.end().catch(putBackFailed);
      return cleanup;
    },
  };
}
