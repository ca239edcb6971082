import { afterAll, expect, test } from 'vitest';
import { rowOf } from '../testing/answers.harness.js';
import { createTestClient } from '../testing/client.harness.js';
import { ANSWERS } from './answers.js';

const api = createTestClient();
afterAll(() => api.emulator.close());

/** Calls in an order in which each has something to answer; the client of tests holds every answer against the document. */
const CALLS: readonly (readonly [method: string, path: string, body?: unknown])[] = [
  ['GET', ''],
  ['GET', '/control-openapi.json'],
  ['GET', '/openapi.json'],
  ['GET', '/llms.txt'],
  ['GET', '/docs/seeds.md'],
  ['GET', '/health'],
  ['GET', '/target'],
  ['GET', '/keys'],
  ['PUT', '/scripts/hi', { name: 'hi', turn: [{ say: 'Hi.' }] }],
  ['GET', '/scripts'],
  ['GET', '/scripts/hi'],
  ['GET', '/interns'],
  ['PUT', '/interns/{intern}/script', { name: 'hi' }],
  ['GET', '/interns/{intern}'],
  ['DELETE', '/interns/{intern}/script'],
  ['PUT', '/matches', [{ when: { contains: 'a', turn: 1 }, script: 'hi' }]],
  ['GET', '/matches'],
  ['DELETE', '/matches'],
  ['DELETE', '/scripts/hi'],
  ['GET', '/runs'],
  ['GET', '/runs/{run}'],
  ['GET', '/reveals'],
  ['GET', '/journal'],
  ['GET', '/journal?format=har'],
  ['GET', '/journal?format=recording'],
  ['GET', '/journal/{request}'],
  ['GET', '/journal/{request}?format=har'],
  ['GET', '/journal/{request}/explain'],
  ['DELETE', '/journal'],
  ['PUT', '/limits', { turns_per_minute: 0 }],
  ['GET', '/limits'],
  ['PUT', '/settings', { vault_writes: 'off' }],
  ['GET', '/settings'],
  ['POST', '/faults', { operation: 'chat', status: 503 }],
  ['POST', '/faults', [{ operation: 'list', delay: '5s', times: 'always' }]],
  ['GET', '/faults'],
  ['DELETE', '/faults/{fault}'],
  ['DELETE', '/faults'],
  ['POST', '/clock', { advance: '1s' }],
  ['GET', '/clock'],
  ['PUT', '/snapshots/mine'],
  ['GET', '/snapshots'],
  ['GET', '/snapshots/mine'],
  ['POST', '/snapshots/mine/restore'],
  ['DELETE', '/snapshots/mine'],
  ['POST', '/spaces', { name: 'a' }],
  ['GET', '/spaces'],
  ['GET', '/spaces/a'],
  ['DELETE', '/spaces/a'],
  ['GET', '/signing/forge'],
  ['POST', '/signing/forge', { defect: 'expired' }],
  ['POST', '/signing/explain', { headers: { 'x-svc-invoke-signature': 'AAAA' } }],
  ['GET', '/lab/cases'],
  ['GET', '/lab/cases/sse-crlf'],
  ['GET', '/lab/runs'],
  ['GET', '/state'],
  ['GET', '/state?credentials=1'],
  ['PUT', '/state', '{state}'],
  ['POST', '/reset'],
];
/** They stream, speak another protocol, or need a socket (`lab.socket.test.ts`). */
const ELSEWHERE = [
  'GET /events',
  'POST /mcp',
  'POST /lab/runs',
  'GET /lab/runs/:run',
  'GET /lab/runs/:run/sent',
  'POST /lab/results',
  'POST /lab/adapters',
  'DELETE /lab/runs/:run',
];

test('the document describes the answer of every call, and each call answers so', async () => {
  const intern = api.credentials.intern?.id ?? '';
  await api.chat('script: ask-question', { session_id: 'a', approval_mode: 'manual' });
  const ids: Record<string, string> = { intern };
  const met = new Set<string | undefined>();
  for (const [method, path, body] of CALLS) {
    const url = `/_emulator${path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? name)}`;
    const given = body === '{state}' ? JSON.parse(ids.state ?? '') : body;
    const { status, json, text } = await api.call(method, url, { body: given });
    expect([url, status < 300 ? undefined : text]).toEqual([url, undefined]);
    const call = `${method} ${path}`;
    if (call === 'GET /runs') ids.run = json.data[0].id;
    if (call === 'GET /journal') ids.request = json.data[0].id;
    if (call === 'GET /faults') ids.fault = json.data[0].id;
    if (call === 'GET /state?credentials=1') ids.state = text;
    met.add(rowOf({ method, url }));
  }
  expect([...met, ...ELSEWHERE].sort()).toEqual(Object.keys(ANSWERS).sort());
});
