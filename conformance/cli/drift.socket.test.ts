import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { closing } from '../../test/closing.js';
import { folderOfFile } from '../../test/folders.js';
import { serve } from '../../test/targets/hostile.js';
import { called } from './called.harness.js';

const folder = folderOfFile('drift-cli-');

const KEYS = ['--api-key', 'sk-key-of-the-test', '--workspace-id', 'w', '--ledger-dir', folder];

const call = (...args: string[]) => called(['drift', ...args]);

/** A recording of these requests, each answered 200. */
function recordingOf(...requests: readonly (readonly [method: string, path: string, headers?: object])[]): string {
  const file = join(folder, 'recording.jsonl');
  const lines = requests.map(([method, path, headers = {}], index) => ({
    format: 1,
    n: index + 1,
    scenario: null,
    at: index,
    operation: null,
    request: { method, path, headers },
    status: 200,
    headers: {},
    ended: 'complete',
  }));
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return file;
}

let url: string;
let sent: string[] = [];
beforeEach(async () => {
  sent = [];
  const { origin } = closing(
    await serve((request, response) => {
      sent.push(`${request.method} ${request.url}`);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[],"has_more":false}');
    }),
  );
  url = `${origin}/api/v1`;
});

test('a recording that cannot be sent is one line and exit 2, before anything is asked of the target', async () => {
  for (const file of [
    recordingOf(['GET', '/api/v1/interns/$intern.1$intern.1']),
    recordingOf(['GET', '/api/v1/interns/$clown.1']),
    recordingOf(['GET', '/api/v1/interns', { accept: 'a\r\nb' }]),
  ]) {
    const { exit, out, err } = await call(file, url, ...KEYS);
    expect({ exit, out }).toEqual({ exit: 2, out: '' });
    expect(err).toMatch(/^intern-conformance: recording [^\n]*recording\.jsonl:1: [^\n]+\n$/);
  }
  expect(sent).toEqual([]);
});

test('--plan says what would be sent and written, and sends nothing', async () => {
  const file = recordingOf(['GET', '/api/v1/interns'], ['DELETE', '/api/v1/interns/$intern.1']);
  const { exit, out } = await call(file, url, ...KEYS, '--plan');
  expect(exit).toBe(0);
  expect(out).toContain(`Plan of drift for ${url}`);
  expect(out).toMatch(/send {2}GET \/api\/v1\/interns \(.*:1\)\n/);
  expect(out).toMatch(/send {2}DELETE \/api\/v1\/interns\/\$intern\.1 \(.*:2\), writes\n/);
  expect(out).toContain('1 read would be sent, those again that time may mend.');
  expect(out).toContain('1 write would be sent, to interns alone that the run makes and deletes.');
  expect(out).toContain('It would make 1 intern that the recordings write to and did not create.');
  expect(out).toContain('Nothing was sent.');
  expect(sent).toEqual([]);
  const readOnly = await call(file, url, ...KEYS, '--plan', '--read-only');
  expect(readOnly.out).toMatch(/skip {2}DELETE/);
  expect(readOnly.out).toContain('Nothing would be written.');
});

test('--read-only sends reads alone', async () => {
  const file = recordingOf(['GET', '/api/v1/interns'], ['POST', '/api/v1/interns'], ['DELETE', '/api/v1/interns/x']);
  const { out } = await call(file, url, ...KEYS, '--read-only');
  expect(out).toContain('the run is read-only');
  expect(new Set(sent.map((one) => one.split(' ')[0]))).toEqual(new Set(['GET']));
});

test('--save is refused: drift does not keep it', async () => {
  const { exit, err } = await call(recordingOf(['GET', '/api/v1/interns']), url, ...KEYS, '--save', 'folder');
  expect(exit).toBe(2);
  expect(err).toContain('unknown flag --save');
  expect(sent).toEqual([]);
});

test('--only and --plan together say what of a recording would be sent; a name that none has is one line', async () => {
  const file = recordingOf(['GET', '/api/v1/interns']);
  const { exit, out } = await call(file, url, ...KEYS, '--plan', '--only', 'drift/unnamed');
  expect({ exit, out }).toMatchObject({ exit: 0, out: expect.stringContaining('1 read would be sent') });
  const none = await call(file, url, ...KEYS, '--plan', '--skip', 'drift/unnamed');
  expect(none.out).toContain('0 reads would be sent');
  const unknown = await call(file, url, ...KEYS, '--only', 'drift/unnmaed');
  expect(unknown).toMatchObject({ exit: 2, out: '' });
  expect(unknown.err).toBe('intern-conformance: no scenario is called drift/unnmaed (did you mean drift/unnamed?)\n');
  expect(sent).toEqual([]);
});

test('--max-time and --shard reach it, and so do the facts of the target the line that does a finding again', async () => {
  const file = recordingOf(['GET', '/api/v1/interns'], ['GET', '/api/v1/interns/5']);
  const flags = ['--max-time', '1m', '--shard', '1/2', '--rate', '100', '--report', 'json'];
  const results = JSON.parse((await call(file, url, ...KEYS, ...flags)).out);
  expect(results.options.shard).toEqual({ index: 1, of: 2 });
  const [failed] = results.checks.filter((one: { finding?: object }) => one.finding);
  expect(failed.finding.replay).toMatch(
    /^npx intern-conformance drift \S+ http\S+ --workspace-id w .*--only drift\/unnamed # /,
  );
});
