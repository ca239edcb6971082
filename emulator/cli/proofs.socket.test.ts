import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { closing } from '../../test/closing.js';
import { folderOfTest } from '../../test/folders.js';
import { createEmulator } from '../index.js';
import { loadSigningKey } from '../signing/keys.js';
import { called } from './called.harness.js';

let folder: string;
beforeEach(() => {
  folder = folderOfTest('proofs-');
});

const run = (...args: string[]) => called(args, { folder });

const key = loadSigningKey({ seed: 'cli' });
const SIGN = ['sign', '--seed', 'cli', '--intern', 'i-1', '--user', 'alice', '--timestamp', '1767225600'];
const ROUTE = ['--method', 'POST', '--path', '/api/invoke', '--body', 'hello'];
const JUDGE = ['--public-key', JSON.stringify(key.jwk), '--intern', 'i-1', '--at', '1767225600', '--headers', 'proof'];
const write = (name: string, content: string) => writeFileSync(join(folder, name), content);

describe('sign and verify', () => {
  it('agree, in every format that carries headers', async () => {
    for (const format of ['json', 'headers']) {
      const signed = await run(...SIGN, ...ROUTE, '--format', format);
      expect(signed).toMatchObject({ status: 0, stderr: '' });
      write('proof', signed.stdout);
      expect(await run('verify', ...JUDGE, ...ROUTE)).toEqual({
        status: 0,
        stdout: 'accepted: A valid v2 proof\n',
        stderr: '',
      });
    }
    const curl = await run(...SIGN, '--format', 'curl');
    expect(curl.stdout).toMatch(
      /^-H 'x-svc-invoke-signature: \S{88}' \\\n-H 'x-svc-invoke-timestamp: 1767225600' \\\n/,
    );
  });

  it('take keys and bodies from files, and other profiles', async () => {
    write('key.pem', key.pem);
    write('body', 'hello');
    const profile = ['--profile', 'openrouter'];
    const signed = await run('sign', '--key', 'key.pem', ...SIGN.slice(3), '--body-file', 'body', ...profile);
    expect(Object.keys(JSON.parse(signed.stdout))).toEqual([
      'x-ori-invoke-signature',
      'x-ori-invoke-timestamp',
      'x-ori-invoke-user',
    ]);
    write('proof', signed.stdout);
    write('public.json', JSON.stringify({ keys: [key.jwk] }));
    const judged = await run('verify', '--public-key', 'public.json', ...JUDGE.slice(2), ...profile, '--body', 'hello');
    expect(judged.stdout).toBe('accepted: A valid v1 proof\n');
  });

  it('say why not', async () => {
    write('proof', (await run(...SIGN, ...ROUTE)).stdout);
    const other = await run('verify', ...JUDGE, ...ROUTE.slice(0, 4), '--body', 'hello\n');
    expect(other).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(/^refused \(bad_signature, digest_mismatch\): /),
    });
    const late = await run('verify', ...JUDGE, ...ROUTE, '--at', '1767225661');
    expect(late.stdout).toMatch(/^refused \(proof_expired\): .*61 s old, the window is 60 s/);
    const v1 = await run('verify', ...JUDGE, ...ROUTE, '--at', '1767225661', '--window', '61');
    expect(v1.status).toBe(0);
  });

  it.each([
    [['sign', '--intern', 'i'], 'give either --key or --seed'],
    [['sign', '--seed', 's', '--user', 'u'], '--intern is required'],
    [['sign', '--key', '{}', '--intern', 'i', '--user', 'u'], '--key: expected a JWK'],
    [['sign', '--key', 'nowhere', '--intern', 'i', '--user', 'u'], 'no such file'],
    [[...SIGN, '--method', 'POST'], 'give --path too'],
    [[...SIGN, '--path', '//a'], '--path: expected'],
    [[...SIGN, '--body', 'a', '--body-sha256', 'b'], 'give one'],
    [[...SIGN, '--body-sha256', 'b'], '--body-sha256: expected'],
    [[...SIGN, '--format', 'xml'], '--format: expected'],
    [['sign', '--seed', 's', '--intern', 'i', '--user', 'a b'], 'user cannot be carried in a header'],
    [['verify', '--intern', 'i', '--header', 'a: b'], 'give either --public-key or --control'],
    [['verify', '--control', 'http://127.0.0.1:1', '--header', 'a'], 'expected "name: value"'],
    [['verify', '--control', 'http://127.0.0.1:1', '--header', 'a: b'], '--control http://127.0.0.1:1: '],
  ])('tell a wrong use in one line: %j', async (args, message) => {
    const { status, stderr, stdout } = await run(...args);
    expect({ status, stdout, lines: stderr.trimEnd().split('\n').length }).toEqual({ status: 2, stdout: '', lines: 1 });
    expect(stderr).toContain(message);
  });
});

describe('explain', () => {
  it('shows fields, bytes and where they part', async () => {
    write('proof', (await run(...SIGN, ...ROUTE)).stdout);
    const { status, stdout } = await run('explain', ...JUDGE, '--method', 'PUT', ...ROUTE.slice(2));
    expect(status).toBe(1);
    expect(stdout).toMatch(/^refused \(bad_signature, route_mismatch\)/);
    expect(stdout).toMatch(/ {2}! method {7}PUT {3}from method\n {4}signed {7}POST\n/);
    expect(stdout).toMatch(/they differ from byte \d+ \(method\): expected 55, signed 4f/);
    const json = await run('explain', ...JUDGE, ...ROUTE, '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ verdict: 'accepted' });
  });

  it('asks a running emulator, which knows what it signed', async () => {
    const emulator = closing(createEmulator({ seed: 'cli' }));
    const { controlUrl, baseUrl } = await emulator.listen({ port: 0 });
    const { credentials } = emulator.target;
    const response = await fetch(`${baseUrl}/interns/${credentials.intern?.id}/daemon/sign`, {
      method: 'POST',
      headers: { authorization: `Bearer ${credentials.oauth_token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ bodySha256: 'ab'.repeat(32) }),
    });
    write('proof', await response.text());
    const args = ['explain', '--control', controlUrl, '--intern', credentials.intern?.id ?? '', '--headers', 'proof'];
    const { status, stdout } = await run(...args, '--body-sha256', 'cd'.repeat(32));
    expect(status).toBe(1);
    expect(stdout).toContain(`signed       ${'ab'.repeat(32)}`);
  });
});
