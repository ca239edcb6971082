import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JournalEntry } from '../../emulator/contract/journal-entry.js';
import { assemble } from '../../emulator/emulator.js';
import { defaultFactories } from '../../emulator/factories.js';
import { mcpClient } from '../../emulator/testing/agents.harness.js';
import { createTestClient } from '../../emulator/testing/client.harness.js';
import { folderOfTest } from '../../test/folders.js';
import { judgeEmulators, suspendingWith } from '../../test/judged-emulators.js';
import { CHECKS, createTraffic } from '../cli/checks.js';

/** The findings on a suspension at an emulator whose suspensions answer with this status. */
async function foundAt(status: number): Promise<string[]> {
  const found: string[] = [];
  const undo = judgeEmulators((breach) => found.push(breach));
  const emulator = assemble({ quiet: true }, { ...defaultFactories, createRoutes: suspendingWith(status) });
  undo();
  const { base_url, credentials } = emulator.target;
  const answer = await emulator.fetch(`${base_url}/interns/${credentials.intern?.id}/suspend`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credentials.api_key}` },
  });
  expect(answer.status).toBe(status);
  await emulator.close();
  return found;
}

test('an emulator whose answer breaks a rule is found in its journal, and a right one is not', async () => {
  expect(await foundAt(200)).toEqual([]);
  expect(await foundAt(202)).toEqual([expect.stringContaining('"status of a suspend"')]);
});

test('bytes that are not UTF-8 are a body that is not known', async () => {
  const found: string[] = [];
  const undo = judgeEmulators((breach) => found.push(breach));
  const emulator = assemble({ quiet: true }, defaultFactories);
  undo();
  const { base_url, credentials } = emulator.target;
  const update = (body: string | Buffer) =>
    emulator.fetch(`${base_url}/interns/${credentials.intern?.id}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${credentials.api_key}`, 'content-type': 'application/json' },
      body,
    });
  expect((await update('{"description":"é"}')).status).toBe(200);
  expect((await update(Buffer.from('{"description":"é"}', 'latin1'))).status).toBe(400);
  await emulator.close();
  expect(found).toEqual([]);
});

test('explain_request says which rules judged a request; files are judged over standard input alone', async () => {
  const api = createTestClient({ checks: async () => CHECKS });
  const mcp = mcpClient(api);
  await api.get('/interns');
  const { structuredContent, content } = await mcp.call('explain_request');
  expect(structuredContent.judged).toMatchObject({ verdict: 'kept', rules: expect.arrayContaining(['LIST-3/form']) });
  expect(content[0].text).toMatch(/judged by .*LIST-3\/form.*: kept/);
  const refused = await mcp.call('check_server', { har: '/etc/hostname' });
  expect([refused.isError, refused.content[0].text]).toEqual([true, expect.stringContaining('refused over HTTP')]);
});

test('a recording is judged for an agent, and any other file is one line', async () => {
  const api = createTestClient();
  await api.get('/interns');
  // The journal has neither the token nor the signature.
  const at = `/interns/${api.credentials.intern?.id}/daemon`;
  const as = api.credentials.oauth_token;
  await api.get(at, { as });
  await api.post(`${at}/sign`, { bodySha256: 'a'.repeat(64) }, { as });
  const folder = folderOfTest('traffic-');
  const [right, wrong] = [join(folder, 'right.jsonl'), join(folder, 'wrong.har')];
  writeFileSync(right, (await api.get('/_emulator/journal?format=recording')).text);
  writeFileSync(wrong, '{}');
  expect(await CHECKS.judge([right])).toMatchObject({
    headline: expect.stringMatching(/^3 exchanges judged, 0 passed over/),
    findings: [],
  });
  expect((await CHECKS.judge([right], { only: ['LIST-3/form'] })).counts).toEqual({ pass: 1 });
  await expect(CHECKS.judge([wrong])).rejects.toThrow(/wrong\.har: expected a HAR/);
});

test('an emulator that judges says of each exchange in its journal, and as it ends, which rules it kept and broke', async () => {
  const emulator = assemble(
    { quiet: true, judge: createTraffic },
    { ...defaultFactories, createRoutes: suspendingWith(202) },
  );
  const { base_url, credentials } = emulator.target;
  const at = `${base_url}/interns/${credentials.intern?.id}`;
  const headers = { authorization: `Bearer ${credentials.api_key}`, 'content-type': 'application/json' };
  const events = (await emulator.fetch('/_emulator/events?types=request')).body?.getReader();
  const messages = [{ role: 'user', content: 'Hello' }];
  const body = JSON.stringify({ messages });
  await (await emulator.fetch(`${at}/chat/completions`, { method: 'POST', headers, body })).text();
  await emulator.fetch(`${at}/suspend`, { method: 'POST', headers });
  await emulator.fetch(base_url.replace('/api/v1', '/elsewhere'));
  const listed = async (query: string) =>
    ((await (await emulator.fetch(`/_emulator/journal${query}`)).json()) as { data: JournalEntry[] }).data;
  expect((await listed('')).map(({ judged }) => judged?.verdict)).toEqual(['kept', 'broken', 'not_judged']);
  const [broken, ...others] = await listed('?judged=broken');
  expect(others).toEqual([]);
  expect(broken?.judged?.broken).toEqual([
    expect.objectContaining({ rule: expect.stringMatching(/^SUSP-1/), expected: '200', actual: '202' }),
  ]);
  let said = '';
  while (!said.includes('"verdict":"broken"')) said += Buffer.from((await events?.read())?.value ?? []).toString();
  expect(said).toContain('"verdict":"kept"');
  const refused = await emulator.fetch('/_emulator/journal?judged=right');
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('kept, broken, not_judged')]);
  await emulator.close();
});

test('an answer that a disturbance changed is not judged, whether it came before or after the journal had it', async () => {
  const emulator = assemble({ quiet: true, judge: createTraffic }, defaultFactories);
  const { base_url, credentials } = emulator.target;
  const headers = { authorization: `Bearer ${credentials.api_key}`, 'content-type': 'application/json' };
  const verdict = async (operation: string, fault: object, request: () => Promise<unknown>) => {
    const body = JSON.stringify({ operation, ...fault });
    expect((await emulator.fetch('/_emulator/faults', { method: 'POST', headers, body })).status).toBeLessThan(300);
    await request();
    const { data } = (await (await emulator.fetch('/_emulator/journal?limit=1')).json()) as { data: JournalEntry[] };
    return data[0]?.judged?.verdict;
  };
  const at = `${base_url}/interns/${credentials.intern?.id}`;
  const get = () => emulator.fetch(at, { headers });
  const body = JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }], stream: true });
  const chat = async () => (await emulator.fetch(`${at}/chat/completions`, { method: 'POST', headers, body })).text();
  expect(await verdict('chat', { disturb: 'length', write: 'before-finish' }, chat)).toBe('not_judged');
  expect(await verdict('get', { disturb: 'rate-limited' }, get)).toBe('not_judged');
  expect(await verdict('get', { status: 503 }, get)).toBe('kept');
  await emulator.close();
});

test('an intern that a disturbance took away was not taken by a call that was refused before', async () => {
  const emulator = assemble({ quiet: true, judge: createTraffic }, defaultFactories);
  const { base_url, credentials, workspace_id } = emulator.target;
  const headers = { authorization: `Bearer ${credentials.api_key}`, 'content-type': 'application/json' };
  const send = async (method: string, path: string, json?: object) => {
    const body = json === undefined ? {} : { body: JSON.stringify(json) };
    return (await emulator.fetch(base_url + path, { method, headers, ...body })).json();
  };
  const { id } = (await send('POST', '/interns', { name: 'one', workspace_id })) as { id: string };
  await send('GET', `/interns/${id}`);
  await send('DELETE', `/interns/${id}`, { unknown: true });
  const fault = JSON.stringify({ operation: 'update', disturb: 'deleted' });
  await emulator.fetch('/_emulator/faults', { method: 'POST', headers, body: fault });
  await send('PATCH', `/interns/${id}`, { description: 'two' });
  await send('GET', `/interns/${id}`);
  const { data } = (await (await emulator.fetch('/_emulator/journal')).json()) as { data: JournalEntry[] };
  const judged = data.map(({ request, judged }) => [request.method, judged?.verdict]);
  expect(judged[0]).toEqual(['POST', 'kept']);
  expect(judged.at(-1)).toEqual(['GET', 'kept']);
  expect(judged.map(([, verdict]) => verdict)).not.toContain('broken');
  await emulator.close();
});

test('what a recording answers is judged, and a request that it lacks is not', async () => {
  const api = createTestClient();
  await api.get('/interns');
  const folder = folderOfTest('traffic-');
  const recording = join(folder, 'wrong.jsonl');
  const lines = (await api.get('/_emulator/journal?format=recording')).text;
  writeFileSync(recording, lines.replace('"has_more":false', '"has_more":"no"'));
  const emulator = assemble({ quiet: true, judge: createTraffic, replay: { files: [recording] } }, defaultFactories);
  const { base_url, credentials } = emulator.target;
  const headers = { authorization: `Bearer ${credentials.api_key}` };
  for (const path of ['/interns', '/interns/unheard-of']) await emulator.fetch(`${base_url}${path}`, { headers });
  const { data } = (await (await emulator.fetch('/_emulator/journal')).json()) as { data: JournalEntry[] };
  expect(data.map(({ response, judged }) => [response.status, judged?.verdict])).toEqual([
    [200, 'broken'],
    [501, 'not_judged'],
  ]);
  expect(data[0]?.judged?.broken).toMatchObject([{ expected: 'a boolean', actual: '"no"' }]);
  expect(data[1]?.wrong).toMatch(/record/);
  await emulator.close();
});

test('where nothing is judged the journal says nothing of it', async () => {
  const api = createTestClient();
  await api.get('/interns');
  expect((await api.get('/_emulator/journal')).json.data[0]).not.toHaveProperty('judged');
});
