import { expect, test } from 'vitest';
import { RULES } from '../../rules/index.js';
import { exchangesOfRuns, noticed } from './noticed.harness.js';

/**
 * Rules that no single answer breaks in a run at a right service, and why. Conversations in `rules.test.ts` and
 * `stated.live.test.ts`, or mutants of the matrix, break each of them.
 */
const BY_HAND: Readonly<Record<string, string>> = {
  'DELETE-1/none-that-is-gone': 'no list of these runs comes after a teardown that has ended',
  'GET-1/no-known-credential': 'only its own run knows its credentials',
  'VAULT-2/value-in-no-answer': 'only its own run knows what it stored',
  'CHAT-1/content-is-new': 'shown by several chunks of one answer',
  'SIGN-5/moves-with-time': 'the run moves the clock of these targets',
  'LIFE-1/stays-found': 'shown by the answer after the wrong one',
  'LIFE-1/no-other': 'shown by several answers',
  'DELETE-3/acknowledged': 'no teardown of these runs fails',
  'CREATE-1/refused-makes-none': 'shown by a list after the wrong answer',
  'PROV-1/provision-starts': 'shown by several answers',
  'SUSP-1/suspend-stops': 'shown by several answers',
  'DELETE-1/delete-tears-down': 'shown by several answers',
  'AUTH-2/own-workspace': 'the first answers that it judges come before any intern of another workspace',
  'INVOKE-2/not-steered-after-a-suspend': 'a status of the answer that no way of the table puts in',
  'CHAT-7/open-question-answered': 'a reason that no way of the table puts in',
  'CHAT-7/asked-is-known': 'a reason that no way of the table puts in',
  'CHAT-5/no-fallback': 'a field of the arguments of a question, which no way of the table adds',
  'CHAT-4/of-one-run': 'shown by several answers',
  'CHAT-4/usage-is-carried': 'shown by two chunks of one answer',
  'CHAT-1/content-in-delta': 'two fields of one chunk, of which no way of the table changes both',
  'CHAT-14/busy-while-it-streams': 'a reason that no way of the table puts in',
  'INVOKE-1/no-progress': 'a field that no way of the table adds',
  'CHAT-1/model-not-used': 'no prompt of the run names a model',
  'BASE-6/request-id': 'a header that no way of the table changes',
  'DAEMON-1/not-while-it-boots': 'shown by several answers',
  'DAEMON-3/as-the-operation': 'shown by several answers',
};
/** The least share of wrong answers that some rule notices at once. */
const LEAST = 0.83;

test('every rule is broken by a wrong answer, and none by a right one', async () => {
  const { ways, rules, false: wrong } = noticed(await exchangesOfRuns());
  // An intern may be busy with a stream that was left: such exchanges are not kept.
  expect(wrong.filter((id) => id !== 'CHAT-14/busy-while-it-streams')).toEqual([]);
  expect(RULES.map(({ id }) => id).filter((id) => !rules.has(id) && !(id in BY_HAND))).toEqual([]);
  const seen = ways.filter(({ by }) => by.size > 0).length;
  console.log(`rules notice ${seen} of ${ways.length} wrong answers`);
  expect(seen / ways.length).toBeGreaterThanOrEqual(LEAST);
});
