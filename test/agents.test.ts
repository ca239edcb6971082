import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { pages } from '../emulator/agents/pages.js';
import { TOOLS } from '../emulator/agents/server.js';
import { mcpClient } from '../emulator/testing/agents.harness.js';
import { createTestClient } from '../emulator/testing/client.harness.js';
import { llmsText } from '../scripts/llms.js';

const read = (file: string) => readFileSync(file, 'utf8');

test('AGENT-4: llms.txt is what the pages are; else: npm run docs', async () => {
  expect(read('llms.txt')).toBe(llmsText());
  const api = createTestClient();
  const { text, headers } = await api.get('/_emulator/llms.txt');
  expect([text, headers.get('content-type')]).toEqual([llmsText(), 'text/plain; charset=utf-8']);
  const links = [...text.matchAll(/\]\((docs\/[^)]+)\)/g)].map(([, link]) => link);
  expect(links).toHaveLength(pages().length - 1);
  for (const link of links) expect(await api.get(`/_emulator/${link}`)).toMatchObject({ status: 200 });
  expect((await api.get('/_emulator/docs/..%2FSECURITY.md')).status).toBe(404);
});

test('AGENT-4: the skill names what exists, and the five things', () => {
  const skill = read('skills/intern-emulator/SKILL.md');
  expect(skill).toMatch(/^---\nname: intern-emulator\ndescription: .{50,1024}\n---\n/);
  expect([...skill.matchAll(/^### \d\. /gm)]).toHaveLength(5);
});

test('the configuration in README.md starts the door of agents', () => {
  const [, text = ''] = /```json\n([\s\S]*?)```/.exec(read('README.md')) ?? [];
  expect(JSON.parse(text).mcpServers.interns.args).toEqual(['-y', 'intern-emulator', 'mcp']);
});

test('AGENT-4: docs/agents.md has every tool, and configurations that are JSON', () => {
  const page = read('docs/agents.md');
  for (const { name } of TOOLS) expect(page).toContain(`\`${name}\``);
  const blocks = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text = '']) => JSON.parse(text));
  expect(blocks).toHaveLength(3);
  const named = [page, read('skills/intern-emulator/SKILL.md')].flatMap((text) =>
    [...text.matchAll(/`([a-z]+_[a-z]+)`/g)].map(([, name]) => name),
  );
  const known = [
    ...TOOLS.map(({ name }) => name),
    'session_id',
    'tool_call_id',
    'finish_reason',
    'tool_calls',
    'bad_request',
    'allow_once',
    'idempotency_key_reused',
  ];
  expect(named.filter((name) => !known.includes(name ?? ''))).toEqual([]);
});

test('docs/agents.md begins with what explain_request answers', async () => {
  const api = createTestClient();
  const body = { messages: [{ role: 'user', content: 'hi' }] };
  expect((await api.post(`/interns/${api.credentials.intern?.id}/chat/completions`, body)).status).toBe(400);
  const { content } = await mcpClient(api).call('explain_request');
  const [, shown = ''] = /^```text\n([\s\S]*?)^```$/m.exec(read('docs/agents.md')) ?? [];
  const lines = shown.trim().split('\n');
  expect(lines).toHaveLength(5);
  const said: string[] = content[0].text.split('\n');
  const without = lines.filter((line) => !said.some((one) => one.startsWith(line.replace(/ ?…$/, ''))));
  expect(without).toEqual([]);
});
