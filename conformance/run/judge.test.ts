import { describe, expect, test } from 'vitest';
import { check, type FakeTarget, fakeHost, fakeTarget, runAt } from '../../test/targets/fake-target.js';
import { Finding } from '../model/finding.js';
import type { Check } from './check.js';
import { answered, status as expectStatus } from './expect.js';

/** The answer of a gateway. */
const html = () => new Response('<h1>503</h1>', { status: 503, headers: { 'content-type': 'text/html' } });

/** The result of one check. */
const resultOf = async (tried: Check, target: FakeTarget, host = fakeHost()) => {
  const [result] = (await runAt(target, [tried], { host, runs: 1, concurrency: 1 })).checks;
  if (result === undefined) throw new Error('no result');
  return result;
};

describe('a write that a gateway answers', () => {
  const own = () =>
    Response.json(
      { error: { code: 503, message: 'Not now', metadata: { reason: 'x', retryable: true } } },
      { status: 503 },
    );
  /** Its change is done, whatever is answered, and each that follows is refused. */
  const once = (answers: (nth: number) => Response | undefined) => {
    const done = new Set<string>();
    let changes = 0;
    return fakeTarget(({ method, url }) => {
      if (method !== 'PATCH') return undefined;
      const again = done.has(url);
      done.add(url);
      changes++;
      return answers(changes) ?? (again ? Response.json({}, { status: 409 }) : Response.json({}));
    });
  };
  const changes = check('a/changes', async ({ api, interns }) => {
    const { id } = await interns.stopped({ description: 'its own' });
    const change = () => api.update(id, { description: 'x' });
    if ((await change()).status >= 500) answered(await change(), [418], 'the change');
  });

  test('may have been done: what does not fit after it is looked at from the beginning', async () => {
    const result = await resultOf(
      changes,
      once((nth) => (nth === 1 ? html() : undefined)),
    );
    expect(result.verdict).toBe('pass');
  });

  test('each time keeps a check from a verdict, not for what the gateway answers', async () => {
    const { skip } = await resultOf(
      changes,
      once((nth) => (nth % 2 === 1 ? html() : undefined)),
    );
    expect(skip).toMatchObject({ need: 'a gateway that loses no request', kind: 'race' });
    expect(skip?.why).toMatch(/PATCH .*: 503/);
  });

  test('is held against the service where it answers so itself, or where that is all that it answers', async () => {
    for (const answers of [(nth: number) => (nth % 2 === 1 ? own() : undefined), html])
      expect((await resultOf(changes, once(answers))).verdict).toBe('fail');
  });
});

describe('what comes at another request each time', () => {
  /** Refuses each of ten changes, but the nth of each try, which a gateway answers. */
  const refuses = (lost: (nth: number) => number) => {
    let tries = -1;
    const ids: string[] = [];
    const target = fakeTarget(({ method, url }) => {
      if (method !== 'PATCH') return undefined;
      const which = ids.indexOf(url.split('/').at(-1) ?? '');
      if (which === 0) tries++;
      return which === lost(tries) ? html() : Response.json({ error: { code: 400, message: 'No' } }, { status: 400 });
    });
    const asks = check(
      'a/asks',
      async ({ api, interns }) => {
        for (let which = 0; which < 10; which++) {
          const id = ids[which] ?? interns.unknownId();
          ids[which] = id;
          expectStatus(await api.update(id, {}), 400, `change ${which}`);
        }
      },
      { needs: [] },
    );
    return { target, asks };
  };

  test('is nothing of the service', async () => {
    const { target, asks } = refuses((tries) => tries % 10);
    expect((await resultOf(asks, target)).skip).toMatchObject({
      need: 'requests that are answered as before',
      kind: 'race',
    });
  });

  test('is reported where it comes at the same one', async () => {
    const { target, asks } = refuses(() => 5);
    expect((await resultOf(asks, target)).finding).toMatchObject({ actual: expect.stringMatching(/^503/) });
  });

  test('does not replace why a check could not be done before', async () => {
    let tries = 0;
    const target = fakeTarget(({ method }) => {
      if (method !== 'PATCH') return undefined;
      const headers = { 'retry-after': '999' };
      return ++tries < 3 ? new Response('{}', { status: 429, headers }) : html();
    });
    const asks = check(
      'a/asks',
      async ({ api, interns }) => expectStatus(await api.update(interns.unknownId(), {}), 400, 'the change'),
      { needs: [] },
    );
    expect((await resultOf(asks, target)).skip?.why).toMatch(/it could not do it now: .*429/);
  });

  test('does not stand for the repetition of a finding', async () => {
    let tries = 0;
    let first: string | undefined;
    const target = fakeTarget(({ method, url }) => {
      if (method !== 'PATCH') return undefined;
      const isFirst = url.endsWith(`/${first}`);
      if (isFirst) tries++;
      if (isFirst && tries === 2) return html();
      return Response.json({}, { status: isFirst ? 200 : 404 });
    });
    const asks = check(
      'a/asks',
      async ({ api, interns }) => {
        first ??= interns.unknownId();
        expectStatus(await api.update(first, {}), 200, 'the first change');
        expectStatus(await api.update(interns.unknownId(), {}), 200, 'the other change');
      },
      { needs: [] },
    );
    expect((await resultOf(asks, target)).finding).toMatchObject({
      what: 'status of the other change',
    });
    expect(tries).toBe(3);
  });
});

test('what is wrong each time, and each time otherwise, is kept as what it is', async () => {
  let tries = 0;
  const target = fakeTarget(({ method }) =>
    method === 'PATCH' ? Response.json({}, { status: ++tries === 1 ? 200 : 201 }) : undefined,
  );
  const asks = check(
    'a/asks',
    async ({ api, interns }) => {
      const { status } = await api.update(interns.unknownId(), {});
      if (status === 200)
        throw new Finding({
          wanted: { kind: 'value', path: 'one', rule: { kind: 'is', value: 1 } },
          got: 2,
          of: 'one',
        });
      expectStatus(await api.update(interns.unknownId(), {}), 404, 'the change');
    },
    { needs: [] },
  );
  const { verdict, finding, note } = await resultOf(asks, target);
  expect(verdict).toBe('fail');
  expect(finding).toMatchObject({ of: 'the change', others: [{ of: 'one', got: 2 }] });
  expect(note).toMatchObject({ of: 'one' });
});

test('an intern that somebody else deletes is held against nobody, where it is only named in a request', async () => {
  const target = fakeTarget(async (request) => {
    if (request.method !== 'POST') return undefined;
    const { vault_id: vault } = (await request.clone().json()) as { vault_id?: string };
    if (vault === undefined || target.interns.has(vault)) return undefined;
    return Response.json({ error: { code: 409, message: 'No such vault' } }, { status: 409 });
  });
  let tidied = false;
  const leaves = check('a/leaves', async ({ interns }) => void (await interns.stopped()));
  const attaches = check('b/attaches', async ({ interns, api }) => {
    const { id } = await interns.stopped();
    if (!tidied) target.interns.delete(id);
    tidied = true;
    expectStatus(await api.create(interns.body({ vault_id: id })), 201, 'a create');
  });
  const { checks } = await runAt(target, [leaves, attaches], { concurrency: 1 });
  expect(checks.map(({ verdict }) => verdict)).toEqual(['pass', 'pass']);
});

test('an answer that may be tried again is known by its body', async () => {
  const error = { code: 500, message: 'Not now', metadata: { reason: 'internal_error', retryable: true } };
  const target = fakeTarget(({ method }) =>
    method === 'PATCH' ? Response.json({ error }, { status: 500 }) : undefined,
  );
  const asks = check(
    'a/asks',
    async ({ api, interns }) => expectStatus(await api.update(interns.unknownId(), {}), 200, 'a change'),
    { needs: [] },
  );
  expect((await resultOf(asks, target)).skip?.need).toBe('a target that can do it now');
});

test('an intern that a check left with a question, read by the check itself, may be busy with it', async () => {
  const asks = 'data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n';
  const error = { code: 409, message: 'Busy', metadata: { reason: 'busy', retryable: true } };
  const talked = new Set<string>();
  const target = fakeTarget(({ method, url }) => {
    const [, id = '', act] = /interns\/([^/]+)\/(suspend|provision)$/.exec(url) ?? [];
    const intern = target.interns.get(id);
    if (intern !== undefined) {
      intern.status = act === 'suspend' ? 'stopped' : 'running';
      talked.clear();
      return Response.json(intern);
    }
    if (method !== 'POST' || !url.endsWith('/chat/completions')) return undefined;
    if (talked.has(url)) return Response.json({ error }, { status: 409 });
    talked.add(url);
    return new Response(asks, { headers: { 'content-type': 'text/event-stream' } });
  });
  const prompts = check(
    'a/prompts',
    async ({ interns, open }) => {
      const { id } = await interns.running();
      const path = `/interns/${id}/chat/completions`;
      const json = { messages: [{ role: 'user', content: 'Hello.' }], stream: true };
      for (let nth = 0; nth < 2; nth++) {
        const answer = await (await open({ method: 'POST', path, json })).whole();
        expectStatus(answer, 200, 'a prompt');
      }
    },
    { needs: ['running'] },
  );
  expect(await resultOf(prompts, target)).toMatchObject({ verdict: 'skip', skip: { kind: 'race' } });
});

test('a create that is refused because others deleted what it names is held against nobody', async () => {
  const host = fakeHost();
  const target = fakeTarget(async (request) => {
    if (request.method !== 'POST') return undefined;
    const { vault_id: vault } = (await request.clone().json()) as { vault_id?: string };
    if (vault === undefined) return undefined;
    // Somebody tidies up whatever there is.
    await host.sleep(20_000);
    target.interns.clear();
    return Response.json({ error: { code: 409, message: 'No such vault' } }, { status: 409 });
  });
  const attaches = check('a/attaches', async ({ interns, api }) => {
    const { id } = await interns.stopped();
    expectStatus(await api.create(interns.body({ vault_id: id })), 201, 'a create');
  });
  expect((await resultOf(attaches, target, host)).skip).toMatchObject({ kind: 'race', because: { kind: 'deleted' } });
});
