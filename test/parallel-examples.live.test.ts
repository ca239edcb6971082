import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { createEmulator } from '../emulator/index.js';
import { needs, tool } from './tools.js';

const ROOT = new URL('..', import.meta.url).pathname;
const TIMEOUT = 300_000;

/** Runs a suite beside an emulator and returns its output. Rejects, with the output, if it fails. */
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

test('the pytest suite of the examples passes, each test in a space of its own', {
  timeout: TIMEOUT,
  ...needs('pytest'),
}, async () => {
  const flags = ['-q', '-p', 'no:cacheprovider', '-p', 'intern_emulator_pytest'];
  const tests = 'examples/python/tests/test_interns.py';
  const said = await beside('env', ['PYTHONPATH=examples/python', tool('pytest'), '-m', 'pytest', ...flags, tests]);
  expect(said).toMatch(/\b50 passed\b/);
});

test('the node --test suite of the examples passes, 50 tests at once', { timeout: TIMEOUT }, async () => {
  const said = await beside(process.execPath, ['--test', '--test-reporter=tap', 'examples/parallel/interns.test.mjs']);
  expect(said).toMatch(/# pass 5[01]\b/);
  expect(said).toMatch(/# fail 0\b/);
});
