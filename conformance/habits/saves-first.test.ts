import { expect, test } from 'vitest';
import { check, fakeTarget, runAt } from '../../test/targets/fake-target.js';
import * as expected from '../run/expect.js';

/** The verdict on a service that refuses the provision after a suspend, `times` times. */
async function refused({ times = 1, after = '1', late = 0 } = {}) {
  const target = fakeTarget();
  let provisions = 0;
  const turns = check('a/resume', async (ctx) => {
    provisions = 0;
    const { id } = await ctx.interns.stopped();
    const write = (path: string) => ctx.send({ method: 'POST', path: `/interns/${id}/${path}` });
    expected.success(await write('suspend'), 'a suspend');
    await ctx.wait(late);
    expected.success(await write('provision'), 'a provision');
  });
  const fetch = async (request: Request) => {
    if (!/\/(suspend|provision)$/.test(request.url)) return target.fetch(request);
    if (request.url.endsWith('/suspend') || provisions++ >= times) return Response.json({}, { status: 202 });
    const error = { code: 409, message: 'Busy', metadata: { reason: 'intern_busy', retryable: true } };
    return Response.json({ error }, { status: 409, headers: after === '' ? {} : { 'retry-after': after } });
  };
  const { checks } = await runAt({ fetch }, [turns], { rate: 0, concurrency: 1 });
  return checks[0]?.verdict;
}

test('a provision that comes before a suspend has settled is sent again, once the service says so', async () => {
  expect(await refused()).toBe('pass');
  expect(await refused({ after: '60' })).not.toBe('pass');
  expect(await refused({ after: '' })).not.toBe('pass');
  expect(await refused({ times: Number.POSITIVE_INFINITY })).not.toBe('pass');
  expect(await refused({ late: 30_000 })).not.toBe('pass');
});
