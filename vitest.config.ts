import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['**/node_modules/**', 'dist/**', '.tmp/**', 'bench/**'],
    // Most tests wait for sockets and processes: two files at once take two thirds of the time, on two processors too.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 20_000,
    hookTimeout: 20_000,
    reporters: ['default', './scripts/summary-reporter.ts'],
  },
});
