import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { createEmulator } from '../emulator/index.js';

const ROOT = new URL('..', import.meta.url).pathname;
const TIMEOUT = 300_000;

/** Runs a suite beside an emulator and answers what it said. Rejects, with what it said, where it fails. */
async function beside(command: string, args: readonly string[]): Promise<string> {
  const emulator = createEmulator();
  onTestFinished(() => emulator.close());
  const { controlUrl } = await emulator.listen({ port: 0 });
  const env = {
    ...process.env,
    INTERN_CONTROL_URL: controlUrl,
    INTERN_CONTROL_TOKEN: '',
    PYTHONDONTWRITEBYTECODE: '1',
  };
  const { stdout } = await promisify(execFile)(command, args, { cwd: ROOT, env, timeout: TIMEOUT });
  const { data } = (await (await emulator.fetch('/_emulator/spaces')).json()) as { data: unknown[] };
  expect(data).toEqual([]);
  return stdout;
}

/** A Python that has pytest: Debian's, where `python3` is another that has none. */
function pythonWithPytest(): string | undefined {
  return ['python3', '/usr/bin/python3'].find((python) => {
    try {
      execFileSync(python, ['-c', 'import pytest'], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  });
}

test('the pytest suite of the examples passes, each test in a space of its own', {
  timeout: TIMEOUT,
}, async (context) => {
  const python = pythonWithPytest();
  if (python === undefined) {
    const why = 'pytest is missing: apt-get install python3-pytest';
    if (process.env.CI === 'true') throw new Error(why);
    console.warn(`SKIPPED: ${why}`);
    return context.skip(why);
  }
  const said = await beside(python, ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'examples/parallel']);
  expect(said).toMatch(/\b50 passed\b/);
});

test('the node --test suite of the examples passes, 50 tests at once', { timeout: TIMEOUT }, async () => {
  const said = await beside(process.execPath, ['--test', '--test-reporter=tap', 'examples/parallel/interns.test.mjs']);
  expect(said).toMatch(/# pass 5[01]\b/);
  expect(said).toMatch(/# fail 0\b/);
});
