import type { Reporter, TestModule } from 'vitest/node';

/** Ends the output with one plain line, `12 passed, 0 failed`, for whatever reads it that is no person. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const count = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) {
      // A file that could not be read has no tests, and must not go unnoticed.
      if (!module.ok() && [...module.children.allTests()].every((test) => test.result().state !== 'failed')) {
        count.failed++;
      }
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state !== 'pending') count[state]++;
      }
    }
    const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : '';
    const line = `${count.passed} passed, ${count.failed} failed${skipped}\n`;
    // After every other reporter's last word.
    process.once('exit', () => process.stdout.write(line));
  }
}
