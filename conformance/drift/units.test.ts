import { describe, expect, test } from 'vitest';
import { fakeHost } from '../../test/targets/fake-target.js';
import type { Results } from '../run/results.js';
import { about, driftFrom, json } from './deployment.harness.js';

/** Three scenarios of two exchanges each: an intern is made and deleted. */
const made = (scenario: string) => [
  {
    ...about('create', 'POST', '', { status: 201, body: { id: '$intern.1', name: 'one' } }, { name: 'one' }),
    scenario,
  },
  { ...about('delete', 'DELETE', '/$intern.1', { status: 202, body: { deleting: true } }), scenario },
];
const LINES = ['first', 'second', 'third'].flatMap(made);

/** A deployment that makes and deletes interns. `seen` hears of each write. */
function deployment(seen: (write: number) => void = () => {}) {
  const interns = new Map<string, object>();
  let writes = 0;
  const fetch = async (request: Request): Promise<Response> => {
    const id = new URL(request.url).pathname.split('/')[4] ?? '';
    if (request.method !== 'GET') seen(++writes);
    if (request.method === 'POST') {
      const intern = { ...((await request.json()) as object), id: `id-${writes}` };
      interns.set(intern.id, intern);
      return json(201, intern);
    }
    if (id === '') return json(200, { data: [...interns.values()], has_more: false });
    if (!interns.has(id)) return json(404, { error: { code: 404, message: 'Intern not found' } });
    if (request.method === 'DELETE') interns.delete(id);
    return request.method === 'DELETE' ? json(202, { deleting: true }) : json(200, interns.get(id));
  };
  return { fetch, left: () => [...interns.keys()] };
}

const verdicts = ({ checks }: Results) => checks.map(({ id, verdict }) => `${id.split('/')[1]} ${verdict}`);
const PASSED = (...names: string[]) => names.flatMap((name) => [`${name} pass`, `${name} pass`]);

describe('scenarios are units of a run, which holds for them by what holds for checks', () => {
  test('--only takes a scenario by its name and by that of an exchange, and does it as a whole', async () => {
    for (const pattern of ['drift/second', 'drift/second/4-delete', '*/SECOND/*']) {
      const { results } = await driftFrom(LINES, deployment().fetch, { only: [pattern] });
      expect(verdicts(results)).toEqual(PASSED('second'));
      expect(results.options.only).toEqual([pattern]);
    }
  });

  test('--skip leaves out a scenario, and no whole one for an exchange of it', async () => {
    const { results } = await driftFrom(LINES, deployment().fetch, { skip: ['drift/second'] });
    expect(verdicts(results)).toEqual(PASSED('first', 'third'));
    const some = driftFrom(LINES, deployment().fetch, { skip: ['drift/second/4-delete'] });
    await expect(some).rejects.toThrow(/no scenario is called drift\/second\/4-delete: it is part of drift\/second/);
  });

  test('--shard does every n-th scenario, and the report says which part it is', async () => {
    const { results } = await driftFrom(LINES, deployment().fetch, { shard: { index: 1, of: 2 } });
    expect(verdicts(results)).toEqual(PASSED('first', 'third'));
    expect(results.options.shard).toEqual({ index: 1, of: 2 });
  });

  test('--max-time ends it, keeps what was found until then, and takes away what it made', async () => {
    let passed = 0;
    let look = () => {};
    const usual = fakeHost();
    const host = {
      ...usual,
      now: () => usual.now() + passed,
      later(ms: number, fire: () => void) {
        if (ms === 1_000) look = fire;
        return () => {};
      },
    };
    const { fetch, left } = deployment((write) => {
      if (write !== 3) return;
      passed = 60_000;
      look();
    });
    const { results } = await driftFrom(LINES, fetch, { host, maxTime: 60_000 });
    expect(results).toMatchObject({ exit: 3, verdict: 'incomplete' });
    expect(results.incomplete).toContainEqual({ kind: 'time', ms: 60_000 });
    expect(verdicts(results)).toEqual([...PASSED('first'), 'second skip', 'second skip', 'third skip', 'third skip']);
    expect(left()).toEqual([]);
  });

  test('an interrupt ends it in the same way', async () => {
    const over = new AbortController();
    const { fetch, left } = deployment((write) => (write === 3 ? over.abort() : undefined));
    const { results } = await driftFrom(LINES, fetch, { signal: over.signal });
    expect(results).toMatchObject({ exit: 3, verdict: 'incomplete' });
    expect(results.incomplete).toContainEqual({ kind: 'interrupted' });
    expect(verdicts(results)).toEqual([...PASSED('first'), 'second skip', 'second skip', 'third skip', 'third skip']);
    expect(left()).toEqual([]);
  });

  test('--max-requests ends it between scenarios too', async () => {
    // A create takes what its clean-up may take, too.
    const { results, sent } = await driftFrom(LINES, deployment().fetch, { maxRequests: 15 });
    expect(results.incomplete).toContainEqual({ kind: 'requests', most: 15 });
    expect(verdicts(results)).toEqual([...PASSED('first'), 'second skip', 'second skip', 'third skip', 'third skip']);
    expect(sent.filter((one) => one.startsWith('POST'))).toHaveLength(1);
  });

  test('--min-coverage holds for exchanges', async () => {
    const { results } = await driftFrom(LINES, deployment().fetch, { maxRequests: 15, minCoverage: 60 });
    expect(results.incomplete).toContainEqual({ kind: 'coverage', checked: 2, of: 6, least: 60 });
  });

  test('a finding is done again by its scenario', async () => {
    const broken = async (request: Request) => {
      const answer = await deployment().fetch(request);
      return request.method === 'POST' ? json(201, { id: 5 }) : answer;
    };
    const { results } = await driftFrom(LINES, broken, {
      only: ['drift/first'],
      command: 'intern-conformance drift a.jsonl',
    });
    expect(results.checks[0]?.finding?.replay).toContain('drift a.jsonl --only drift/first #');
  });
});
