import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { systemHost } from '../../../conformance/probe/time.js';
import { commandOf } from '../../../test/built.js';
import { folderOfFile } from '../../../test/folders.js';
import { called } from '../called.harness.js';
import { progressTo } from './progress.js';

const folder = folderOfFile('explore ');

/** A program that says hello, and sends its prompt again when it gets no answer. */
const SAY = join(folder, 'say.mjs');
writeFileSync(
  SAY,
  `const { INTERN_BASE_URL: base, INTERN_INTERN_ID: id, INTERN_API_KEY: key } = process.env;
const send = () => fetch(base + '/interns/' + id + '/chat/completions', {
  method: 'POST',
  headers: { authorization: 'Bearer ' + key },
  body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'hello' }] }),
});
const response = await send().catch(send);
console.log((await response.text()).length > 100);`,
);
const AGAIN = join(folder, 'schedule.json');
const file = (name: string, content: unknown) => writeFileSync(join(folder, name), JSON.stringify(content));
file('other.json', { name: 'x', faults: [{ operation: 'chat', disturb: 'from-tomorrow' }] });
file('null.json', { name: 'x', faults: [null] });
writeFileSync(join(folder, 'deep.json'), `{"faults":[${'['.repeat(20_000)}${']'.repeat(20_000)}]}`);
file('rests.json', { format: 2, faults: [{ operation: 'chat', disturb: 'lost' }], explore: { class: 5, seed: {} } });
file('report.json', { format: 'intern-explore', version: 2 });

async function explore(...args: string[]) {
  const { status, stdout: out, stderr: err } = await called(['explore', ...args], { env: process.env, folder });
  return { status, out, err };
}
const NODE = ['--', process.execPath];

mkdirSync(join(folder, 'elsewhere'));
symlinkSync('elsewhere', join(folder, 'link'));

test.each([
  [
    'for a folder that is a link',
    ['--save', join(folder, 'link'), ...NODE, SAY],
    'link cannot be written: it is a link',
  ],
  ['without a command', [], 'explore: give the command after --'],
  ['for a command that does not exist', ['--', 'no-such-command'], 'no-such-command: command not found'],
  ['for a command that fails undisturbed', [...NODE, '-e', 'process.exit(3)'], 'it ended with status 3'],
  [
    'but for what npm says',
    [...NODE, '-e', 'console.error("npm warn old"); process.exit(3)'],
    'it ended with status 3',
  ],
  ['for a command that knows no emulator', [...NODE, '-e', '1'], 'let it read INTERN_BASE_URL'],
  ['for an unknown kind', ['--only', 'cuts', ...NODE, SAY], 'found "cuts"'],
  ['for an invalid limit of time', ['--max-time', 'x', ...NODE, SAY], 'maxTime: expected a duration such as "10s"'],
  ['for a profile that is not there', ['--profile', 'none.json', ...NODE, SAY], 'explore: profile none.json cannot'],
  ['for a schedule of another version', ['--schedule', join(folder, 'other.json'), ...NODE, SAY], 'faults[0].disturb'],
  [
    'for a schedule without a fault',
    ['--schedule', join(folder, 'null.json'), ...NODE, SAY],
    'faults[0]: expected an object',
  ],
  ['for a schedule of 20,000 levels', ['--schedule', join(folder, 'deep.json'), ...NODE, SAY], 'more than 1000 levels'],
  [
    'for a schedule of other types',
    ['--schedule', join(folder, 'rests.json'), ...NODE, SAY],
    'explore.class: expected',
  ],
  ['for a schedule that is not there', ['--schedule', join(folder, 'none.json'), ...NODE, SAY], 'cannot be read'],
  ['for no schedule', ['--schedule', join(folder, 'report.json'), ...NODE, SAY], 'that --save has written'],
  ['for a runner that cannot name tests', ['--each', ...NODE, SAY], 'is no command of vitest, node --test, pytest'],
  ['for an unknown report', ['--report', 'xml', ...NODE, SAY], 'known are tty, json'],
  ['for laws that are not there', ['--law', 'nope.mjs', ...NODE, SAY], '--law nope.mjs: cannot be loaded'],
])('one line and status 2 %s', async (_, args, message) => {
  const { status, out, err } = await explore(...args);
  expect({ status, out }).toEqual({ status: 2, out: '' });
  expect(err).toMatch(/^intern-emulator: [^\n]+\n$/);
  expect(err).toContain(message);
});

test('a finding ends in status 1, with a schedule that does it again, and a budget in status 3', async () => {
  const save = ['--save', join(folder, 'saved')];
  const found = await explore('--only', 'lost', '--report', 'json', ...save, ...NODE, SAY);
  const report = JSON.parse(found.out);
  expect(report.findings.map(({ law }: { law: string }) => law)).toEqual(['once']);
  expect(found.status).toBe(1);
  expect(existsSync(report.findings[0].file)).toBe(true);
  writeFileSync(AGAIN, readFileSync(report.findings[0].file));
  const again = await explore('--schedule', AGAIN, ...NODE, SAY);
  expect(again.status).toBe(1);
  expect(again.out).toContain(`again     npx intern-emulator explore --schedule '${AGAIN}' -- `);
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
await import(${JSON.stringify(pathToFileURL(SAY).href)});
rmSync(mine);`,
  );
  const { status, out } = await explore(
    ...['--only', 'stall,silence', '--jobs', '1', '--patience', '1500ms', '--report', 'json'],
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

const IMPORTED = JSON.stringify(pathToFileURL(SAY).href);
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

test('it is said what is left to try, and once how less would be', () => {
  const lines: string[] = [];
  let now = 0;
  const { show } = progressTo({ err: (text) => lines.push(text), live: false, width: 80 }, () => now);
  const progress = { done: 0, total: 49, breaches: 0, last: '', left: 400_000 };
  show(progress);
  now = 31_000;
  show({ ...progress, done: 20, breaches: 2, left: 301_000 });
  show({ ...progress, done: 21, left: 60_000 });
  now = 62_000;
  show({ ...progress, done: 22, left: 42_100 });
  now = 93_000;
  show({ ...progress, done: 3, test: 'test 2 of 3, says\u001b[2J', left: 42_100 });
  expect(lines.map((line) => line.slice(0, 62).trimEnd())).toEqual([
    'It will take about 7 minutes. --shard 1/2 tries half of it, --',
    '20 of 49 schedules tried, 2 broke a law, about 6 minutes left',
    '22 of 49 schedules tried, about 43 s left',
    // The output of a program drives no terminal.
    'test 2 of 3, says\\u001b[2J: 3 of 49 schedules tried, about 43',
  ]);
});

test.each([1, 4])('Ctrl-C in run no. %i: the report of what was tried, status 3, nothing left behind', async (run) => {
  const place = mkdtempSync(join(folder, 'interrupted-'));
  const pids = join(place, 'pids');
  const stuck = join(place, 'stuck.mjs');
  writeFileSync(
    stuck,
    `import { appendFileSync } from 'node:fs';
appendFileSync(${JSON.stringify(pids)}, process.pid + '\\n');
await import(${JSON.stringify(pathToFileURL(SAY).href)});
await new Promise((resolve) => setTimeout(resolve, 500));`,
  );
  const temporary = mkdtempSync(join(place, 'tmp-'));
  const child = spawn(
    process.execPath,
    [commandOf('intern-emulator'), 'explore', '--only', 'harmless', ...NODE, stuck],
    { env: { ...process.env, TMPDIR: temporary }, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let out = '';
  child.stdout.on('data', (text: Buffer) => {
    out += text;
  });
  const ended = new Promise((resolve) => child.on('close', resolve));
  const begun = (): readonly string[] =>
    (existsSync(pids) ? readFileSync(pids, 'utf8').match(/\d+(?=\n)/g) : null) ?? [];
  while (begun().length < run) await systemHost.sleep(10);
  child.kill('SIGINT');
  child.kill('SIGINT');
  expect(await ended).toBe(3);
  expect(out).toContain('not all was tried: it was interrupted');
  // Node 22 and later keep what they compile there.
  expect(readdirSync(temporary).filter((name) => name !== 'node-compile-cache')).toEqual([]);
  expect(begun().filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
});
