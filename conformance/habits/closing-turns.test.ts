import { expect, test } from 'vitest';
import { check, fakeTarget, runAt } from '../../test/targets/fake-target.js';
import * as expected from '../framework/expect.js';

const answers = check('a/answers', async ({ interns, send }) => {
  const { id } = await interns.stopped();
  const json = { messages: [{ role: 'tool', tool_call_id: 'call', content: 'allow_once' }], stream: true };
  expected.status(await send({ method: 'POST', path: `/interns/${id}/chat/completions`, json }), 200, 'an answer');
});

/** The verdict on a service that refuses an answer so often, with `Retry-After` or without. */
async function refused(times: number, after?: string) {
  const target = fakeTarget();
  let sent = 0;
  const { checks } = await runAt(
    {
      fetch: async (request) => {
        if (!request.url.endsWith('/chat/completions')) return target.fetch(request);
        const error = { code: 409, message: 'Busy', metadata: { reason: 'busy', retryable: true } };
        const headers: Record<string, string> = after === undefined ? {} : { 'retry-after': after };
        return sent++ < times ? Response.json({ error }, { status: 409, headers }) : Response.json({});
      },
    },
    [answers],
    { rate: 0, concurrency: 1 },
  );
  return checks[0]?.verdict;
}

test('an answer that comes before its turn is closed is sent again, once the service says so', async () => {
  expect(await refused(1, '1')).toBe('pass');
  expect(await refused(1, '60')).not.toBe('pass');
  expect(await refused(1)).not.toBe('pass');
  expect(await refused(Number.POSITIVE_INFINITY, '1')).not.toBe('pass');
});
