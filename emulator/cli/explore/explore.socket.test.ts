import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { systemHost } from '../../../conformance/probe/time.js';
import { commandOf } from '../../../test/built.js';
import { folderOfFile } from '../../../test/folders.js';
import { exploring, NODE } from './explore.harness.js';
import { progressTo } from './progress.js';

const folder = folderOfFile('explore ');
const { say: SAY, explore } = exploring(folder);
const file = (name: string, content: unknown) => writeFileSync(join(folder, name), JSON.stringify(content));
file('other.json', { name: 'x', faults: [{ operation: 'chat', disturb: 'from-tomorrow' }] });
file('null.json', { name: 'x', faults: [null] });
writeFileSync(join(folder, 'deep.json'), `{"faults":[${'['.repeat(20_000)}${']'.repeat(20_000)}]}`);
file('rests.json', { format: 2, faults: [{ operation: 'chat', disturb: 'lost' }], explore: { class: 5, seed: {} } });
file('report.json', { format: 'intern-explore', version: 2 });

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

test('Ctrl-C in a first run: the report of what was tried, status 3, nothing left behind', async () => {
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
  while (begun().length === 0) await systemHost.sleep(10);
  child.kill('SIGINT');
  child.kill('SIGINT');
  expect(await ended).toBe(3);
  expect(out).toContain('not all was tried: it was interrupted');
  // Node 22 and later keep what they compile there.
  expect(readdirSync(temporary).filter((name) => name !== 'node-compile-cache')).toEqual([]);
  expect(begun().filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
});
