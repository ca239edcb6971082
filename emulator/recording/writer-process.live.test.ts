import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { builtFile, commandOf } from '../../test/built.js';
import { type Planted, plain } from './planting.harness.js';
import { useRecorder } from './record.harness.js';
import { createWriterProcess } from './writer-process.js';

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
    if (taken > 10_000_000) break;
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

test('what takes more memory than there is is recorded without bodies, and nothing that was learned is lost', async () => {
  writeFileSync(out(), '');
  const writer = createWriterProcess(
    { named: new Map(), limit: 64_000_000 },
    { main: builtFile('recorder.js'), heap: 48 },
  );
  const id = '0b000000-0000-4000-8000-00000000000';
  const list = (...digits: readonly number[]): Planted => ({
    method: 'GET',
    path: '/api/v1/interns',
    writes: [{ at: 1, bytes: Buffer.from(JSON.stringify({ data: digits.map((digit) => ({ id: id + digit })) })) }],
  });
  const secret = 'sk-later-4711-0815';
  const long = Buffer.from(EVENT.repeat(100_000));
  const exchanges: readonly Planted[] = [
    { ...list(1, 2), requestHeaders: { authorization: 'Bearer sk-first-4711-0815' } },
    { path: `/api/v1/interns?status=${secret}` },
    { headers: { 'content-type': 'text/event-stream' }, writes: [{ at: 1, bytes: long }] },
    { ...list(3, 2), requestHeaders: { authorization: `Bearer ${secret}` } },
  ];
  const written = exchanges.map((one, index) => writer.write({ ...plain, ...one, n: index + 1 }, out()));
  expect((await Promise.all(written)).map(({ n }) => n)).toEqual([1, 2, 3, 4]);
  await writer.close();
  const [first, noted, left, last] = lines();
  expect(first?.request.headers.authorization).toBe('Bearer $key.1');
  expect(noted?.request.path).toBe('/api/v1/interns?status=$key.2');
  expect(left).toMatchObject({
    status: 200,
    left_out: {
      answer: {
        length: long.length,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        why: 'making its line took more memory than there is',
      },
    },
  });
  expect(last).toMatchObject({
    request: { headers: { authorization: 'Bearer $key.2' } },
    body: { data: [{ id: '$intern.3' }, { id: '$intern.2' }] },
  });
});
