import { describe, expect, test } from 'vitest';
import { closing } from '../../test/closing.js';
import { deploy } from '../../test/targets/deployment.js';
import { INGREDIENTS, mixed, mixOf, resultsOf } from '../../test/targets/mixes.js';
import { slowAnswers } from '../habits/answers.js';
import { wakesForPrompts } from '../habits/boots.js';
import { fewInterns } from '../habits/capacity.js';
import { byTheIntern, type Incomplete, raced, type Skip } from '../model/skip.js';
import { run } from '../run.js';
import { UNLIMITED } from './limits.js';
import type { CheckResult, Verdict } from './results.js';

const called = (name: string) => {
  const found = INGREDIENTS.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no deployment ${name}`);
  return found;
};

test('a mix has every habit of what it is made of', () => {
  const one = called('answers slowly');
  const other = called('has room for few interns');
  const whole = mixed([one, other, called('wakes for a prompt')]);
  expect(whole).toMatchObject({ obeys: 0.9, differs: ['CHAT-16', 'LIFE-1'] });
  expect(whole.habits).toEqual([slowAnswers, fewInterns, wakesForPrompts]);
});

/** Mixes that something was held against once, and others by chance. More: npm run soak -- --mix 3 */
const MIXES = [
  [
    'obeys nothing and chats',
    'shows interns that wait for a provision as queued',
    'has users who delete unused interns of others',
  ],
  ['needs a moment before it takes prompts', 'wakes for a prompt'],
  ['sometimes fails to boot or to tear down an intern', 'has statuses of its own'],
  ['has its own name for the route of a proof', 'has success statuses of its own'],
  ['has a clock an hour ahead', 'boots each new intern at once', 'has statuses of its own'],
  ['wakes for a prompt', 'has statuses of its own'],
].map((names) => mixed(names.map(called)));

test.each([...MIXES, mixOf('one', 2), mixOf('two', 3), mixOf('three', 3)])(
  'nothing is held against a server that $name',
  { timeout: 300_000 },
  async (mix) => {
    const { driver, host } = closing(await deploy(mix, 'mix'));
    const results = await run({ driver, host, seed: 'mix', rate: 0, ...UNLIMITED });
    // Each new deployment changes the mixes that chance makes: some may end a run early.
    expect(resultsOf(mix, results).filter(({ expected }) => expected !== true)).toEqual([]);
    expect(results.counts.pass).toBeGreaterThan(90);
  },
);

test('nothing is held against a habit that nobody can ask for any more, as the time of the run is up', {
  timeout: 300_000,
}, async () => {
  const mix = mixed(['has its own name for the route of a proof', 'answers slowly'].map(called));
  const { driver, host } = closing(await deploy(mix, 'soak-4'));
  // The time is up as soon as the habit shows: a proof without the route that was asked for.
  let passed = 0;
  const fetch: typeof driver.fetch = async (request) => {
    const asksForRoute = /\/sign$/.test(request.url) && (await request.clone().text()).includes('"route"');
    const answer = await driver.fetch(request);
    if (asksForRoute && answer.ok) passed = 300_000;
    return answer;
  };
  const late = { ...host, now: () => host.now() + passed };
  const results = await run({ driver: { ...driver, fetch }, host: late, seed: 'soak-4', rate: 0 });
  expect(results.checks.find(({ id }) => id === 'SIGN-1/keys')?.skip?.kind).toBe('stopped');
  expect(resultsOf(mix, results).map(({ id }) => id)).toEqual([]);
});

/** Habits that hide held-back streams from a kit that measures in the wrong place. */
test.each([
  'answers slowly',
  'takes one request a second',
  'shows changes late',
  'is read from replicas',
  'needs a moment before it takes prompts',
  'has users who delete unused interns of others',
])('streams that a proxy holds back are found at a server that %s', { timeout: 300_000 }, async (habit) => {
  const mix = mixed([called(habit), called('is behind a proxy that holds streams back')]);
  const { driver, host } = closing(await deploy(mix, 'held'));
  const { checks } = await run({ driver, host, seed: 'held', rate: 0, only: ['chat-stream/as-it-is-said'] });
  expect(checks.map(({ verdict, finding }) => [verdict, finding?.what])).toEqual([['fail', 'arrival of a reply']]);
});

describe('of a run against a mix is shown', () => {
  const shows = ['chat-stream/as-it-is-said'];
  const result = (verdict: Verdict, more: Partial<CheckResult> = {}): CheckResult => ({
    id: 'chat-stream/as-it-is-said',
    requirement: 'CHAT-1',
    level: 'S',
    title: '',
    verdict,
    duration: 0,
    requests: 0,
    properties: [],
    ...more,
  });
  const shown = (mix: Parameters<typeof resultsOf>[0], checks: CheckResult[], reasons: Incomplete[] = []) => {
    const failed = checks.some(({ verdict }) => verdict === 'fail');
    const exit = failed ? 1 : reasons.length > 0 ? 3 : 0;
    return resultsOf(mix, { checks, exit, incomplete: reasons }).map(({ id, expected }) =>
      expected ? `may be: ${id}` : id,
    );
  };
  const LEFT = { kind: 'left-behind', interns: 2 } as const;
  const skip = (why: Skip) => result('skip', { skip: why });

  test('nothing where what it breaks is found', () => {
    expect(shown({ shows }, [result('fail')], [{ kind: 'unreached', checks: 8 }])).toEqual([]);
  });

  test.each([
    ['passes', [result('pass')]],
    ['warns', [result('warn')]],
    [
      'is skipped for what the intern did, which did what it takes',
      [skip(byTheIntern({ kind: 'asked-nothing', finish: 'stop' }).skip)],
    ],
    ['was not done', []],
  ])('what it breaks, as missed, where the check for it %s', (_, checks) => {
    expect(shown({ shows }, checks)).toContain('missed chat-stream/as-it-is-said');
  });

  test('what it breaks, as not judged, where the run says why', () => {
    expect(shown({ shows }, [skip(raced({ kind: 'deleted' }).skip)])).toEqual([
      'may be: missed chat-stream/as-it-is-said',
    ]);
  });

  test('another finding of what it breaks', () => {
    expect(shown({ shows }, [result('fail'), result('fail', { id: 'chat-content/repeated' })])).toEqual([
      'fail chat-content/repeated',
    ]);
  });

  test('a run that is incomplete, as it may be where each of its reasons is one of the mix', () => {
    const incomplete = [({ kind }: Incomplete) => kind === 'left-behind'];
    expect(shown({ incomplete }, [], [LEFT])).toEqual(['may be: exit 3']);
    expect(shown({ incomplete }, [], [LEFT, { kind: 'unreached', checks: 3 }])).toEqual(['exit 3']);
    expect(shown({}, [], [LEFT])).toEqual(['exit 3']);
  });
});
