import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, test } from 'vitest';
import { commandOf } from '../../test/built.js';
import { folderOfFile } from '../../test/folders.js';
import { called } from './called.harness.js';

/** The command as it ships: built, and run in a process of its own. */
const command = commandOf('intern-emulator');
const folder = folderOfFile('cli-');

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

function launch(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [command, ...args], { cwd: folder, env: { PATH: process.env.PATH, ...env } });
  running.push(child);
  const seen = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    seen.stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    seen.stderr += chunk.toString();
  });
  const ended = once(child, 'close').then(([status, signal]) => ({ status, signal, ...seen }));
  return {
    child,
    seen,
    ended,
    firstLine: once(createInterface({ input: child.stdout }), 'line').then(([line]) => line),
  };
}

const run = (args: readonly string[], env?: Record<string, string>) => launch(args, env).ended;

/** The end of a command in this process: it starts nothing that goes on. */
async function ended(args: readonly string[]) {
  const atEnd = ['exit', 'uncaughtExceptionMonitor'].map(
    (event) => [event, process.listeners(event as 'exit')] as const,
  );
  const paths = args.map((word) => (/\.jsonl?$/.test(word) ? join(folder, word) : word));
  const { status, stdout, stderr } = await called(paths, { folder });
  // Its last lines would be written when this process ends.
  for (const [event, before] of atEnd)
    for (const listener of process.listeners(event as 'exit'))
      if (!before.includes(listener)) process.off(event, listener);
  const short = (text: string) => text.replaceAll(`${folder}/`, '');
  return { status, stdout: short(stdout), stderr: short(stderr) };
}

/** Starts serving; resolves once it is ready. */
async function serve(args: readonly string[] = [], env?: Record<string, string>) {
  const launched = launch(args.includes('--port') ? args : ['--port', '0', ...args], env);
  const line: string = await launched.firstLine;
  return { ...launched, line };
}

describe('serve', () => {
  test('says where it is, what to send along and what to try, and one ready line that ends in the base URL', async () => {
    const { child, ended, line } = await serve();
    const base = /http:\/\/127\.0\.0\.1:\d+\/api\/v1$/.exec(line)?.[0] ?? '';
    child.kill('SIGTERM');
    const { status, stdout, stderr } = await ended;
    expect({ status, stdout }).toEqual({ status: 0, stdout: `${line}\n` });
    expect(stderr).toContain(`curl -H 'Authorization: Bearer emu-key-alice-0000000000000000' ${base}/interns`);
    expect(stderr).toContain('emu-management-0000000000000000');
    expect(line).toContain(`console at ${base.replace('/api/v1', '/_emulator/')}, is`);
  });

  test('says only that line with --quiet, and the target with --json', async () => {
    const quiet = await serve(['--quiet']);
    const json = await serve(['--json', '--clock', 'virtual'], { INTERN_EMULATOR_PROFILE: 'openrouter' });
    const target = JSON.parse(json.line);
    expect(target).toMatchObject({ profile: 'openrouter', clock: 'virtual' });
    const response = await fetch(`${target.base_url}/interns`, {
      headers: { authorization: `Bearer ${target.credentials.api_key}` },
    });
    expect(response.status).toBe(200);
    const login = new URL('/oidc/.well-known/openid-configuration', quiet.line.split(' ').at(-1));
    expect((await fetch(login)).status).toBe(200);
    for (const { child } of [quiet, json]) child.kill('SIGINT');
    expect(await quiet.ended).toMatchObject({ status: 0, stderr: '', stdout: `${quiet.line}\n` });
    const seen = await json.ended;
    expect(seen).toMatchObject({ status: 0, stdout: `${json.line}\n` });
    expect(seen.stderr).toBe('00:00:00.000  GET      200       0 ms  alice       /api/v1/interns\n');
  });

  test('keeps its state in --data, over a restart', async () => {
    const { child, ended, line } = await serve(['--json', '--data', 'kept.json']);
    const { base_url, credentials, workspace_id } = JSON.parse(line);
    const made = await fetch(`${base_url}/interns`, {
      method: 'POST',
      headers: { authorization: `Bearer ${credentials.api_key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'kept', workspace_id }),
    });
    expect(made.status).toBe(201);
    child.kill('SIGKILL');
    await ended;
    const again = await serve(['--json', '--data', 'kept.json']);
    const list = await fetch(`${JSON.parse(again.line).base_url}/interns`, {
      headers: { authorization: `Bearer ${credentials.api_key}` },
    });
    expect(JSON.stringify(await list.json())).toContain('"kept"');
    again.child.kill('SIGTERM');
    expect(await again.ended).toMatchObject({ status: 0 });
    expect(readFileSync(join(folder, 'kept.json'), 'utf8')).toContain('"name": "kept"');
  });

  /** A stream that would go on for five minutes. */
  async function withStream() {
    const served = await serve(['--json']);
    const { base_url, credentials } = JSON.parse(served.line);
    const response = await fetch(`${base_url}/interns/${credentials.intern.id}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${credentials.api_key}` },
      body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'script: silent' }] }),
    });
    const reader = response.body?.getReader();
    await reader?.read();
    return { ...served, reader };
  }

  test('drains and ends with 0, also under a stream that goes on, and takes a second signal at once for the same', async () => {
    const { child, ended, reader } = await withStream();
    // While the process is held up, so that both signals reach it at once however busy the machine is.
    for (const signal of ['SIGSTOP', 'SIGINT', 'SIGTERM', 'SIGCONT'] as const) child.kill(signal);
    expect(await ended).toMatchObject({ status: 0, signal: null });
    await reader?.cancel().catch(() => {});
  });

  test('SEE-1: lines of the log that still wait are written first, when it is stopped and when it falls over', async () => {
    // No batch of lines is ever due here, and a signal crashes it.
    const preload = `const own = setTimeout; globalThis.setTimeout = (call, ms, ...more) => own(call, ms === 25 ? 1e6 : ms, ...more); process.on('SIGUSR2', () => { throw new Error('fell over') })`;
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}` };
    for (const [signal, status, then] of [
      ['SIGINT', 0, /GET .* 404 .*\/nowhere.*\n$/],
      ['SIGUSR2', 70, /GET .* 404 .*\/nowhere.*\nError: fell over\n/],
    ] as const) {
      const { child, ended, line, seen } = await serve([], env);
      await fetch(`${line.split(' ').at(-1)}/nowhere`);
      expect(seen.stderr).not.toContain('nowhere');
      child.kill(signal);
      const { stderr, ...end } = await ended;
      expect([end.status, stderr]).toEqual([status, expect.stringMatching(then)]);
    }
  });
  test('ends at once with 130 at a second signal', async () => {
    const { child, ended, line } = await serve();
    // A connection that says nothing holds the drain.
    const socket = connect(Number(/:(\d+)\//.exec(line)?.[1]), '127.0.0.1');
    socket.on('error', () => {});
    // The answer to a whole request proves that the partial request behind it has arrived too.
    socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\nGET / HTTP/1.1\r\nhost: localhost');
    await once(socket, 'data');
    // A signal within 100 ms of the first counts as the same one. The first later signal ends the process, whatever the
    // load.
    const signals = setInterval(() => child.kill('SIGINT'), 150);
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ status: 130 });
    clearInterval(signals);
    socket.destroy();
  });
});

describe('one clear line and status 2', () => {
  test.each<[string, string[], string]>([
    ['an unknown flag', ['--prot', '1'], 'unknown flag --prot (did you mean --port?)'],
    ['an unknown command', ['sreve'], 'unknown command "sreve" (did you mean serve?)'],
    ['a bad value', ['--port', 'x'], '--port: expected a whole number from 0 to 65534; found "x"'],
    ['a flag without its value', ['--port'], '--port: expected a value after it'],
    ['a file that is not there', ['--seed-file', 'none.json'], 'seed file none.json cannot be read'],
    ['an invalid script', ['--scripts', 'bad.json'], 'bad.json: '],
    ['an invalid key', ['--signing-key', 'bad.json'], 'signing key bad.json: '],
    ['an open control interface', ['--host', '0.0.0.0', '--port', '0'], 'listening on 0.0.0.0'],
    ['a store in a folder that is not there', ['--data', 'none/x.json'], 'none/x.json: cannot write beside it'],
    ['a wait for the disk without a store', ['--fsync'], '--fsync: only --data writes to a disk'],
    ['an answer to what no recording has, without one', ['--replay-else', 'emulate'], '--replay-else: only --replay'],
    ['exec without a command', ['exec'], 'exec: give the command after --'],
    [
      'a misspelt command',
      ['explor', '--', 'ls'],
      'only exec and explore take a command after -- (did you mean explore?)',
    ],
    ['a command that is not for serve', ['--port', '0', '--', 'ls'], 'only exec and explore take a command after --'],
    ['scripts validate without files', ['scripts', 'validate'], 'scripts validate: name the files'],
  ])('for %s', async (_, args, message) => {
    writeFileSync(join(folder, 'bad.json'), '{"name": 1}');
    const { status, stdout, stderr } = await ended(args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^intern-emulator: [^\n]+\n$/);
    expect(stderr).toContain(message);
  });

  test('for a recording that cannot be replayed', async () => {
    const request = { method: 'GET', path: '/api/v1/interns/$intern.1$intern.1', headers: {} };
    const answer = { status: 200, headers: {}, ended: 'complete' };
    const line = { format: 1, n: 1, scenario: null, at: 0, operation: 'get', request, ...answer };
    writeFileSync(join(folder, 'bad.jsonl'), `${JSON.stringify(line)}\n`);
    const { status, stdout, stderr } = await ended(['--replay', 'bad.jsonl', '--port', '0']);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^intern-emulator: recording bad\.jsonl:1: request\.path: [^\n]+\n$/);
  });

  test.runIf(process.platform !== 'win32')('for a file that is a device or a pipe, which is not read', async () => {
    symlinkSync('/dev/zero', join(folder, 'endless.json'));
    execFileSync('mkfifo', [join(folder, 'silent.json')]);
    for (const flag of ['--seed-file', '--profile', '--chaos', '--config'])
      for (const file of ['endless.json', 'silent.json']) {
        const { status, stdout, stderr } = await ended([flag, file, '--port', '0']);
        expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
        expect(stderr).toMatch(/^intern-emulator: [^\n]*\.json is no file, but a device or a pipe\n$/);
      }
  });

  test.each([
    ['the interface', [], '--port'],
    ['the intern daemons', ['--port', '0'], '--daemon-port'],
  ])('for a port of %s that is taken', async (whose, args, flag) => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const { status, stderr } = await run([...args, flag, String(port)]);
    other.close();
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: `intern-emulator: Port ${port} is in use (needed for ${whose}). Choose another with ${flag}.\n`,
    });
  });
});

describe('exec', () => {
  const node = (source: string, ...flags: string[]) => [
    'exec',
    ...flags,
    '--',
    process.execPath,
    '--input-type=module',
    '-e',
    source,
  ];

  const NAMES = "console.log(Object.keys(process.env).filter((name) => name.startsWith('INTERN_')).sort().join());";
  test('gives the command an emulator, the variables that most commands need or all, and answers with its status', async () => {
    const token = ['--control-token', 'a-token-of-ours'];
    const { status, stdout, stderr } = await run(
      node(
        `
        const { INTERN_BASE_URL, INTERN_API_KEY, INTERN_INTERN_ID, INTERN_CONTROL_URL, INTERN_CONTROL_TOKEN } = process.env;
        const headers = { authorization: 'Bearer ' + INTERN_API_KEY };
        const intern = await fetch(INTERN_BASE_URL + '/interns/' + INTERN_INTERN_ID, { headers });
        const control = { authorization: 'Bearer ' + INTERN_CONTROL_TOKEN };
        const health = await fetch(INTERN_CONTROL_URL + '/health', { headers: control });
        console.log(intern.status, health.status, process.env.INTERN_CLOCK);
        ${NAMES}
        process.exit(7);`,
        ...[...token, '--clock', 'real'],
      ),
    );
    expect({ status, stderr }).toEqual({ status: 7, stderr: '' });
    const [first, names] = stdout.split('\n');
    expect(first).toBe('200 200 real');
    const few = names?.split(',') ?? [];
    expect(few).toHaveLength(16);
    const all = (await run(node(NAMES, ...token, '--all'))).stdout.trim().split(',');
    expect(all).toEqual(expect.arrayContaining([...few, 'INTERN_SCIM_GROUP_ID', 'INTERN_PEER_OAUTH_TOKEN']));
  });

  test('with --tls gives the command the authority, beside others that it trusts', async () => {
    const other = join(folder, 'other.pem');
    writeFileSync(other, '# of a company\n');
    const args = node(
      `
      import { readFileSync } from 'node:fs';
      const { INTERN_BASE_URL: base, INTERN_API_KEY: key, INTERN_CA_FILE: own, NODE_EXTRA_CA_CERTS: trusted } = process.env;
      const interns = await fetch(base + '/interns', { headers: { authorization: 'Bearer ' + key } });
      const [certificate, all] = [own, trusted].map((file) => readFileSync(file, 'utf8'));
      console.log(new URL(base).protocol, interns.status, own === trusted, all.includes('# of a company'), all.includes(certificate));`,
      '--tls',
    );
    expect(await run(args)).toMatchObject({ status: 0, stdout: 'https: 200 true false true\n', stderr: '' });
    const beside = await run(args, { NODE_EXTRA_CA_CERTS: other });
    expect(beside).toMatchObject({ status: 0, stdout: 'https: 200 false true true\n' });
  });

  test('has a clock on which five minutes of silence take no time', async () => {
    const source = `
      const { INTERN_BASE_URL, INTERN_API_KEY, INTERN_INTERN_ID, INTERN_CLOCK } = process.env;
      const chat = await fetch(INTERN_BASE_URL + '/interns/' + INTERN_INTERN_ID + '/chat/completions', {
        method: 'POST',
        headers: { authorization: 'Bearer ' + INTERN_API_KEY, 'content-type': 'application/json' },
        body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'script: silent' }] }),
      });
      console.log(INTERN_CLOCK, (await chat.text()).match(/: keepalive/g).length);`;
    expect(await run(node(source))).toMatchObject({ status: 0, stdout: 'virtual 9\n' });
  });

  test('answers 128 and the signal for a command that a signal ended, 127 for one that is not there', async () => {
    expect(await run(node("process.kill(process.pid, 'SIGKILL')"))).toMatchObject({ status: 137 });
    expect(await run(['exec', '--', 'no-such-command'])).toMatchObject({
      status: 127,
      stderr: 'intern-emulator: no-such-command: command not found\n',
    });
  });

  const slow = `
    const { INTERN_BASE_URL: base, INTERN_INTERN_ID: id, INTERN_API_KEY: key } = process.env;
    const body = JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'script: slow' }] });
    const headers = { authorization: 'Bearer ' + key };
    const response = await fetch(base + '/interns/' + id + '/chat/completions', { method: 'POST', headers, body });
    if (process.argv[1] !== 'leave') await response.text();
    process.exit();`;

  test('SEE-1: logs requests where --log-format is given, and else only what may keep the command waiting', async () => {
    const { stderr } = await run(node(slow, '--log-format', 'json'));
    const records = stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(records).toMatchObject([
      { status: 200, script: 'slow', stream: 'opened' },
      { status: 200, ms: 9_500, stream: 'ended', how: 'stop' },
    ]);
    const waiting = await run([...node(slow, '--clock', 'virtual'), 'leave']);
    expect(waiting.stderr).toMatch(/^run \S+ waits for the clock: 500 ms \(advance it, or --clock auto\)\n$/);
    expect(await run([...node(slow, '--clock', 'virtual', '--quiet'), 'leave'])).toMatchObject({ stderr: '' });
  });

  test('passes signals on to the command', async () => {
    const { child, ended, firstLine } = launch(
      node("process.on('SIGTERM', () => process.exit(9)); console.log('up'); setInterval(() => {}, 1000)"),
    );
    expect(await firstLine).toBe('up');
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ status: 9 });
  });
});

test('exec on Windows starts npm.cmd, through the shell that it needs', async () => {
  const windows = join(folder, 'windows');
  mkdirSync(windows);
  writeFileSync(join(windows, 'npm.cmd'), '');
  // In place of cmd.exe: says what it was started with.
  writeFileSync(join(windows, 'cmd'), '#!/bin/sh\necho "$@"\n', { mode: 0o755 });
  const platform = "data:text/javascript,Object.defineProperty(process,'platform',{value:'win32'})";
  const env = { NODE_OPTIONS: `--import "${platform}"`, PATH: windows, PATHEXT: '.CMD', comspec: join(windows, 'cmd') };
  const { status, stdout } = await run(['exec', '--', 'npm', 'test', 'a b'], env);
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: expect.stringMatching(/^\/d \/s \/c "npm \^"test\^" \^"a\^ b\^""\n$/),
  });
});

test('scripts validate tells of each file', async () => {
  writeFileSync(join(folder, 'good.json'), '{"name": "good", "turn": [{"say": "hi"}]}');
  writeFileSync(join(folder, 'bad.json'), '{"name": "bad", "turn": [{"say": 1}]}');
  mkdirSync(join(folder, 'none.json'));
  const { status, stdout, stderr } = await ended(['scripts', 'validate', 'good.json', 'none.json', 'bad.json']);
  expect({ status, stdout }).toEqual({ status: 1, stdout: 'good.json: ok (good)\n' });
  expect(stderr).toMatch(/^none\.json: it holds no \.json file\nbad\.json: turn\[0\]\.say: /);
});

test('help and version', async () => {
  const help = await run(['--help']);
  expect(help).toMatchObject({ status: 0, stdout: expect.stringContaining('--turns-per-minute') });
  expect(help.stdout.match(/^ +--[a-z-]+/gm)).toHaveLength(11);
  expect(help.stdout).toContain('--help all shows every flag');
  expect((await ended(['exec', '--help', 'all'])).stdout).toMatch(/^Addresses:$[\s\S]*--daemon-port/m);
  for (const name of ['serve', 'exec', 'scripts', 'sign', 'verify', 'explain', 'conformance']) {
    expect(help.stdout).toContain(`intern-emulator ${name}`);
  }
  expect((await ended(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

/** A server on a port, if that is free. */
async function listenOn(port: number) {
  const server = createServer().listen(port, '127.0.0.1');
  return once(server, 'listening').then(
    () => server,
    () => undefined,
  );
}

/**
 * A free port, and a server on the next one. They are below the range that the system assigns by itself, so that no
 * other socket opened meanwhile can get the free port.
 */
async function freeBeforeTaken() {
  for (let free = 20_000 + (process.pid % 5_000) * 2; ; free += 2) {
    const first = await listenOn(free);
    const taken = first && (await listenOn(free + 1));
    await new Promise((closed) => (first ? first.close(closed) : closed(undefined)));
    if (taken) return { free, taken };
  }
}

test('WEB-3: the daemons take a free port where the next one is taken, and say so', async () => {
  const { free, taken } = await freeBeforeTaken();
  const { child, ended, line } = await serve(['--port', String(free)]);
  taken.close();
  child.kill('SIGTERM');
  const { stderr } = await ended;
  expect(line).toContain(`:${free}/`);
  expect(stderr).toMatch(new RegExp(`^Port ${free + 1} is in use: the intern daemons listen on \\d+\\. `, 'm'));
});
