import { expect, test } from 'vitest';
import { mcpClient } from '../testing/agents.harness.js';
import { createTestClient } from '../testing/client.harness.js';
import { endingHosts, host } from './mcp.harness.js';

endingHosts();

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

test('AGENT-1: a line that does not end is refused in one line, and it ends', async () => {
  const agent = host(['--port', '0']);
  await agent.begin();
  agent.child.stdin.on('error', () => {});
  agent.child.stdin.write('a'.repeat(10 * 1024 * 1024 + 1));
  const { status, stderr } = await agent.ended;
  expect([status, stderr.trim().split('\n').at(-1)]).toEqual([
    0,
    expect.stringMatching(/^intern-emulator: mcp: .*maximum size/),
  ]);
});

test('AGENT-2: check_client over HTTP does so where agents may run commands, and refuses elsewhere', async () => {
  const checks = async () => (await import('../../conformance/cli/checks.js')).CHECKS;
  const may = mcpClient(createTestClient({ checks, agentsMayRun: true }));
  for (const { command, only, text, data, error } of CHECKED.slice(1, 2)) {
    const { isError, content, structuredContent } = await may.call('check_client', { command, only });
    expect([isError, content[0].text]).toEqual([error && true, expect.stringMatching(error ?? text)]);
    if (data) expect(structuredContent).toMatchObject(data);
  }
  const mayNot = mcpClient(createTestClient({ checks }));
  const { isError, content } = await mayNot.call('check_client', { command: ['true'] });
  expect([isError, content[0].text]).toEqual([true, expect.stringContaining('--agents-may-run')]);
});
