import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['**/node_modules/**', 'dist/**', '.tmp/**', 'bench/**'],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    reporters: ['default', './scripts/summary-reporter.ts'],
  },
});
