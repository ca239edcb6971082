import { describe, expect, test } from 'vitest';
import type { Behaviour } from '../scripts/behaviour.js';
import { createHarness, type Harness } from './chat.harness.js';

const started = async (h: Harness, body: unknown, extra?: Parameters<Harness['invoke']>[1]) => {
  const response = await h.invoke(body, extra);
  expect(response.status).toBe(202);
  return (await response.json()) as { session_id: string; status: string };
};

describe('invoke', () => {
  test('answers 202 once accepted; the run goes on, and its session continues', async () => {
    const h = createHarness();
    const first = await started(h, { input: 'script: slow', more: 'is ignored' });
    expect(first).toEqual({ session_id: expect.stringMatching(/^[0-9a-f-]{36}$/), status: 'started' });
    expect(h.runs.list()[0]).toMatchObject({ origin: 'invoke', status: 'running', session_id: first.session_id });
    expect(await started(h, { input: 'faster', session_id: first.session_id })).toEqual({
      ...first,
      status: 'steered',
    });
    await h.clock.advance(10_000);
    expect(h.runs.list()[0]).toMatchObject({ status: 'ended', ended: 'stop' });
    expect(await started(h, { input: 'again', session_id: first.session_id })).toEqual(first);
    expect(h.runs.list()).toHaveLength(2);
  });

  test.each<[string, unknown, string]>([
    ['no object', 'x', 'body'],
    ['no input', {}, 'input'],
    ['empty input', { input: '' }, 'input'],
    ['too long an input', { input: 'x'.repeat(32_001) }, 'input'],
    ['parts', { input: [{ type: 'text', text: 'x' }] }, 'input'],
    ['an empty session', { input: 'x', session_id: '' }, 'session_id'],
  ])('refuses %s', async (_what, body, field) => {
    const h = createHarness();
    const refused = await h.refused(h.invoke(body));
    expect(refused).toMatchObject({ status: 400, reason: 'bad_request' });
    expect(refused.message).toContain(`${field}: `);
  });

  test('a session is its caller own, on the same intern; chat sessions are not', async () => {
    const h = createHarness();
    const { session_id } = await started(h, { input: 'x' });
    const notFound = { status: 404, reason: 'not_found' };
    const bob = { ...h.alice, id: 'bob' };
    expect(await h.refused(h.invoke({ input: 'x', session_id }, { caller: bob }))).toMatchObject(notFound);
    expect(await h.refused(h.invoke({ input: 'x', session_id }, { row: h.addIntern(2) }))).toMatchObject(notFound);
    expect(await h.refused(h.invoke({ input: 'x', session_id: 'unknown' }))).toMatchObject(notFound);
    const chat = await (await h.say('ask-question', { session_id: 'mine' })).end();
    expect(await h.refused(h.invoke({ input: 'x', session_id: chat.sessionId }))).toMatchObject(notFound);
    await started(h, { input: 'x', session_id });
  });

  test('a session that is not the caller own is 404 also while the intern does not run', async () => {
    const h = createHarness();
    h.setStatus(h.intern, 'stopped');
    expect((await h.invoke({ input: 'x', session_id: 'unknown' })).status).toBe(404);
    expect(await h.refused(h.invoke({ input: 'x' }))).toMatchObject({ status: 409, reason: 'intern_not_ready' });
  });

  test('chat may continue an invoke session, and steers into its run', async () => {
    const h = createHarness();
    const { session_id } = await started(h, { input: 'script: slow' });
    expect(await (await h.prompt('hurry', { session_id })).json()).toEqual({ session_id, status: 'steered' });
    await h.clock.advance(10_000);
    const said = await h.prompt('and now', { session_id });
    expect(said.status).toBe(200);
    await said.body?.cancel();
    await started(h, { input: 'back to invoke', session_id });
  });

  test('consents to approvals and answers questions by their fallback', async () => {
    const got: unknown[] = [];
    const asks: Behaviour = {
      name: 'asks',
      async *turn() {
        got.push(yield { ask: { kind: 'permission', operation: 'shell', options: ['reject_once', 'allow_once'] } });
        got.push(yield { ask: { kind: 'permission', operation: 'shell', options: ['reject_once'] } });
        got.push(yield { ask: { kind: 'elicitation', message: '?', fields: [] } });
        const fallback = { action: 'accept' as const, content: { n: 1 } };
        got.push(yield { ask: { kind: 'elicitation', message: '?', fields: [], fallback } });
      },
    };
    const h = createHarness({ scripts: [asks] });
    await started(h, { input: 'script: asks' });
    await h.settle();
    expect(got).toEqual(['allow_once', 'reject_once', { action: 'decline' }, { action: 'accept', content: { n: 1 } }]);
    expect(h.runs.list()[0]?.ended).toBe('stop');
  });

  test('what is not accepted is refused and issues no session', async () => {
    const h = createHarness();
    expect(await h.refused(h.invoke({ input: 'script: unreachable' }))).toMatchObject({
      status: 502,
      reason: 'intern_unreachable',
    });
    expect(h.store.collection('sessions').size).toBe(0);
    expect((await h.invoke({ input: 'script: nowhere' })).status).toBe(400);
  });

  test('sessions go with their intern', async () => {
    const h = createHarness();
    await started(h, { input: 'x' });
    await started(h, { input: 'x' }, { row: h.addIntern(2) });
    h.runs.forget(h.intern.id);
    expect([...h.store.collection('sessions').values()].map((row) => row.intern_id)).toEqual([
      '00000000-0000-4000-8000-000000000002',
    ]);
  });
});
