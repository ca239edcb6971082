import { expect, test } from 'vitest';
import { Skipped } from '../framework/skip.js';
import { fakeTarget, SECRET } from '../testing/fake-target.js';
import { guardFetch } from './guard-fetch.js';
import { createLedger } from './ledger.js';
import { createOwnInterns } from './own-interns.js';

const BASE = 'https://service.test/api/v1';

/** A fetch that keeps to the rule, over a target with an intern of somebody else. */
function guarded(first?: Parameters<typeof fakeTarget>[0]) {
  const target = fakeTarget(first);
  target.interns.set('victim', { id: 'victim', name: 'theirs', status: 'running', workspace_id: 'w' });
  const ledger = createLedger();
  const fetch = guardFetch({
    fetch: target.fetch,
    baseUrl: BASE,
    own: createOwnInterns({ ledger }),
    credential: (name) => (name === 'api_key' ? SECRET : undefined),
  });
  const send = async (method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' };
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await fetch(new Request(`${BASE}${path}`, init));
    return (await response.json()) as { id: string };
  };
  return { target, ledger, send };
}

test('what a create gave may be written to, whatever it is named, once it has been read', async () => {
  const { target, ledger, send } = guarded();
  const { id } = await send('POST', '/interns', { name: 'as recorded', workspace_id: 'w' });
  await send('DELETE', `/interns/${id}`);
  expect(target.log).toEqual(['POST /api/v1/interns', `GET /api/v1/interns/${id}`, `DELETE /api/v1/interns/${id}`]);
  expect(ledger.open().map((made) => made.id)).toEqual([id]);
});

test('what is there already is read and never written to', async () => {
  const { target, send } = guarded();
  expect(await send('GET', '/interns/victim')).toMatchObject({ name: 'theirs' });
  await expect(send('PATCH', '/interns/victim', { description: 'x' })).rejects.toThrow(Skipped);
  await expect(send('POST', '/interns/victim/invoke', { input: 'x' })).rejects.toMatchObject({
    skip: { because: { kind: 'not-ours', how: 'not-made', id: 'victim' } },
  });
  expect(target.log).toEqual(['GET /api/v1/interns/victim']);
});

test('a create that answers it is a finding', async () => {
  const { send } = guarded((request) =>
    request.method === 'POST' ? Response.json({ id: 'victim', name: 'theirs' }, { status: 200 }) : undefined,
  );
  const error = await send('POST', '/interns', { name: 'as-recorded' }).catch((caught: unknown) => caught);
  expect(error).toMatchObject({
    more: { certain: true },
    found: { got: { gist: expect.stringMatching(/it bears another name/), saw: { name: 'theirs' } } },
  });
});

test('streams pass as they come', async () => {
  const { send } = guarded(({ url }) =>
    url.endsWith('/chat/completions')
      ? new Response('{}', { headers: { 'content-type': 'text/event-stream' } })
      : undefined,
  );
  const { id } = await send('POST', '/interns', { name: 'as-recorded', workspace_id: 'w' });
  expect(await send('POST', `/interns/${id}/chat/completions`, {})).toEqual({});
});
