import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isScripted, readCases } from '../../emulator/contract/client-case.js';
import { bodyOf } from '../../emulator/lab/body.js';
import { cases } from '../../emulator/lab/cases.js';
import { CLIENT_CASES } from '../../scripts/client-cases/index.js';
import * as lab from './index.js';

test.each(CLIENT_CASES)(
  'fixtures/client-cases/$name is what its tables make: else npm run client-cases',
  ({ name, text, cases }) => {
    const kept = readFileSync(new URL(`../../fixtures/client-cases/${name}`, import.meta.url), 'utf8');
    expect(kept === text).toBe(true);
    expect(readCases(JSON.parse(kept))).toHaveLength(cases.length);
  },
);

test('there are at least 120 cases, each with an id of its own', () => {
  expect(cases.length).toBeGreaterThanOrEqual(120);
  expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
});

test('the entry of the lab offers what a parser author needs: each cut of a case, served and judged', async () => {
  const crlf = lab.cases.find(({ id }) => id === 'sse-crlf');
  if (crlf === undefined) throw new Error('there is no case sse-crlf');
  const ways = lab.cutsOf(crlf, { cuts: 'few', seed: 'lab' });
  expect(ways.length).toBeGreaterThan(3);
  const bodies = await Promise.all(ways.map((cuts) => lab.serve(crlf, cuts).text()));
  expect(new Set(bodies).size).toBe(1);
  expect(
    lab.judge(crlf, { outcome: 'complete', ...(crlf.expect.events && { events: crlf.expect.events }) }),
  ).toMatchObject({ verdict: 'pass' });
});

test('class and expectation say the same', () => {
  for (const { id, class: kind, expect: expected, alternatives = [] } of cases) {
    expect([id, kind === 'either']).toEqual([id, alternatives.length > 0]);
    if (kind !== 'either') expect([id, expected.outcome === 'error']).toEqual([id, kind === 'invalid']);
  }
});

test('a case that is splittable is one exchange of bytes alone', () => {
  for (const { id, exchanges, flags } of cases) {
    if (flags?.includes('splittable') !== true) continue;
    expect([id, exchanges.length]).toEqual([id, 1]);
    for (const exchange of exchanges) {
      const plain = isScripted(exchange) && exchange.steps.every((step) => 'write' in step || 'write_base64' in step);
      expect([id, plain]).toEqual([id, true]);
    }
  }
});

test('every kind of situation that the lab promises has cases', () => {
  const count = (prefix: string) => cases.filter(({ id }) => id.startsWith(prefix)).length;
  for (const prefix of [
    'sse-utf8',
    'sse-bom',
    'sse-comment',
    'sse-end',
    'http-retry-after',
    'http-redirect',
    'chat-tool',
    'sign-path',
  ])
    expect([prefix, count(prefix) >= 5]).toEqual([prefix, true]);
});

test('the long line is 10 MB', () => {
  const exchange = cases.find(({ id }) => id === 'sse-long-line')?.exchanges[0];
  expect(exchange && isScripted(exchange) && bodyOf(exchange).length).toBeGreaterThan(10 * 1024 * 1024);
});

test('a file of format 1 is read, one of another is refused in a line', () => {
  const [first] = cases;
  expect(readCases({ format: 1, cases: [first] })).toEqual([first]);
  expect(() => readCases({ format: 3, cases: [] })).toThrow(/^format: expected 1 or 2/);
  expect(() => readCases({ format: 2, cases: [{ ...first, needs: ['telepathy'] }] })).toThrow(/needs/);
});

test('a case that sets a limit needs the ability to keep it', () => {
  for (const { id, needs = [], run, exchanges } of cases) {
    const abilities: readonly string[] = needs;
    expect([id, abilities.includes('idle')]).toEqual([id, run?.idle_limit !== undefined]);
    expect([id, abilities.includes('abort')]).toEqual([id, run?.abort !== undefined]);
    const secure = exchanges.filter(isScripted).some(({ protocol }) => protocol === 'h2');
    expect([id, abilities.includes('h2')]).toEqual([id, secure]);
  }
});

test('every case of silence, aborts and transport names a thread that was read', () => {
  const bare = cases.filter(({ id, seen }) => /^(idle|abort|h2|coding|chat-gateway)-/.test(id) && seen.length === 0);
  expect(bare.map(({ id }) => id)).toEqual([]);
});
