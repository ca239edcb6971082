import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { TOOLS, type ToolName } from '../test/tools.js';

interface Options {
  /** Skips are failures: this machine must have all that tests need. */
  readonly complete?: boolean;
}

const firstLine = (error: { readonly message: string } | undefined): string =>
  (error?.message ?? 'no message').split('\n')[0]?.slice(0, 200) ?? '';

const missing = (name: ToolName): string => `${TOOLS[name].what} (${TOOLS[name].get})`;

/** Why a test was skipped; undefined if nobody said. */
function reasonOf(test: TestCase): string | undefined {
  const { lacks } = test.meta();
  if (lacks !== undefined) return `because of missing ${lacks.map(missing).join(' and ')}`;
  const result = test.result();
  return result.state === 'skipped' ? result.note : undefined;
}

/**
 * Ends the output with the failures, one line each, and one plain line for programs that read it: `12 passed, 0
 * failed`, and what was skipped, why, and how to get what is missing. A skip without a reason is a failure.
 */
export default class SummaryReporter implements Reporter {
  readonly #options: Options;

  constructor(options: Options = {}) {
    this.#options = options;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly { readonly message: string }[]): void {
    const failed = unhandledErrors.map((error) => `outside of any test: ${firstLine(error)}`);
    const skipped = new Map<string, number>();
    /** Live tests that a sample left out, by the commit that drew it. */
    const leftOut = new Map<string, number>();
    let passed = 0;
    for (const module of modules) {
      const tests = [...module.children.allTests()];
      // A file that could not be read has no tests, and must not go unnoticed.
      if (!module.ok() && tests.every((test) => test.result().state !== 'failed'))
        failed.push(`${module.relativeModuleId}: ${firstLine(module.errors()[0])}`);
      // `-t` and `.only` leave tests out as a skip does.
      const some =
        module.project.config.testNamePattern !== undefined || tests.some(({ options }) => options.mode === 'only');
      for (const test of tests) {
        const { state, errors } = test.result();
        const name = `${module.relativeModuleId} > ${test.fullName}`;
        if (state === 'passed') passed++;
        if (state === 'failed') failed.push(`${name}: ${firstLine(errors[0])}`);
        if (state !== 'skipped') continue;
        const { leftOutBy } = test.meta();
        if (leftOutBy !== undefined) {
          leftOut.set(leftOutBy, (leftOut.get(leftOutBy) ?? 0) + 1);
          continue;
        }
        const reason = reasonOf(test);
        if (reason !== undefined && this.#options.complete !== true)
          skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
        else if (reason !== undefined || !some) failed.push(`${name}: skipped ${reason ?? 'without a reason'}`);
      }
    }
    if (failed.length > 0) process.exitCode = 1;
    const reasons = [...skipped].map(([reason, count]) => `, ${count} skipped ${reason}`).join('');
    const rest = [...leftOut].map(
      ([commit, count]) =>
        `; the sample of commit ${commit} left out ${count} live tests: npm run test:all runs everything`,
    );
    const lines = [
      ...failed.map((what) => `FAILED  ${what}`),
      `${passed} passed, ${failed.length} failed${reasons}${rest.join('')}`,
    ];
    // After every other reporter's last word.
    process.once('exit', () => process.stdout.write(`${lines.join('\n')}\n`));
  }
}
