import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderOfTest } from '../../test/folders.js';
import { createEmulator } from '../index.js';
import { endingHosts, host } from './mcp.harness.js';

endingHosts();

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
