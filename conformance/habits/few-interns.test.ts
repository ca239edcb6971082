import { expect, test } from 'vitest';
import { check, fakeTarget, runAt } from '../../test/targets/fake-target.js';

const isCreate = ({ method, url }: Request) => method === 'POST' && new URL(url).pathname === '/api/v1/interns';
const gateway = () => new Response('<html>', { status: 504 });
const full = () => Response.json({ error: { code: 403, message: 'No room' } }, { status: 403 });

const makes = (id: string) =>
  check(id, async ({ interns }) => void (await interns.stopped({ description: id })), { fresh: true });
const deletes = check('a/deletes', async ({ api, interns }) => {
  await api.remove((await interns.stopped()).id);
});

async function results(fetch: (request: Request) => Promise<Response>, checks: readonly ReturnType<typeof check>[]) {
  const { checks: done, cleanup } = await runAt({ fetch }, checks, { rate: 0, concurrency: 1 });
  return { verdicts: done.map(({ verdict }) => verdict), cleanup };
}

test('interns whose create a gateway answered are found, and make room', async () => {
  const target = fakeTarget();
  let creates = 0;
  let made = 0;
  const { verdicts, cleanup } = await results(
    async (request) => {
      if (!isCreate(request)) return target.fetch(request);
      creates++;
      if (target.interns.size >= 2) return full();
      const answer = await target.fetch(request);
      made++;
      return creates === 2 || creates === 3 ? gateway() : answer;
    },
    [deletes, makes('b/makes')],
  );
  expect(verdicts).toEqual(['pass', 'pass']);
  // As many as the service has made, also behind the gateway.
  expect(cleanup).toEqual({ created: made, deleted: made, failed: [] });
});

test('a refusal that a habit explains keeps no other check from its interns', async () => {
  const target = fakeTarget();
  let answers: (() => Response)[] = [];
  const refused = check('b/refused', async ({ interns }) => {
    answers = [gateway, full];
    await interns.stopped({ description: 'refused' });
  });
  const { verdicts } = await results(
    async (request) => (isCreate(request) ? (answers.shift()?.() ?? target.fetch(request)) : target.fetch(request)),
    [deletes, refused, makes('c/makes')],
  );
  expect(verdicts).toEqual(['pass', 'skip', 'pass']);
});
