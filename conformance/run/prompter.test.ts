import { expect, test } from 'vitest';
import { type Deployment, deploy } from '../../test/targets/deployment.js';
import { check } from '../../test/targets/fake-target.js';
import { peersApart } from '../habits/members.js';
import type { Need } from '../model/target.js';
import type { Check } from './check.js';
import * as expected from './expect.js';
import { runChecks } from './runner.js';

const TURNS = 6;
const ALL: Deployment = { name: 'counts turns', obeys: 1, turns: TURNS, only: ['api_key', 'peer_api_key'] };

/** A check that prompts, and more than once in the session that it got. */
const talks = (at: number, needs: readonly Need[] = [], more = 1): Check =>
  check(
    `talks/${at}`,
    async (ctx) => {
      const { id } = await ctx.interns.shared();
      const first = await ctx.chat(id, `First of ${at}.`);
      const { sessionId } = await first.end();
      if (more === 0) return;
      const second = await ctx.chat(id, { prompt: `Second of ${at}.`, session_id: sessionId ?? '' });
      expected.status(await second.whole(), 200, 'a second prompt');
    },
    { needs: ['running', ...needs] },
  );

/** The sender of each prompt that was taken, and the number of the peer's reads; by checks that each prompt twice. */
async function prompts(deployment: Deployment, checks: readonly Check[]) {
  const { driver, host, close } = await deploy(deployment, 'prompter');
  const by = new Map<string, string[]>();
  let reads = 0;
  const fetch: typeof driver.fetch = async (request) => {
    const text = await request.clone().text();
    const isPeer = request.headers.get('authorization') === `Bearer ${driver.credential('peer_api_key')}`;
    const answer = await driver.fetch(request);
    if (isPeer && request.method === 'GET') reads++;
    const said = /(?:First|Second) of \d+/.exec(text)?.[0];
    if (said !== undefined && answer.ok) by.set(said, [...(by.get(said) ?? []), isPeer ? 'peer' : 'key']);
    return answer;
  };
  const results = await runChecks({ driver: { ...driver, fetch }, host, checks, seed: 's', rate: 0, blocking: false });
  await close();
  expect(results.checks.map(({ id, verdict }) => [id, verdict])).toEqual(checks.map(({ id }) => [id, 'pass']));
  const who = (said: string) => [...by].filter(([what]) => what.startsWith(said)).map(([, [sender]]) => sender);
  return { by, first: who('First'), second: who('Second'), reads, minutes: results.duration / 60_000 };
}
const CHECKS = Array.from({ length: TURNS }, (_, at) => talks(at));

test('once the turns of the API key are spent a peer that sees its interns prompts, and each check goes on as it began', async () => {
  const { by, first, second, reads } = await prompts(ALL, CHECKS);
  expect(first[0]).toBe('key');
  expect(first).toContain('peer');
  expect([...first, ...second].filter((sender) => sender === 'key').length).toBeGreaterThanOrEqual(TURNS);
  for (const [at] of CHECKS.entries()) expect(by.get(`Second of ${at}`)).toEqual(by.get(`First of ${at}`));
  expect(reads).toBe(1);
});

test('what the peer prompts in its place is not waited for', async () => {
  const once = Array.from({ length: 2 * TURNS }, (_, at) => talks(at, [], 0));
  expect((await prompts({ ...ALL, only: ['api_key'] }, once)).minutes).toBeGreaterThan(0.9);
  expect((await prompts(ALL, once)).minutes).toBeLessThan(0.5);
});

test.each([
  ['a peer that sees its own interns alone', { ...ALL, habits: [peersApart] }, CHECKS],
  ['checks that name a credential', ALL, CHECKS.map((_, at) => talks(at, ['peer_api_key']))],
])('the API key alone prompts: %s', async (_, deployment, checks) => {
  const { first, second } = await prompts(deployment, checks);
  expect(new Set([...first, ...second])).toEqual(new Set(['key']));
});

test('while turns are held back other requests go on', async () => {
  const ends: string[] = [];
  const reads = check('reads/0', async ({ api }) => {
    for (let nth = 0; nth < 20; nth++) await api.list();
  });
  const { driver, host, close } = await deploy({ ...ALL, only: ['api_key'], turns: 1 }, 'prompter');
  await runChecks({
    driver,
    host,
    checks: [talks(0), reads],
    seed: 's',
    rate: 20,
    blocking: false,
    events: { checkEnd: ({ id, duration }) => void ends.push(`${id} ${duration > 30_000 ? 'waited' : 'at once'}`) },
  });
  await close();
  expect(ends).toEqual(['reads/0 at once', 'talks/0 waited']);
});
