import type { Need } from '../framework/needs.js';
import type { Incomplete } from '../framework/stop.js';
import { CREDENTIAL_NAMES, type CredentialName } from '../probe/request.js';
import { systemHost } from '../probe/time.js';
import { createEnding, type Owed } from './budget.js';
import { LONGEST, takeAway } from './cleaning.js';
import { type CleanupResult, requestsOfCleanUp } from './cleanup.js';
import { recorded } from './finding.js';
import { createLedger } from './ledger.js';
import { createObstacles } from './obstacles.js';
import type { RunBase } from './options.js';
import { type RunnerOptions, settingsOf } from './options.js';
import { createPool } from './pool.js';
import { preflight } from './preflight.js';
import { createSession, type RunContext } from './session.js';
import type { RunTarget } from './units.js';

/** A deployment or an emulator that a run is open at: its session, its ledger and its clean-up. */
export interface OpenRun extends Omit<RunContext, 'lane'>, RunTarget {
  /** Notes that the target could not be put back as it was. */
  putBackFailed(error: unknown): void;
  close(): Promise<CleanupResult>;
}

/** Opens a run. Nothing is sent before it begins. `puts`: it may change the clock, limits and faults of an emulator. */
export function openRun(options: Omit<RunnerOptions, 'checks'>, { puts = true } = {}): OpenRun {
  const { driver, host = systemHost } = options;
  const settings = settingsOf(options);
  const ending = createEnding(host, { limits: settings.limits, signal: options.signal });
  const { signal } = ending;
  const base: RunBase = {
    driver,
    host,
    tag: options.tag ?? host.tag(4),
    settings,
    ledger: createLedger(options.ledgerPath),
    ending,
    signal,
  };
  const session = createSession(base);
  const obstacles = createObstacles(settings.blocking);
  const { tag } = base;
  const { own } = session;
  const { monitors } = session;
  const owed = (): Owed => {
    const unshown = own.open().filter(({ id }) => own.isUnshown(id)).length;
    const pace = Math.max(settings.rate > 0 ? 1_000 / settings.rate : 0, session.pace() / settings.concurrency);
    return {
      requests: requestsOfCleanUp(own) + monitors.owed,
      wait: unshown * pace + Math.min(session.learnt.took.teardown ?? 0, LONGEST),
      found: monitors.broken() + session.suspected.size,
      pace,
    };
  };
  const { kind, address, baseUrl, profile } = driver.target;
  const { began = host.now() } = options;
  const putBackFailed = (error: unknown) =>
    ending.stop({ kind: 'not-put-back', detail: error instanceof Error ? error.message : String(error) });

  return {
    ...base,
    session,
    pool: createPool(session),
    obstacles,
    about: {
      kind,
      url: address ?? baseUrl,
      ...(driver.remote ? {} : { inProcess: true as const }),
      profile: profile.name,
      published: profile.published,
    },
    concurrency: settings.concurrency,
    get scarce() {
      return session.learnt.scarce;
    },
    get sent() {
      return session.client.sent;
    },
    lacks(need) {
      const how = session.unusable(need);
      const spoilt = how && ({ kind: 'unusable', credential: need as CredentialName, how } as const);
      return driver.lacks(need as Need) ?? spoilt;
    },
    clean: (data) => recorded(data, session.redactor),
    putBackFailed,
    async begin(look) {
      const at = new Date(began).toISOString();
      own.note({ event: 'run', run: tag, url: baseUrl, prefix: session.prefix, at });
      ending.begin(owed, began);
      const why = look && !signal.aborted ? await preflight(session.running, driver.control !== undefined) : undefined;
      if (why !== undefined) ending.stop(why);
      if (puts && ending.stopped === undefined) await driver.begin?.();
      return ending.stopped;
    },
    async close() {
      ending.close();
      session.cleaning();
      await session.client.closeAll();
      await session.client.idle();
      const cleanup = await takeAway({ ...base, session, obstacles }, { until: began + settings.limits.time.most });
      if (puts) await driver.end?.().catch(putBackFailed);
      return cleanup;
    },
    summary: () => ({
      asked: session.learnt.asked,
      options: {
        seed: settings.seed,
        runs: settings.runs,
        readOnly: settings.readOnly,
        slow: driver.slow,
        ...(options.budget === undefined ? {} : { budget: options.budget }),
      },
      others: CREDENTIAL_NAMES.flatMap((credential): Incomplete[] => {
        const how = session.unusable(credential);
        return how === undefined ? [] : [{ kind: 'unusable', credential, how }];
      }),
    }),
  };
}
