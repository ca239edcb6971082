import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Emulator, EmulatorOptions } from '../emulator/index.js';
import { connect } from './drivers/connect.js';
import type { Connected } from './drivers/driver.js';
import { newEmulator } from './drivers/emulator.js';
import type { JudgeOptions } from './judge/judge.js';
import { type Fetch, judged } from './judge/judged.js';
import { type ConformanceOptions, knownOptions } from './options.js';
import { systemHost } from './probe/time.js';
import { skipText } from './report/clause.js';
import { failureText } from './report/result-line.js';
import { stopText } from './report/words/stop.js';
import type { CheckResult } from './run/results.js';
import { createCheckRun } from './run/runner.js';
import { select } from './run/select.js';
import type { UnitRun } from './run/units.js';
import { isFailure } from './run/verdict.js';
import { checks as allChecks } from './scenarios/index.js';

/**
 * Registers one test per check for a target, within a `describe`. A breach fails its test with the finding; a missing
 * need skips it and says which. Properties run 10 times by default.
 */
export function testConformance(options: ConformanceOptions & { readonly name?: string } = {}): void {
  knownOptions(options);
  const checks = select(allChecks, options);
  const host = systemHost;
  describe(options.name ?? `conformance of ${options.url ?? 'the emulator'}`, () => {
    let connected: Connected | undefined;
    let run: UnitRun | undefined;
    beforeAll(async () => {
      const tag = options.tag ?? host.tag(4);
      connected = await connect({ settings: options, host, tag, look: true });
      // Vitest does one test after another: none has company.
      run = createCheckRun({
        runs: 10,
        ...options,
        checks: allChecks,
        concurrency: 1,
        driver: connected.driver,
        tag,
        host,
      });
      const why = await run.begin();
      if (why !== undefined) throw new Error(stopText(why));
    }, 60_000);
    afterAll(async () => {
      const results = await run?.finish();
      await connected?.close();
      const left = results?.cleanup.failed.filter(({ leaving }) => leaving !== true);
      expect(left ?? [], 'interns left behind').toEqual([]);
    }, 120_000);

    for (const check of checks) {
      test(`${check.id}: ${check.title}`, { timeout: 600_000 }, async (context) => {
        if (run === undefined) throw new Error('the run has not begun');
        const unit = run.units.find(({ id }) => id === check.id);
        const [result] = unit === undefined ? [] : await run.do(unit);
        if (result === undefined) throw new Error(`${check.id} is not in the run`);
        if (result.skip !== undefined) context.skip(skipText(result.skip));
        const broken = result.verdict === 'error' || (result.verdict === 'fail' && result.known !== true);
        if (broken) throw asError(failureText(result));
        // Projects may require an assertion of each test.
        expect(broken).toBe(false);
      });
    }
  });
}

/** The stack is that of the kit and says nothing of the target. */
function asError(message: string): Error {
  const error = new Error(message);
  error.stack = message;
  return error;
}

/**
 * Wraps a `fetch`, on the top of a file or in a `describe`: the test in which an answer breaks a rule of the interface fails with
 * the rule. `failOn: 'warn'` holds what is only published too.
 */
export function judgedPerTest(
  fetch: Fetch = globalThis.fetch,
  { failOn, ...options }: Omit<JudgeOptions, 'confirmed'> & { readonly failOn?: 'fail' | 'warn' } = {},
): ReturnType<typeof judged> {
  const found: CheckResult[] = [];
  afterEach(() => {
    const broken = found.splice(0).filter((row) => isFailure(row, failOn));
    if (broken.length > 0) throw asError(broken.map(failureText).join('\n\n'));
  });
  return judged(fetch, { ...options, confirmed: (row) => found.push(row) });
}

/** An emulator that is there while tests run. */
interface EmulatorInUse {
  /** The emulator of the current file or test. Throws outside of one. */
  readonly current: Emulator;
}

/** Starts an emulator before what `before` says, and closes it after what `after` says. */
function inUse(options: EmulatorOptions, before: typeof beforeAll, after: typeof afterAll): EmulatorInUse {
  let held: Emulator | undefined;
  before(async () => {
    held = await newEmulator(options);
  });
  after(async () => {
    const emulator = held;
    held = undefined;
    await emulator?.close();
  });
  return {
    get current() {
      if (held === undefined) throw new Error('there is no emulator outside of a test');
      return held;
    },
  };
}

/** Starts an emulator before the tests of this file (or `describe`), on a virtual clock, and closes it after them. */
export const emulatorPerFile = (options: EmulatorOptions = {}): EmulatorInUse =>
  inUse({ clock: 'virtual', ...options }, beforeAll, afterAll);

/**
 * Starts a fresh emulator before each test and closes it after it, on an `auto` clock; `{ clock: 'virtual' }` has it
 * stand still until it is advanced.
 *
 * @example
 * ```ts
 * import { emulatorPerTest } from 'intern-emulator/vitest';
 * import { expect, test } from 'vitest';
 *
 * const emulator = emulatorPerTest();
 *
 * test('interns are listed', async () => {
 *   const { fetch, target } = emulator.current;
 *   const headers = { authorization: `Bearer ${target.credentials.api_key}` };
 *   expect((await fetch(`${target.base_url}/interns`, { headers })).status).toBe(200);
 * });
 * ```
 */
export const emulatorPerTest = (options: EmulatorOptions = {}): EmulatorInUse =>
  inUse({ clock: 'auto', ...options }, beforeEach, afterEach);
