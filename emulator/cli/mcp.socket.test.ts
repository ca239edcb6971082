import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, expect, test } from 'vitest';
import { commandOf } from '../../test/built.js';
import { folderOfTest } from '../../test/folders.js';
import { createEmulator } from '../index.js';
import { mcpClient } from '../testing/agents.harness.js';
import { createTestClient } from '../testing/client.harness.js';

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

interface Message {
  id?: number;
  method?: string;
  result?: { isError?: boolean; structuredContent?: Record<string, unknown>; content?: { text: string }[] };
}

/** `intern-emulator mcp` as a host starts it. Fails a test whose standard output carries anything but the protocol. */
function host(args: readonly string[]) {
  const child = spawn(process.execPath, [commandOf('intern-emulator'), 'mcp', ...args], {
    env: { PATH: process.env.PATH },
  });
  running.push(child);
  const stderr: string[] = [];
  child.setMaxListeners(0);
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk.toString()));
  const seen: Message[] = [];
  const waiting = new Map<(message: Message) => boolean, (message: Message) => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line) as Message;
    seen.push(message);
    for (const [fits, resolve] of waiting) if (fits(message)) resolve(message);
  });
  let id = 0;
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const next = (fits: (message: Message) => boolean) => {
    const message = new Promise<Message>((resolve, reject) => {
      waiting.set(fits, resolve);
      child.once('exit', (status) => reject(new Error(`it ended with ${status}: ${stderr.join('')}`)));
    });
    // A test may look for what does not come.
    message.catch(() => {});
    return message;
  };
  const ask = (method: string, params: object) => {
    const own = ++id;
    const answer = next((message) => message.id === own);
    send({ id: own, method, params });
    return { id: own, answer };
  };
  return {
    child,
    seen,
    next,
    notify: (method: string, params: object = {}) => send({ method, params }),
    ask,
    call: async (name: string, given: object = {}) =>
      (await ask('tools/call', { name, arguments: given }).answer).result ?? {},
    async begin() {
      const clientInfo = { name: 'test', version: '1' };
      await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }).answer;
      send({ method: 'notifications/initialized' });
    },
    ended: once(child, 'close').then(([status]) => ({ status, stderr: stderr.join('') })),
  };
}

test('AGENT-1: it has an emulator of its own, a call is cancelled, and it ends with its input', async () => {
  const agent = host(['--port', '0']);
  await agent.begin();
  // `--clock auto`: a boot that nobody advances comes to its end.
  await agent.call('manage_intern', { action: 'create', name: 'by-itself' });
  const booted = async () => (await agent.call('list_interns', { status: 'running' })).structuredContent?.total;
  await expect.poll(booted).toBe(2);
  const progress = agent.next(({ method }) => method === 'notifications/progress');
  const chat = agent.ask('tools/call', {
    name: 'chat',
    arguments: { prompt: 'script: never-ends\nhi', limit: 600 },
    _meta: { progressToken: 1 },
  });
  await progress;
  agent.notify('notifications/cancelled', { requestId: chat.id, reason: 'enough' });
  const open = async () => (await agent.call('status')).structuredContent?.counts;
  await expect.poll(open).toMatchObject({ open_runs: 0 });
  const { content } = await agent.call('explain_request');
  expect(content?.[0]?.text).toContain('CHAT-10');
  agent.child.stdin.end();
  expect((await agent.ended).status).toBe(0);
});

test('AGENT-1: it attaches to the emulator that is named, and says when that is gone', async () => {
  const emulator = createEmulator({ clock: 'virtual', controlToken: 'a-token' });
  const { controlUrl } = await emulator.listen({ port: 0, daemonPort: 0 });
  const agent = host(['--control', controlUrl, '--control-token', 'a-token']);
  await agent.begin();
  await agent.call('manage_intern', { action: 'create', name: 'from-agent' });
  const listed = await emulator.fetch('/_emulator/interns', { headers: { authorization: 'Bearer a-token' } });
  expect(await listed.text()).toContain('from-agent');
  await emulator.close();
  const gone = await agent.call('status');
  expect([gone.isError, gone.content?.[0]?.text]).toEqual([true, expect.stringContaining('still there')]);
  agent.child.stdin.end();
  expect((await agent.ended).status).toBe(0);
});

test.each([
  [['--control', 'http://127.0.0.1:1'], /^intern-emulator: --control http:\/\/127\.0\.0\.1:1\/_emulator: .+\n$/],
  [
    ['--control', 'nowhere'],
    /^intern-emulator: --control: expected the URL of a control interface; found "nowhere"\n$/,
  ],
])('AGENT-1: %j is one line and status 2, never an emulator of its own', async (args, line) => {
  const { status, stderr } = await host(args).ended;
  expect([status, stderr]).toEqual([2, expect.stringMatching(line)]);
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** A client that is right and wrong, one that breaks, and one that never begins: their commands, and what is said of them. */
const CHECKED = [
  {
    command: [process.execPath, 'examples/lab/adapter.mjs'],
    only: ['sse-one-event'],
    text: /^1 done: 1 pass$/,
    data: { counts: { pass: 1 }, findings: [] },
  },
  {
    command: [process.execPath, 'examples/lab/adapter.mjs'],
    only: ['sse-one-event', 'sse-crlf', 'sign-json'],
    text: /^3 done: 1 pass, 1 fail, 1 skip\nSkipped, as it needs layer signing: .+\n- .+: breaks docs\/client-rules\.md#whatwg-html-9-2-6\S* “.+” \(WHATWG HTML 9\.2\.6\), .*in 1, such as sse-crlf; expected \{.+, found nothing; the server: Ends lines with CRLF\. "data: a\\r\\n.*"$/,
    data: {
      counts: { pass: 1, fail: 1, skip: 1 },
      findings: [
        {
          checks: ['sse-crlf'],
          sent: expect.stringMatching(/^Ends lines with CRLF\./),
          rules: [{ where: 'WHATWG HTML 9.2.6' }],
        },
      ],
    },
  },
  {
    command: [process.execPath, 'examples/lab/adapter.mjs'],
    only: ['sign-json'],
    error: /^Nothing could be checked\. .*layer signing.*\n.*docs:\/\/\/lab/,
  },
  {
    command: [process.execPath, '-e', 'console.error("no such module"); process.exit(1)'],
    only: ['sse-one-event'],
    error: /^The adapter did not begin: it ended with status 1\. Its standard error ends:\nno such module\nCorrect it/,
  },
  {
    command: [
      process.execPath,
      '-e',
      'console.log(`{"adapter":"x","version":"1","layers":["sse"]}`); process.stdin.once("data", () => { throw new Error("it broke") })',
    ],
    only: ['sse-one-event'],
    text: /^1 done: 1 fail\nIts standard error ends:\n[\s\S]*Error: it broke[\s\S]*\n- the client crashed/,
    data: { counts: { fail: 1 } },
  },
  { command: [process.execPath], only: ['no-such-case'], error: /^no case is called no-such-case\n/ },
];

test('AGENT-2: check_client says of a client what passes, what fails, and why it did not begin, over stdio', async () => {
  const agent = host(['--port', '0']);
  await agent.begin();
  for (const { command, only, text, data, error } of CHECKED) {
    const { isError, content, structuredContent } = await agent.call('check_client', { command, only });
    expect([isError, content?.[0]?.text]).toEqual([error && true, expect.stringMatching(error ?? text)]);
    if (data) expect(structuredContent).toMatchObject(data);
  }
  agent.child.stdin.end();
  expect((await agent.ended).status).toBe(0);
});

test('AGENT-2: where the host ends in the middle of check_client, the adapter ends too, whatever it waits for', async () => {
  const agent = host(['--port', '0']);
  await agent.begin();
  const adapter = 'console.log(`{"adapter":"x","version":"1","layers":["sse"]}`); setInterval(() => {}, 1e6)';
  const folder = folderOfTest('mcp-');
  const file = join(folder, 'pid');
  const noting = `require('fs').writeFileSync(${JSON.stringify(file)}, String(process.pid)); ${adapter}`;
  agent.ask('tools/call', {
    name: 'check_client',
    arguments: { command: [process.execPath, '-e', noting], only: ['sse-one-event'] },
  });
  await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8')).toMatch(/^\d+$/);
  const pid = Number(readFileSync(file, 'utf8'));
  agent.child.stdin.end();
  expect((await agent.ended).status).toBe(0);
  await expect.poll(() => isRunning(pid)).toBe(false);
});

test('AGENT-2: check_client that is cancelled before the adapter has said a word ends the adapter', async () => {
  const agent = host(['--port', '0']);
  await agent.begin();
  const folder = folderOfTest('mcp-');
  const file = join(folder, 'pid');
  const silent = `require('fs').writeFileSync(${JSON.stringify(file)}, String(process.pid)); setInterval(() => {}, 1e6)`;
  const { id } = agent.ask('tools/call', {
    name: 'check_client',
    arguments: { command: [process.execPath, '-e', silent], only: ['sse-one-event'] },
  });
  await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8'), { timeout: 20_000 }).toMatch(/^\d+$/);
  const pid = Number(readFileSync(file, 'utf8'));
  agent.notify('notifications/cancelled', { requestId: id });
  await expect.poll(() => isRunning(pid), { timeout: 10_000 }).toBe(false);
});

test('AGENT-1: a line that does not end is refused in one line, and it ends', async () => {
  const agent = host(['--port', '0']);
  await agent.begin();
  agent.child.stdin.on('error', () => {});
  agent.child.stdin.write('a'.repeat(50 * 1024 * 1024));
  const { status, stderr } = await agent.ended;
  expect([status, stderr.trim().split('\n').at(-1)]).toEqual([
    0,
    expect.stringMatching(/^intern-emulator: mcp: .*maximum size/),
  ]);
});

test('AGENT-2: check_client over HTTP does so where agents may run commands, and refuses elsewhere', async () => {
  const checks = async () => (await import('../../conformance/cli/checks.js')).CHECKS;
  const may = mcpClient(createTestClient({ checks, agentsMayRun: true }));
  for (const { command, only, text, data, error } of CHECKED.slice(0, 3)) {
    const { isError, content, structuredContent } = await may.call('check_client', { command, only });
    expect([isError, content[0].text]).toEqual([error && true, expect.stringMatching(error ?? text)]);
    if (data) expect(structuredContent).toMatchObject(data);
  }
  const mayNot = mcpClient(createTestClient({ checks }));
  const { isError, content } = await mayNot.call('check_client', { command: ['true'] });
  expect([isError, content[0].text]).toEqual([true, expect.stringContaining('--agents-may-run')]);
});
