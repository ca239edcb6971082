import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
mkdirSync(join(ROOT, '.tmp'), { recursive: true });
const folder = mkdtempSync(join(ROOT, '.tmp', 'skips-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs tests as a file of this repository, and returns the last lines of the summary. */
function run(tests: string, ...flags: string[]) {
  writeFileSync(join(folder, 'some.test.ts'), `import { expect, test } from 'vitest';\n${tests}`);
  const reporters = `['dot', ['${ROOT}/scripts/summary-reporter.ts', { complete: mode === 'complete' }]]`;
  const config = `export default ({ mode }) => ({ test: { include: ['*.test.ts'], reporters: ${reporters} } });`;
  writeFileSync(join(folder, 'vitest.config.mjs'), config);
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const { status, stdout } = spawnSync(process.execPath, [vitest, 'run', '--root', folder, ...flags], {
    encoding: 'utf8',
    env: { ...process.env, CHROMIUM_PATH: '', PATH: '' },
  });
  const lines = stdout.trimEnd().split('\n');
  return { status, lines: lines.filter((line) => /^(FAILED|\d+ passed)/.test(line)), last: lines.at(-1) };
}

const PASSES = `test('passes', () => expect(1).toBe(1));`;
const LACKS = `
  import { needs } from '${ROOT}/test/tools.ts';
  test('takes curl', needs('curl'), () => {});`;
const CURL = 'skipped because of missing curl (apt-get install curl)';

const SAYS_NOTHING = `test.skip('says nothing', () => {});`;

test('the last line says what was skipped, what is missing, and how to get it; a skip without a reason is a failure', () => {
  const { status, lines } = run(
    `${PASSES}${LACKS}${SAYS_NOTHING} test('asks the moon', ({ skip }) => skip('as the moon is full'));`,
  );
  expect(lines).toEqual([
    'FAILED  some.test.ts > says nothing: skipped without a reason',
    `1 passed, 1 failed, 1 ${CURL}, 1 skipped as the moon is full`,
  ]);
  expect(status).toBe(1);
});

test('what -t leaves out is no failure', () => {
  expect(run(PASSES + SAYS_NOTHING, '-t', 'passes')).toMatchObject({ status: 0, last: '1 passed, 0 failed' });
});

test('where nothing may be missing each skip is a failure', () => {
  const { status, lines } = run(`${PASSES}${LACKS}`, '--mode', 'complete');
  expect(lines).toEqual([`FAILED  some.test.ts > takes curl: ${CURL}`, '1 passed, 1 failed']);
  expect(status).toBe(1);
});
