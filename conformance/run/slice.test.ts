import { expect, test } from 'vitest';
import { check, fakeTarget, runAt } from '../../test/targets/fake-target.js';
import type { ShownExchange } from '../probe/evidence.js';
import { is } from '../rules/rule.js';
import { checkOf } from './check.js';
import type { CheckResult } from './results.js';
import { sliceCheck } from './slice.js';

/** The status of an intern is the one that its create showed. */
const kept = checkOf({
  id: 'm/kept',
  requirement: 'GET-1',
  level: 'S',
  says: 'A read shows the status of the create.',
  judge({ operation, answered, asked, id, json }) {
    if (operation.name === 'create') made.set(String(json?.id), asked.number);
    const number = made.get(String(id));
    if (operation.name !== 'get' || answered.status !== 200 || number === undefined) return undefined;
    return is('status of a get', 'stopped', json?.status, [number]);
  },
});
const made = new Map<string, number>();
const reads = check(
  'a/reads',
  async ({ api, interns }) => {
    const { json } = await api.create(interns.body());
    await api.get((json as { id: string }).id);
  },
  { needs: ['write'] },
);

/** A target whose reads show another status where it `isWrong`. */
function wrongTarget(isWrong: boolean) {
  const target = fakeTarget();
  const fetch: typeof target.fetch = async (request) => {
    const answer = await target.fetch(request);
    if (!isWrong || request.method !== 'GET' || !/interns\/./.test(request.url) || answer.status !== 200) return answer;
    return Response.json({ ...((await answer.json()) as object), status: 'running' });
  };
  return { ...target, fetch };
}

async function found(): Promise<CheckResult> {
  made.clear();
  const { checks } = await runAt(wrongTarget(true), [reads, kept]);
  const row = checks.find(({ id }) => id === 'm/kept');
  if (row === undefined) throw new Error('there is no row');
  return row;
}

test.each([
  [true, 'fail'],
  [false, 'pass'],
])(
  'the requests of a finding show it again where it is still there (%s), on interns of their own',
  async (wrong, verdict) => {
    const row = await found();
    expect(row.verdict).toBe('fail');
    const slice = sliceCheck(row);
    expect(slice?.requests).toBe(2);
    if (slice === undefined) return;
    made.clear();
    const target = wrongTarget(wrong);
    for (let other = 0; other < 3; other++)
      await target.fetch(
        new Request('https://service.test/api/v1/interns', { method: 'POST', body: '{"name":"theirs"}' }),
      );
    const before = target.log.length;
    const { checks, cleanup } = await runAt(target, [slice.check, kept]);
    expect(checks.map(({ id, verdict: is }) => [id, is])).toEqual([
      ['replay/m/kept', 'pass'],
      ['m/kept', verdict],
    ]);
    const theirs = ['id-1', 'id-2', 'id-3'];
    const writes = target.log.slice(before).filter((line) => !line.startsWith('GET '));
    expect(writes.filter((line) => theirs.some((id) => line.endsWith(id)))).toEqual([]);
    expect(cleanup.created).toBe(cleanup.deleted);
    expect([...target.interns.keys()]).toEqual(theirs);
  },
);

test('prompts, and requests that hold what a report leaves out, are no slice', async () => {
  const row = await found();
  const of = (change: (url: string) => string, body?: string) => {
    const { finding } = row;
    const transcript = finding?.transcript.map((one) => ({
      ...one,
      request: { ...one.request, url: change(one.request.url), ...(body === undefined ? {} : { body }) },
    }));
    return sliceCheck({ ...row, finding: { ...finding, transcript } } as CheckResult);
  };
  expect(of((url) => url)).toBeDefined();
  expect(of((url) => `${url}/chat/completions`)).toBeUndefined();
  expect(of((url) => url, '{"value":"[redacted]"}')).toBeUndefined();
  expect(of(() => 'https://service.test/elsewhere')).toBeUndefined();
  const { finding: _, ...plain } = row;
  expect(sliceCheck(plain as CheckResult)).toBeUndefined();
});

test('a report of somebody else leads no request to another host, and to no other path or method', async () => {
  const row = await found();
  const by = (more: Partial<ShownExchange['request']>) => {
    const { finding } = row;
    const transcript = finding?.transcript.map((one) => ({ ...one, request: { ...one.request, ...more } }));
    return sliceCheck({ ...row, finding: { ...finding, transcript } } as CheckResult);
  };
  const base = 'https://service.test/api/v1';
  expect(by({})).toBeDefined();
  expect(by({ method: 'DELETE', url: `${base}/keys/abc` })).toBeUndefined();
  expect(by({ method: 'DELETE', url: `${base}/../../other` })).toBeUndefined();
  expect(by({ method: 'PUT', url: `${base}/interns/i-1` })).toBeUndefined();
  expect(by({ headers: { authorization: 'Basic [api_key]' } })).toBeUndefined();
  expect(by({ body: '�' })).toBeUndefined();
  // Only the regional host of the user is ever sent as Host.
  const regional = by({ headers: { authorization: 'Bearer [api_key]', host: 'evil.example' } });
  expect(regional?.check.needs).toContain('regional_host');
  const target = fakeTarget();
  const hosts: string[] = [];
  const fetch: typeof target.fetch = (request) => {
    hosts.push(new URL(request.url).host, request.headers.get('host') ?? '');
    return target.fetch(request);
  };
  if (regional !== undefined) await runAt({ ...target, fetch }, [regional.check]);
  expect(hosts.filter((host) => host.includes('evil'))).toEqual([]);
});
