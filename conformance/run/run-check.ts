import type { Driver } from '../drivers/driver.js';
import { brief, Finding, Unmet } from '../framework/assert.js';
import type { Check } from '../framework/check.js';
import type { Ctx } from '../framework/context.js';
import { createProperty, Falsified, type PropertyRun } from '../framework/property.js';
import { createRandom, hash } from '../framework/random.js';
import type { Host } from '../framework/time.js';
import { NoAnswer } from '../probe/client.js';
import type { Evidence, Exchange } from '../probe/exchange.js';
import { createContext } from './create-context.js';
import type { Pool } from './interns.js';
import { curl, replayCommand } from './replay.js';
import type { CheckResult, FindingResult, Verdict } from './results.js';
import { type Session, Stopped } from './session.js';

export interface CheckRunOptions {
  readonly driver: Driver;
  readonly session: Session;
  readonly host: Host;
  readonly pool: Pool;
  readonly seed: string;
  readonly runs: number;
  readonly shrinkBudget: number;
  readonly bootTimeout: number;
  readonly streamTimeout: number;
  /** ms of real time after which a check is given up. */
  readonly checkTimeout: number;
  readonly replay?: { readonly name: string; readonly path: string };
  /** How the kit was called, for the command that replays a finding. */
  readonly command: string;
  readonly signal: AbortSignal;
}

/** Requests that a transcript keeps at most. */
const KEPT = 40;

/** What became of one check; `lost` says that the target gave no answer, `stopped` that the run is over. */
export interface CheckRun {
  readonly result: CheckResult;
  readonly lost: boolean;
  readonly stopped?: string;
}

/** Does one check against the target and judges what came out of it. Never throws. */
export async function runCheck(check: Check, options: CheckRunOptions): Promise<CheckRun> {
  const { driver, session, host } = options;
  const { client, redactor } = session;
  const began = host.now();
  const sentBefore = client.sent;
  const properties: PropertyRun[] = [];
  let setUp: Evidence[] = [];
  client.takeEvidence();

  const head = { id: check.id, requirement: check.requirement, level: check.level, title: check.title };
  const result = (verdict: Verdict, rest: Partial<CheckResult> = {}): CheckResult => ({
    ...head,
    verdict,
    duration: Math.round(host.now() - began),
    requests: client.sent - sentBefore,
    properties,
    ...rest,
  });

  for (const need of check.level === 'C' ? (['control', ...check.needs] as const) : check.needs) {
    const why = driver.lacks(need);
    if (why !== undefined) return { result: result('skip', { skip: { need, why } }), lost: false };
  }

  if (options.runs < (check.minRuns ?? 0)) {
    const why = `it is too dear for a run of ${options.runs} per property; allow it with --runs ${check.minRuns}`;
    return { result: result('skip', { skip: { need: `--runs ${check.minRuns}`, why } }), lost: false };
  }

  const property = createProperty({
    seedOf: (name) => hash(`${options.seed} ${check.id} ${name}`),
    runs: Math.max(1, Math.min(options.runs, check.maxRuns ?? options.runs)),
    shrinkBudget: options.shrinkBudget,
    ...(options.replay === undefined ? {} : { replay: options.replay }),
    setUp() {
      setUp = [...setUp, ...client.takeEvidence()].slice(-KEPT / 2);
    },
    async fresh() {
      await client.closeAll();
      client.takeEvidence();
    },
    done: (run) => properties.push(run),
  });
  const attempt = async () => {
    const ctx: Ctx = createContext({
      check,
      driver,
      session,
      host,
      pool: options.pool,
      property,
      bootTimeout: options.bootTimeout,
      streamTimeout: options.streamTimeout,
      signal: options.signal,
      random: createRandom(hash(`${options.seed} ${check.id}`)),
    });
    let stop = () => {};
    const late = new Promise<never>((_, reject) => {
      stop = host.later(options.checkTimeout, () =>
        reject(new Error(`the check was not done within ${options.checkTimeout / 1000} s`)),
      );
    });
    try {
      await Promise.race([check.run(ctx), late]);
    } finally {
      stop();
    }
  };

  const transcript = (): Exchange[] => [...setUp.map((entry) => entry.snapshot()), ...client.exchanges()].slice(-KEPT);
  const confirm = async (): Promise<{ tries: number; failures: number }> => {
    // What a property found was already run again, value by value.
    const keep = client.takeEvidence();
    try {
      await options.driver.restore();
      await client.closeAll();
      await attempt();
      return { tries: 1, failures: 0 };
    } catch (error) {
      return { tries: 1, failures: error instanceof Finding ? 1 : 0 };
    } finally {
      client.takeEvidence();
      setUp = keep;
    }
  };

  const found = async (finding: Finding): Promise<FindingResult> => {
    await driver.settle().catch(() => {});
    const shown = transcript();
    const falsified = finding instanceof Falsified ? finding.property : undefined;
    const again = finding instanceof NoAnswer && finding.kind === 'timeout';
    const confirmed = falsified?.confirmed ?? (again ? { tries: 0, failures: 0 } : await confirm());
    const last = shown.at(-1);
    return {
      what: redactor.text(finding.what),
      expected: redactor.deep(readable(finding.expected)),
      actual: redactor.deep(readable(finding.actual)),
      ...(falsified === undefined
        ? {}
        : {
            property: {
              name: falsified.name,
              counterexample: falsified.counterexample.map((value) => redactor.text(value)),
              seed: falsified.seed,
              path: falsified.path,
              runs: falsified.runs,
              shrinks: falsified.shrinks,
            },
          }),
      flaky: confirmed.failures < confirmed.tries,
      confirmed,
      transcript: shown,
      ...(last === undefined ? {} : { curl: redactor.text(curl(last)) }),
      replay: replayCommand({
        command: options.command,
        id: check.id,
        seed: options.seed,
        runs: options.runs,
        ...(falsified === undefined ? {} : { path: { name: falsified.name, path: falsified.path } }),
      }),
    };
  };

  try {
    await attempt();
    return { result: result('pass'), lost: false };
  } catch (error) {
    if (error instanceof Stopped) {
      return {
        result: result('skip', { skip: { need: 'time and requests', why: error.message } }),
        lost: false,
        stopped: error.message,
      };
    }
    if (options.signal.aborted) {
      return {
        result: result('skip', { skip: { need: 'time and requests', why: 'interrupted' } }),
        lost: false,
        stopped: 'interrupted',
      };
    }
    if (error instanceof Unmet) {
      const why = redactor.text(error.message.slice(error.need.length + 2));
      return { result: result('skip', { skip: { need: error.need, why } }), lost: false };
    }
    if (error instanceof Finding) {
      const cause = error.cause instanceof Finding ? error.cause : error;
      const finding = await found(error);
      return { result: result(severity(check, driver), { finding }), lost: cause instanceof NoAnswer };
    }
    const message = redactor.text(error instanceof Error ? `${error.name}: ${error.message}` : brief(error));
    const stack = error instanceof Error && error.stack !== undefined ? { stack: redactor.text(error.stack) } : {};
    return { result: result('error', { error: { message, ...stack, transcript: transcript() } }), lost: false };
  }
}

/** Whether a breach fails the target or warns it. */
function severity(check: Check, driver: Driver): 'fail' | 'warn' {
  const { target } = driver;
  if (check.level === 'P' && !target.profile.published) return 'warn';
  if (check.onLive === 'warn' && target.kind === 'live') return 'warn';
  return 'fail';
}

/** A value as JSON can carry it. */
function readable(value: unknown): unknown {
  if (value === undefined) return 'undefined';
  if (value instanceof RegExp) return String(value);
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  if (typeof value === 'bigint' || typeof value === 'function' || typeof value === 'symbol') return String(value);
  return value;
}
