import { expect, test } from 'vitest';
import { holdsBodies, holdsOn, holdsStreams } from '../../test/targets/holding.js';
import { checks } from '../scenarios/index.js';
import { exchanges } from './operators/answers.js';
import { tryChecks } from './try.js';

test.each([
  ['nothing', holdsStreams],
  ['the head alone', holdsBodies],
])(
  'one thing is held against an emulator behind a proxy that passes on %s before a stream has ended',
  { timeout: 300_000 },
  async (_, proxy) => {
    const mutation = exchanges(({ request }, next) => proxy(async (one) => next(one))(request));
    const tried = await tryChecks(checks, mutation, { runs: 1, seed: 'held', blocking: true });
    const failed = tried.checks.filter(({ verdict }) => verdict !== 'pass' && verdict !== 'skip');
    expect(failed.map(({ id }) => id)).toEqual(['chat-stream/as-it-is-said']);
    const blockers = tried.checks.flatMap(({ skip }) => (skip?.kind === 'blocked' ? skip.because.by : []));
    expect(blockers.length).toBeGreaterThan(20);
    expect(new Set(blockers)).toEqual(new Set(['chat-stream/as-it-is-said']));
  },
);

test('an intern whose stream was held back while a check waited serves no other check', async () => {
  const ids = ['chat-stream/as-it-is-said', 'chat-not-taken/not-accepted', 'scripts/put-again'];
  const mutation = exchanges(({ request }, next) => holdsOn(async (one) => next(one))(request));
  const some = checks.filter(({ id }) => ids.includes(id));
  const tried = await tryChecks(some, mutation, { runs: 1, seed: 'held', blocking: true });
  expect(tried.checks.map(({ id, verdict }) => [id, verdict]).sort()).toEqual([
    ['chat-not-taken/not-accepted', expect.stringMatching(/pass|skip/)],
    ['chat-stream/as-it-is-said', 'fail'],
    ['scripts/put-again', 'skip'],
  ]);
});
