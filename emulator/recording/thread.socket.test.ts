import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { commandOf } from '../../test/built.js';
import { useRecorder } from './record.harness.js';

const { deployment, out, lines } = useRecorder();

let recorder: ChildProcess | undefined;
afterEach(() => {
  recorder?.kill('SIGKILL');
  recorder = undefined;
});

/** A recorder as it ships, in a process of its own. The result is its base URL. */
async function started(url: string, ...more: string[]): Promise<string> {
  const args = [commandOf('intern-emulator'), 'record', url, '--out', out(), '--port', '0', ...more];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  recorder = child;
  child.stdout.setEncoding('utf8');
  const [said] = await once(child.stdout, 'data');
  return / at (http\S+)/.exec(said)?.[1] ?? said;
}

/** Stops the recorder as a terminal does. The result is its exit status. */
async function stop(): Promise<number | null> {
  const child = recorder;
  if (!child) throw new Error('no recorder was started');
  child.kill('SIGINT');
  const [status] = await once(child, 'exit');
  return status;
}

const EVENT = `data: {"choices":[{"delta":{"content":"${'and so on '.repeat(20)}"}}]}\n\n`;

test('a client that leaves a long stream holds nobody back, and its line is written when the recorder stops', async () => {
  const piece = EVENT.repeat(200);
  const base = await started(
    await deployment((request, response) => {
      if (!request.url?.endsWith('/long')) return void response.end('{}');
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const more = () => {
        while (!response.destroyed && response.write(piece));
      };
      response.on('drain', more);
      more();
    }),
    '--quiet',
  );
  let taken = 0;
  for await (const bytes of (await fetch(`${base}/long`)).body ?? []) {
    taken += bytes.length;
    if (taken > 30_000_000) break;
  }
  // The deployment sees the client leave, and so does the recorder: its line is being made.
  for (let time = 0; time < 20; time++) expect(await (await fetch(`${base}/interns`)).text()).toBe('{}');
  expect(readFileSync(out(), 'utf8')).toBe('');
  expect(await stop()).toBe(0);
  expect(lines().map(({ n, ended }) => [n, ended])).toEqual([
    [1, 'client'],
    ...Array.from({ length: 20 }, (_, at) => [at + 2, 'complete']),
  ]);
});
