import { expect, test } from 'vitest';
import { fakeDriver, fakeHost, fakeTarget } from '../../test/targets/fake-target.js';
import { runChecks as run } from '../run/runner.js';
import { checks } from './index.js';

/** A service in which the first provision of an intern gets it to the first status, the next to `running`. */
function provisions(first: string) {
  const provisioned = new Map<string, number>();
  const target = fakeTarget(({ method, url }) => {
    const [, , , , id = '', rest] = new URL(url).pathname.split('/');
    const intern = target.interns.get(id);
    if (method !== 'POST' || rest !== 'provision' || intern === undefined) return undefined;
    if (intern.status === 'running')
      return Response.json(
        { error: { code: 409, message: 'No', metadata: { reason: 'intern_busy', retryable: false } } },
        { status: 409 },
      );
    const nth = (provisioned.get(id) ?? 0) + 1;
    provisioned.set(id, nth);
    intern.status = nth === 1 ? first : 'running';
    return Response.json({ provisioning: true }, { status: 202 });
  });
  return target;
}

test.each([
  ['failed', 'pass'],
  ['provisioning', 'warn'],
])('a second provision that is accepted while the intern is %s: %s', async (first, verdict) => {
  const host = fakeHost();
  const driver = fakeDriver(provisions(first).fetch, host);
  const { checks: results } = await run({ driver, host, checks, only: ['provision/only-where-it-can'], seed: 'seed' });
  expect(results.map((one) => one.verdict)).toEqual([verdict]);
});
