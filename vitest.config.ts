import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longest-first.js';

const EXCLUDED = [...configDefaults.exclude, 'dist/**', '.tmp/**', 'bench/**'];

declare module 'vitest' {
  interface ProvidedContext {
    commit: string;
    sampled: boolean;
  }
}

/** What draws samples. */
function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return 'unknown';
  }
}

/**
 * `--mode complete`: a skip is a failure. `--mode sample`: of the live tests one in 64, drawn by the commit, and of the
 * cases of dear properties a quarter.
 */
export default defineConfig(({ mode }) => {
  // Given to each project: what one extends is read again, in the usual mode.
  const provide = { commit: commit(), sampled: mode === 'sample' };
  return {
    test: {
      maxWorkers: availableParallelism(),
      // No module has a state of its own, so files share what they import: half of the processor's time.
      isolate: false,
      // Sources that did not change since the last run are not transformed again.
      experimental: { fsModuleCache: true },
      // Only what hangs takes so long: a machine that is busy with something else is no failure.
      testTimeout: 180_000,
      hookTimeout: 180_000,
      expect: { poll: { timeout: 30_000 }, requireAssertions: true },
      setupFiles: ['test/unchanged.ts', 'test/judged.ts'],
      sequence: { sequencer: LongestFirst },
      reporters: ['default', ['./scripts/summary-reporter.ts', { complete: mode === 'complete' }]],
      projects: [
        {
          extends: true,
          test: {
            name: 'unit',
            provide,
            sequence: { groupOrder: 0 },
            include: ['**/*.test.ts'],
            exclude: [...EXCLUDED, '**/*.{socket,live,browser}.test.ts'],
            setupFiles: ['test/no-sockets.ts'],
          },
        },
        {
          extends: true,
          // Many of these wait for sockets and processes: two files more than there are processors keep all of them busy.
          test: {
            name: 'socket',
            provide,
            sequence: { groupOrder: 1 },
            maxWorkers: availableParallelism() + 2,
            // The few live tests of a sample are done beside these, by the same processes.
            include: ['**/*.socket.test.ts', ...(mode === 'sample' ? ['**/*.live.test.ts'] : [])],
            exclude: EXCLUDED,
            globalSetup: ['test/build.ts'],
            setupFiles: mode === 'sample' ? ['test/sample.ts'] : [],
          },
        },
        {
          extends: true,
          test: {
            name: 'live',
            provide,
            sequence: { groupOrder: 2 },
            include: mode === 'sample' ? [] : ['**/*.live.test.ts'],
            exclude: EXCLUDED,
            globalSetup: ['test/build.ts'],
          },
        },
        {
          extends: true,
          // A wait for something in a page asserts that it comes.
          test: {
            name: 'browser',
            sequence: { groupOrder: 3 },
            include: ['**/*.browser.test.ts'],
            exclude: EXCLUDED,
            expect: { requireAssertions: false },
          },
        },
      ],
    },
  };
});
