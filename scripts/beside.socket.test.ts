import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderOfFile } from '../test/folders.js';

const folder = folderOfFile('beside-');
const scripts = { good: 'echo fine', bad: 'echo wrong && exit 4' };
writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts }));

/** The status, and the last line of what is printed. */
function beside(script: string, code: string) {
  const args = [join(import.meta.dirname, 'beside.mjs'), script, '--', process.execPath, '-e', code];
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  return [status, stdout.trim().split('\n').at(-1)];
}

// A command that would go on for ever is ended by the script's failure.
test.each([
  ['both pass', 'good', `console.log('12 passed')`, [0, '12 passed']],
  ['the command fails', 'good', `console.log('1 failed'); process.exitCode = 3`, [3, '1 failed']],
  ['the script fails', 'bad', 'setInterval(() => {}, 1000)', [1, 'FAILED  npm run bad']],
  ['the script fails after the command', 'bad', `console.log('12 passed')`, [1, 'FAILED  npm run bad']],
])('the status and the last line where %s', (_, script, code, expected) => {
  expect(beside(script, code)).toEqual(expected);
});
