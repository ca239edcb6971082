import { describe, expect, test } from 'vitest';
import type { Watched } from '../../framework/watch.js';
import { LIVES_AS_MET } from './lives.js';
import { found, met, watchOf } from './met.harness.js';

/** A watch, and a clock of its own: each step is an exchange, a number lets so many seconds pass. */
function follow(id: 'status' | 'list-whole', ...steps: readonly (number | Parameters<typeof met>)[]): string[] {
  let now = 0;
  const over: Partial<Watched> = { now: () => now };
  const watch = watchOf(LIVES_AS_MET, `as-met/${id}`, over);
  return steps.flatMap((step) => {
    if (typeof step !== 'number') return found(watch, met(...step));
    now += step * 1_000;
    return [];
  });
}

type Step = Parameters<typeof met>;
const created = (id = 'own-1'): Step => ['POST', '/interns', 201, { id, status: 'stopped' }];
const read = (status: string, id = 'own-1'): Step => ['GET', `/interns/${id}`, 200, { id, status }];
const gone = (id = 'own-1'): Step => ['GET', `/interns/${id}`, 404, { error: { code: 404 } }];
const act = (path: string, status: number, id = 'own-1'): Step => ['POST', `/interns/${id}/${path}`, status, {}];
const removed = (status: number, id = 'own-1'): Step => ['DELETE', `/interns/${id}`, status, {}];
const list = (rows: Readonly<Record<string, string>>, more: object = { has_more: false }, query = ''): Step => [
  'GET',
  `/interns${query}`,
  200,
  { data: Object.entries(rows).map(([id, status]) => ({ id, status })), ...more },
];

/** Another intern that stays as it is for a minute, whatever nobody asks for. */
const STAYS = (status: string): readonly (number | Step)[] => [
  created('own-2'),
  created(),
  read(status, 'own-2'),
  60,
  read(status, 'own-2'),
];

describe('a suspended intern', () => {
  const suspended = [created(), read('running'), act('suspend', 200), read('stopped'), 10];
  test.each<[string, readonly (number | Step)[], readonly string[]]>([
    ['comes back by itself', [read('running')], ['status of a suspended intern']],
    ['comes back in a list', [list({ 'own-1': 'provisioning' })], ['status of a suspended intern']],
    ['is provisioned', [act('provision', 202), read('running')], []],
    ['may have been provisioned by a request that failed', [act('provision', 502), read('running')], []],
    ['may wake for a prompt', [act('chat/completions', 409), read('running')], []],
    ['stays', [read('stopped'), 60, read('stopped')], []],
    ['has a status of its own', [read('asleep'), read('running')], []],
  ])('%s', (_, steps, wrong) => expect(follow('status', ...suspended, ...steps)).toEqual(wrong));

  test('may be shown as it was for some seconds', () => {
    expect(follow('status', ...suspended.slice(0, -1), read('running'), read('stopped'))).toEqual([]);
  });
});

describe('what is refused', () => {
  const OF = (name: string) => [`status after a refused ${name}`];
  test.each<[string, readonly (number | Step)[], readonly string[]]>([
    ['a suspend', [...STAYS('running'), read('running'), 10, act('suspend', 404), read('stopped')], OF('suspend')],
    [
      'a provision',
      [...STAYS('stopped'), read('stopped'), 10, act('provision', 400), read('provisioning')],
      OF('provision'),
    ],
    [
      'a delete',
      [...STAYS('stopped'), read('stopped'), 10, read('stopped', 'own-2'), removed(415), gone()],
      OF('delete'),
    ],
    [
      'a delete, in a list',
      [...STAYS('stopped'), read('stopped'), 10, removed(415), list({ 'own-1': 'destroying', 'own-2': 'stopped' })],
      OF('delete'),
    ],
  ])('%s is not done', (_, steps, wrong) => expect(follow('status', ...steps)).toEqual(wrong));

  test.each<[string, readonly (number | Step)[]]>([
    [
      'the service may suspend what is idle for so long',
      [created(), read('running'), 10, act('suspend', 404), read('stopped')],
    ],
    [
      'it does',
      [
        ...STAYS('running'),
        created('own-3'),
        read('running', 'own-3'),
        read('stopped', 'own-3'),
        read('running'),
        10,
        act('suspend', 404),
        read('stopped'),
      ],
    ],
    ['others may delete what is so old', [created('own-2'), created(), read('stopped'), 10, removed(415), gone()]],
    [
      'they do',
      [
        ...STAYS('stopped'),
        created('own-3'),
        read('stopped', 'own-3'),
        gone('own-3'),
        read('stopped'),
        10,
        removed(415),
        gone(),
      ],
    ],
    [
      'a 409 may say that it is under way',
      [...STAYS('running'), read('running'), 10, act('suspend', 409), read('stopped')],
    ],
    [
      'a suspend before may have gone on',
      [...STAYS('running'), act('suspend', 200), read('running'), 10, act('suspend', 404), read('stopped')],
    ],
    [
      'a key that does not see it reads nothing',
      [
        ...STAYS('stopped'),
        read('stopped'),
        10,
        removed(404),
        [...gone(), { as: 'foreign_api_key' }] as unknown as Step,
      ],
    ],
  ])('%s', (_, steps) => expect(follow('status', ...steps)).toEqual([]));
});

describe('what is accepted', () => {
  test.each<[string, readonly (number | Step)[], readonly string[]]>([
    ['a delete is done', [removed(202), 130, read('stopped')], ['status after an accepted delete']],
    [
      'a suspend is done',
      [read('running'), act('suspend', 200), 130, read('running')],
      ['status after an accepted suspend'],
    ],
    ['a delete takes its time', [removed(202), 30, read('stopped'), 30, read('destroying'), 60, gone()], []],
    ['a suspend takes its time', [act('suspend', 200), 60, read('running'), 30, read('stopped')], []],
    [
      'a delete that takes much longer than another is not done',
      [created('own-2'), removed(202, 'own-2'), gone('own-2'), removed(202), 30, read('stopped')],
      ['status after an accepted delete'],
    ],
    [
      'what is gone stays away',
      [removed(202), gone(), 10, list({ 'own-1': 'destroying' })],
      ['status of an intern that was torn down'],
    ],
    ['a list may lag', [removed(202), gone(), 2, list({ 'own-1': 'destroying' })], []],
    ['a teardown may fail', [removed(202), read('destroying'), 60, read('destroy_failed')], []],
  ])('%s', (_, steps, wrong) => expect(follow('status', created(), ...steps)).toEqual(wrong));
});

test('whose suspend, provision or delete was refused is seen once more', () => {
  const watch = watchOf(LIVES_AS_MET, 'as-met/status');
  found(watch, met(...created()), met(...read('stopped')), met(...removed(404)));
  expect([...(watch.unread ?? [])]).toEqual(['own-1']);
  found(watch, met(...read('stopped')));
  expect([...(watch.unread ?? [])]).toEqual([]);
});

describe('a whole list', () => {
  const there = [created(), read('stopped'), 10] as const;
  const LACKS = ['interns that a list leaves out'];
  test.each<[string, readonly (number | Step)[], readonly string[]]>([
    ['lacks one that is there', [list({})], LACKS],
    ['lacks one that is there, by workspace', [list({}, { has_more: false }, '?workspace_id=workspace')], LACKS],
    ['lacks it twice, and a read shows it', [list({}), read('stopped'), list({})], [...LACKS, ...LACKS]],
    ['lacks it twice, and nobody has looked whether others deleted it', [list({}), list({})], LACKS],
    ['has it', [list({ 'own-1': 'stopped' })], []],
    ['is cut', [list({}, { has_more: true })], []],
    ['is filtered', [list({}, { has_more: false }, '?status=running')], []],
    ['is one of another caller', [[...list({}), { as: 'peer_api_key' }] as unknown as Step], []],
    ['lacks what is deleted', [removed(202), list({})], []],
    ['lacks what may be deleted', [removed(404), list({})], []],
  ])('%s', (_, steps, wrong) => expect(follow('list-whole', ...there, ...steps)).toEqual(wrong));

  test('may lag', () => expect(follow('list-whole', created(), read('stopped'), list({}))).toEqual([]));
});
