import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['**/node_modules/**', 'dist/**', '.tmp/**', 'bench/**'],
    // Most tests wait for sockets and processes: two files at once take two thirds of the time, on two processors too.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // Only what hangs takes so long: a machine that is busy with something else is no failure.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } },
    reporters: ['default', './scripts/summary-reporter.ts'],
  },
});
