import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { commandOf } from '../../test/built.js';

test('the exit status is that of the run, even if nobody reads its output to the end', async () => {
  const args = ['--only', 'create/reads-back', '--runs', '1', '--report', 'json'];
  const child = spawn(process.execPath, [commandOf('intern-conformance'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  child.stderr.destroy();
  expect(await once(child, 'exit')).toEqual([0, null]);
});
