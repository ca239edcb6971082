import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { folderOfFile } from '../../../test/folders.js';
import { exploring, NODE } from './explore.harness.js';

const folder = folderOfFile('explore ');
const { say: SAY, explore } = exploring(folder);
const IMPORTED = JSON.stringify(pathToFileURL(SAY).href);

test('a finding ends in status 1, with a schedule that does it again, and a budget in status 3', async () => {
  const save = ['--save', join(folder, 'saved')];
  const schedule = join(folder, 'schedule.json');
  const found = await explore('--only', 'lost', '--report', 'json', ...save, ...NODE, SAY);
  const report = JSON.parse(found.out);
  expect(report.findings.map(({ law }: { law: string }) => law)).toEqual(['once']);
  expect(found.status).toBe(1);
  expect(existsSync(report.findings[0].file)).toBe(true);
  writeFileSync(schedule, readFileSync(report.findings[0].file));
  const again = await explore('--schedule', schedule, ...NODE, SAY);
  expect(again.status).toBe(1);
  expect(again.out).toContain(`again     npx intern-emulator explore --schedule '${schedule}' -- `);
  const few = await explore('--only', 'harmless', '--max-runs', '1', ...NODE, SAY);
  expect(few).toMatchObject({ status: 3, out: expect.stringContaining('--max-runs was reached') });
});

test('a command that starts slowly is run no more often at once than --jobs says; those that wait for an answer make room', async () => {
  const live = mkdtempSync(join(folder, 'live-'));
  const slow = join(folder, 'slow.mjs');
  // Long before its first request it counts who else is there; then it waits for what may not come.
  writeFileSync(
    slow,
    `import { appendFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
const mine = ${JSON.stringify(live)} + '/' + process.pid;
writeFileSync(mine, '');
const alive = () => readdirSync(${JSON.stringify(live)}).filter((pid) => {
  try { process.kill(Number(pid), 0); return true; } catch { return false; }
});
await new Promise((resolve) => setTimeout(resolve, 500));
appendFileSync(${JSON.stringify(join(folder, 'counts'))}, alive().length + '\\n');
await import(${IMPORTED});
rmSync(mine);`,
  );
  const { status, out } = await explore(
    ...['--only', 'stall,silence', '--jobs', '1', '--patience', '5s', '--report', 'json'],
    ...[...NODE, slow],
  );
  const counts = readFileSync(join(folder, 'counts'), 'utf8').trim().split('\n').map(Number);
  expect(counts.length).toBeGreaterThan(6);
  expect(Math.max(...counts)).toBeLessThanOrEqual(4);
  // A program at its start has not asked for anything, and waits for nobody.
  expect(counts.filter((count) => count === 1).length).toBeGreaterThan(2);
  const { findings } = JSON.parse(out);
  expect(findings.map(({ law }: { law: string }) => law)).toContain('settles');
  expect(status).toBe(1);
});

/** Says hello in one of its tests; in another where that has been, alone it fails. */
const SUITE = join(folder, 'say.test.mjs');
writeFileSync(
  SUITE,
  `import { test } from 'node:test';
let said = false;
test('adds', () => {});
test('says hello', async () => { await import(${IMPORTED}); said = true; });
test('needs the other', async () => {
  if (!said) throw new Error('nothing was said');
  await fetch(process.env.INTERN_BASE_URL + '/health');
});
test('passes by itself', () => {});`,
);

test('a suite is explored by those of its tests that talk, and a finding names its test and the command that runs it alone', async () => {
  const save = ['--save', join(folder, 'tests')];
  const call = [...save, '--report', 'json', ...NODE, '--test', SUITE];
  const { status, out } = await explore('--only', 'lost', '--max-time', '90s', ...call);
  const report = JSON.parse(out);
  expect(report.findings).toMatchObject([{ law: 'once', test: { name: 'says hello' } }]);
  expect(report.findings[0].sentence).toMatch(/^says hello: at the 1st prompt/);
  expect(report.findings[0].test.command).toContain('--test-name-pattern=/^says hello$/');
  expect(report.schedules.map(({ test: name }: { test: string }) => name)).toEqual(['says hello']);
  // A test that cannot be run alone is not tried, and explore says so.
  expect(report.incomplete).toEqual(['not-alone']);
  expect(report.warnings.join('\n')).toMatch(
    /^needs the other: run alone, the undisturbed run failed: .*nothing was said/,
  );
  expect(status).toBe(1);
  // A schedule names its test.
  const again = await explore('--schedule', report.findings[0].file, ...call);
  expect(JSON.parse(again.out).findings).toMatchObject([{ law: 'once', test: { name: 'says hello' } }]);
  const whole = await explore('--no-each', '--only', 'lost', '--max-runs', '1', ...call);
  expect(JSON.parse(whole.out).findings[0].test).toBe(undefined);
});
