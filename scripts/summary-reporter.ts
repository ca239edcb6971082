import type { Reporter, TestModule } from 'vitest/node';

const firstLine = (error: { readonly message: string } | undefined): string =>
  (error?.message ?? 'no message').split('\n')[0]?.slice(0, 200) ?? '';

/**
 * Ends the output with what failed, one line each, and one plain line, `12 passed, 0 failed`, for whatever reads it that is
 * no person.
 */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly { readonly message: string }[]): void {
    const count = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    const failed = unhandledErrors.map((error) => `outside of any test: ${firstLine(error)}`);
    for (const module of modules) {
      const tests = [...module.children.allTests()];
      // A file that could not be read has no tests, and must not go unnoticed.
      if (!module.ok() && tests.every((test) => test.result().state !== 'failed')) {
        count.failed++;
        failed.push(`${module.relativeModuleId}: ${firstLine(module.errors()[0])}`);
      }
      for (const test of tests) {
        const { state, errors } = test.result();
        if (state !== 'pending') count[state]++;
        if (state === 'failed') failed.push(`${module.relativeModuleId} > ${test.fullName}: ${firstLine(errors[0])}`);
      }
    }
    const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : '';
    const lines = [
      ...failed.map((what) => `FAILED  ${what}`),
      `${count.passed} passed, ${count.failed} failed${skipped}`,
    ];
    // After every other reporter's last word.
    process.once('exit', () => process.stdout.write(`${lines.join('\n')}\n`));
  }
}
