import { describe, expect, test } from 'vitest';
import type { Behaviour } from '../scripts/behaviour.js';
import { createHarness, type Harness, listen, type ParsedStream } from './chat.harness.js';

const ACCEPT = '{"action":"accept","content":{"name":"Ada"}}';

/** A run of `ask-twice` that waits on its first question. */
async function asking(
  h: Harness,
  more?: Record<string, unknown>,
): Promise<ParsedStream & { sessionId: string; callId: string }> {
  const said = await (await h.say('ask-twice', more)).end();
  return { ...said, sessionId: said.sessionId ?? '', callId: said.call?.id ?? '' };
}

describe('answers', () => {
  test('the stream goes on exactly where it paused, under the id of the same session', async () => {
    const h = createHarness();
    const q = await asking(h);
    expect(h.runs.list()[0]).toMatchObject({
      status: 'waiting',
      question: { id: q.callId, deadline: '2026-01-01T00:05:00.000Z', ask: { kind: 'elicitation' } },
    });
    const next = await listen(await h.reply(q.sessionId, q.callId, ACCEPT)).end();
    expect(next.content).toBe('Thank you. ');
    expect(next.sessionId).toBe(q.sessionId);
    expect(h.runs.list()).toHaveLength(1);
  });

  test('what is unacceptable is refused, and the question stays as it was', async () => {
    const h = createHarness();
    const q = await asking(h);
    await h.clock.advance(100_000);
    for (const content of [
      'yes',
      '[]',
      'null',
      '"accept"',
      '{"action":"allow_once"}',
      '{"action":"accept"}',
      '{"action":"accept","content":{}}',
      '{"action":"accept","content":{"name":7}}',
      '{"action":"accept","content":[]}',
      null,
      '',
    ]) {
      const refused = await h.refused(h.reply(q.sessionId, q.callId, content));
      expect(refused, String(content)).toMatchObject({ status: 400, reason: 'bad_request' });
    }
    expect(h.runs.list()[0]?.question).toMatchObject({ id: q.callId, deadline: '2026-01-01T00:05:00.000Z' });
    expect((await h.reply(q.sessionId, q.callId, [{ type: 'text', text: ACCEPT }])).status).toBe(200);
  });

  test('a listed option is needed where options are listed', async () => {
    const h = createHarness();
    const q = await (await h.say('ask-question')).end();
    const green = '{"action":"accept","content":{"answer":"green"}}';
    expect((await h.refused(h.reply(q.sessionId, q.call?.id, green))).message).toContain('["red","blue"]');
    const blue = '{"action":"accept","content":{"answer":"blue"}}';
    expect((await listen(await h.reply(q.sessionId, q.call?.id, blue)).end()).content).toBe('Blue it is.');
  });

  test('types: an integer is no fraction, a boolean no string', async () => {
    const h = createHarness();
    const q = await asking(h);
    const second = await listen(await h.reply(q.sessionId, q.callId, ACCEPT)).end();
    const send = (content: unknown) =>
      h.reply(q.sessionId, second.call?.id, JSON.stringify({ action: 'accept', content }));
    for (const content of [{ count: 1.5 }, { count: '1' }, { count: 1, urgent: 'no' }, { count: null }]) {
      expect((await send(content)).status).toBe(400);
    }
    const last = await listen(await send({ count: 1, urgent: false, more: 'is ignored' })).end();
    expect(last.content).toBe('Noted.');
  });

  test('a permission takes an offered option or cancel, and nothing else', async () => {
    const h = createHarness();
    const q = await (await h.say('ask-permission', { approval_mode: 'manual' })).end();
    for (const content of ['allow', ' allow_once', '{"action":"accept"}']) {
      expect((await h.reply(q.sessionId, q.call?.id, content)).status).toBe(400);
    }
    expect((await listen(await h.reply(q.sessionId, q.call?.id, 'cancel')).end()).content).toBe('Cancelled.');
  });

  test('the order of refusals of a reply', async () => {
    const h = createHarness();
    const q = await asking(h);
    expect((await h.reply(undefined, q.callId, ACCEPT)).status).toBe(400);
    const unknown = { status: 404, reason: 'interaction_unknown' };
    expect(await h.refused(h.reply(q.sessionId, 'call_x', ACCEPT))).toMatchObject(unknown);
    expect(await h.refused(h.reply('elsewhere', q.callId, ACCEPT))).toMatchObject(unknown);
    const other = h.addIntern(2);
    expect(await h.refused(h.reply(q.sessionId, q.callId, ACCEPT, { row: other }))).toMatchObject(unknown);

    // Another run of the intern streams.
    const busy = await h.say('never-ends');
    expect(await h.refused(h.reply(q.sessionId, q.callId, 'nonsense'))).toMatchObject({
      status: 409,
      reason: 'busy',
      retryAfter: '1',
    });
    await busy.cancel();

    // Answered: the old question is no longer the pending one.
    const second = await listen(await h.reply(q.sessionId, q.callId, ACCEPT)).end();
    expect(await h.refused(h.reply(q.sessionId, q.callId, ACCEPT))).toMatchObject({
      status: 409,
      reason: 'interaction_not_pending',
    });
    await listen(await h.reply(q.sessionId, second.call?.id, '{"action":"cancel"}')).end();
    expect(await h.refused(h.reply(q.sessionId, second.call?.id, ACCEPT))).toMatchObject({
      status: 409,
      reason: 'interaction_not_pending',
    });
  });

  test('of racing answers one is delivered', async () => {
    const slowly: Behaviour = {
      name: 'slowly',
      async *turn(_turn, { clock }) {
        yield { ask: { kind: 'elicitation', message: '?', fields: [] } };
        yield { say: 'go' };
        await clock.sleep(1_000);
      },
    };
    const h = createHarness({ scripts: [slowly] });
    const q = await (await h.say('slowly')).end();
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => h.reply(q.sessionId, q.call?.id, '{"action":"accept"}')),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409, 409, 409, 409]);
    for (const answer of answers) {
      if (answer.status === 409) expect((await h.refused(answer)).reason).toBe('attachment_failed');
    }
    const delivered = answers.find((answer) => answer.status === 200);
    const rest = listen(delivered as Response);
    await h.clock.advance(1_000);
    expect(await rest.end()).toMatchObject({ content: 'go', finish: 'stop' });
  });

  test('approval_mode belongs to the run: a reply keeps it, the next prompt has to repeat it', async () => {
    const twice: Behaviour = {
      name: 'two-permissions',
      async *turn() {
        for (const operation of ['shell', 'browser']) {
          const got = yield { ask: { kind: 'permission', operation, options: ['reject_once', 'allow_always'] } };
          yield { say: `${operation}: ${String(got)}. ` };
        }
      },
    };
    const h = createHarness({ scripts: [twice] });
    const first = await (await h.say('two-permissions', { approval_mode: 'manual' })).end();
    const body = {
      stream: true,
      session_id: first.sessionId,
      approval_mode: 'self-drive',
      messages: [{ role: 'tool', tool_call_id: first.call?.id, content: 'reject_once' }],
    };
    expect((await h.chat({ ...body, approval_mode: 'maybe' })).status).toBe(400);
    const second = await listen(await h.chat(body)).end();
    expect(second).toMatchObject({ content: 'shell: reject_once. ', finish: 'tool_calls' });
    expect((await listen(await h.reply(first.sessionId, second.call?.id, 'allow_always')).end()).finish).toBe('stop');
    const again = await (await h.say('two-permissions', { session_id: first.sessionId })).end();
    expect(again.content).toBe('shell: allow_always. browser: allow_always. ');
  });

  test('more than 64 waiting runs refuse the next prompt, not the answers', async () => {
    const h = createHarness();
    const asked: ParsedStream[] = [];
    for (let i = 0; i < 65; i++) asked.push(await (await h.say('ask-question')).end());
    await h.clock.advance(60_000);
    expect(await h.refused(h.prompt('one more'))).toEqual({
      status: 503,
      reason: 'busy',
      message: 'Too many runs of this intern wait on questions',
      retryAfter: '240',
    });
    expect((await h.prompt('another intern', {}, { row: h.addIntern(2) })).status).toBe(200);
    const [first] = asked;
    await listen(await h.reply(first?.sessionId, first?.call?.id, '{"action":"decline"}')).end();
    expect((await h.prompt('one more')).status).toBe(200);
  });

  test('of ended runs the newest 1,000 of an intern are remembered', async () => {
    const h = createHarness();
    const first = await (await h.say('ask-question')).end();
    await listen(await h.reply(first.sessionId, first.call?.id, '{"action":"decline"}')).end();
    for (let i = 0; i < 1_000; i++) await listen(await h.prompt('x')).end();
    expect(h.runs.list(h.intern.id)).toHaveLength(1_000);
    expect(h.runs.list()[0]?.ended).toBe('stop');
    expect((await h.refused(h.reply(first.sessionId, first.call?.id, '{"action":"decline"}'))).status).toBe(404);
  });
});
