import { expect, test } from 'vitest';
import { holdsBodies, holdsStreams } from '../../test/targets/holding.js';
import { checks } from '../checks/index.js';
import { exchanges } from './combinators/replies.js';
import { tryChecks } from './try.js';

test.each([
  ['nothing', holdsStreams],
  ['the head alone', holdsBodies],
])(
  'one thing is held against an emulator behind a proxy that passes on %s before a stream has ended',
  { timeout: 300_000 },
  async (_, proxy) => {
    const mutant = exchanges(({ request }, next) => proxy(async (one) => next(one))(request));
    const tried = await tryChecks(checks, mutant, { runs: 1, seed: 'held', blocking: true });
    const failed = tried.checks.filter(({ verdict }) => verdict !== 'pass' && verdict !== 'skip');
    expect(failed.map(({ id }) => id)).toEqual(['chat-stream/as-it-is-said']);
    const blockers = tried.checks.flatMap(({ skip }) => (skip?.kind === 'blocked' ? skip.because.by : []));
    expect(blockers.length).toBeGreaterThan(20);
    expect(new Set(blockers)).toEqual(new Set(['chat-stream/as-it-is-said']));
  },
);
