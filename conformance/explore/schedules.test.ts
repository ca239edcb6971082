import { expect, test } from 'vitest';
import { matchMoments, momentsOf } from './moments.js';
import { singlesOf } from './schedules.js';
import type { SeenRequest } from './types.js';

const ID = '00000000-0000-4000-8000-000000000001';

/** Reads of an intern until it runs, as a program that polls sends them. */
const polls = (booting: number): SeenRequest[] =>
  [...Array<string>(booting).fill('provisioning'), 'running'].map((status, at) => ({
    n: at + 1,
    operation: 'get',
    nth: at + 1,
    method: 'GET',
    path: `/interns/${ID}`,
    at,
    body: '',
    status: 200,
    answer: `{"id":"${ID}","status":"${status}"}`,
    ended: 'complete',
  }));

/** A prompt, and the stream of its reply. */
const said: SeenRequest = {
  n: 1,
  operation: 'chat',
  nth: 1,
  method: 'POST',
  path: `/interns/${ID}/chat/completions`,
  at: 0,
  body: '',
  status: 200,
  answer: '',
  writes: ['first', 'content:1', 'before-finish', 'before-final', 'before-done'].map((name) => ({
    at: 1,
    text: '',
    names: [name],
  })),
  ended: 'complete',
};

/** The schedules of two undisturbed runs, by kind. */
function planned(one: SeenRequest[], other: SeenRequest[], kind: string): string[] {
  const [first, second] = [one, other].map((requests) => momentsOf({ requests }, 'default'));
  const matched = matchMoments(first ?? [], second ?? []);
  const schedules = singlesOf(matched, [one, other], () => false);
  return schedules.filter((schedule) => schedule.kind === kind).map(({ id }) => id);
}

test.each([
  ['the first polls once more', 3, 2],
  ['the second polls once more', 2, 3],
])('an intern has another status at the first read that shows it running in either run: %s', (_, one, other) => {
  for (const kind of ['slow-boot', 'other-status'])
    expect(planned(polls(one), polls(other), kind).sort()).toEqual([`${kind} @ get 3`, `${kind} @ get 4`]);
  // Nothing else happens at a read that only one of them sends.
  expect(planned(polls(one), polls(other), 'unknown-fields')).toHaveLength(3);
});

test('where both see it at the same read, that one alone', () => {
  expect(planned(polls(2), polls(2), 'slow-boot')).toEqual(['slow-boot @ get 3']);
});

test('silences are spread among the first half of the rest, so that none of them is waited for at the end', () => {
  const moments = momentsOf({ requests: [said] }, 'default');
  const kinds = singlesOf(matchMoments(moments, moments), [[said], [said]], () => false).map(({ kind }) => kind);
  const places = kinds.flatMap((kind, at) => (kind === 'stall' || kind === 'silence' ? [at] : []));
  expect(kinds[0]).toBe('lost');
  const between = places.slice(1).map((at, n) => at - (places[n] ?? 0));
  expect(places.length).toBe(6);
  expect(Math.min(...between)).toBeGreaterThan(2);
  expect(places.at(-1)).toBeLessThanOrEqual(kinds.length / 2);
});
