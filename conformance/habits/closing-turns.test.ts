import { expect, test } from 'vitest';
import { check, fakeTarget, runAt } from '../../test/targets/fake-target.js';
import type { Ctx } from '../run/context.js';
import * as expected from '../run/expect.js';

const DONE = 'data: {"choices":[]}\n\ndata: [DONE]\n\n';
const STREAM = { headers: { 'content-type': 'text/event-stream' } };

const send = async ({ send }: Ctx, id: string, json: object): Promise<void> => {
  const invokes = 'input' in json;
  const path = `/interns/${id}/${invokes ? 'invoke' : 'chat/completions'}`;
  const body = invokes ? json : { stream: true, ...json };
  expected.success(await send({ method: 'POST', path, json: body }), 'a prompt');
};
const PROMPT = { messages: [{ role: 'user', content: 'Hello.' }] };
const ANSWER = { messages: [{ role: 'tool', tool_call_id: 'call', content: 'allow_once' }] };

/** The verdict on a service that refuses the second request `times` times, `late` ms after a turn. */
async function refused(
  second: object,
  { times = 1, after = '1', late = 0, first = PROMPT as object, open = false } = {},
) {
  const target = fakeTarget();
  let sent = 0;
  const turns = check('a/turns', async (ctx) => {
    sent = 0;
    const { id } = await ctx.interns.stopped();
    await send(ctx, id, first);
    await ctx.wait(late);
    await send(ctx, id, second);
  });
  const fetch = async (request: Request) => {
    if (!/\/(chat\/completions|invoke)$/.test(request.url)) return target.fetch(request);
    const invokes = request.url.endsWith('/invoke');
    const text = open ? 'data: {"choices":[]}\n\n' : DONE;
    if (sent++ === 0 || sent > times + 1)
      return invokes
        ? Response.json({ session_id: 's', status: 'started' }, { status: 202 })
        : new Response(text, STREAM);
    const error = { code: 409, message: 'Busy', metadata: { reason: 'busy', retryable: true } };
    return Response.json({ error }, { status: 409, headers: after === '' ? {} : { 'retry-after': after } });
  };
  const { checks } = await runAt({ fetch }, [turns], { rate: 0, concurrency: 1 });
  return checks[0]?.verdict;
}

test.each([
  ['an answer', ANSWER],
  ['a prompt', PROMPT],
  ['a prompt in a session', { ...PROMPT, session_id: 's' }],
])('%s that comes before a turn is closed is sent again, once the service says so', async (_, second) => {
  expect(await refused(second)).toBe('pass');
  expect(await refused(second, { after: '60' })).not.toBe('pass');
  expect(await refused(second, { after: '' })).not.toBe('pass');
  expect(await refused(second, { times: Number.POSITIVE_INFINITY })).not.toBe('pass');
  expect(await refused(second, { late: 3_000 })).not.toBe('pass');
});

test('an invoke that steers the run of another is sent again, too, in the session that the other was given', async () => {
  const first = { input: 'Hello.' };
  expect(await refused({ ...first, session_id: 's' }, { first })).toBe('pass');
  expect(await refused({ ...first, session_id: 's' }, { first, late: 3_000 })).not.toBe('pass');
  expect(await refused({ ...first, session_id: 'other' }, { first })).not.toBe('pass');
  expect(await refused(first)).toBe('pass');
});

test('a run that goes on, as one whose client has left, puts off nobody but who steers it as it begins', async () => {
  const first = { ...PROMPT, session_id: 's' };
  const goesOn = { first, open: true };
  expect(await refused(first, goesOn)).toBe('pass');
  expect(await refused(first, { ...goesOn, late: 3_000 })).not.toBe('pass');
  expect(await refused({ ...PROMPT, session_id: 'other' }, goesOn)).not.toBe('pass');
  expect(await refused(PROMPT, goesOn)).not.toBe('pass');
});
