import { expect, test } from 'vitest';
import { check, fakeHost } from '../../test/targets/fake-target.js';
import type { Habit } from '../habits/habit.js';
import type { Explanation } from '../habits/visit.js';
import { Finding } from '../model/finding.js';
import { lookTwice } from './twice.js';

const FOUND = new Finding({
  wanted: { kind: 'value', path: 'x', rule: { kind: 'holds', words: 'y' } },
  got: 'z',
  of: 'a create',
});
const NOTHING = async () => {};

/** The outcome of looks that find the same, and the number of looks. `statuses` are those of answers to the habit. */
async function outcome(explains: Habit['explains'], once: boolean, statuses: readonly number[] = []) {
  let looks = 0;
  const left = [...statuses];
  const session = {
    habits: [{ explains }],
    own: {},
    running: { send: async () => ({ status: left.shift(), json: undefined }) },
    known: {},
    unusable: () => undefined,
    model: { dealings: { doubt() {} } },
  };
  const run = { driver: { target: {} }, host: fakeHost(), session, settings: {}, lane: {}, pool: { drop() {} } };
  const look = async () => {
    looks += 1;
    return { error: FOUND, transcript: [], control: [], leftAgo: new Map(), once };
  };
  const { decided } = await lookTwice(run as never, check('a/create', NOTHING), look as never, FOUND);
  return { verdict: decided?.verdict ?? 'as found', looks };
}

/** A habit that answers in this order. */
function inTurn(answers: readonly (Explanation | undefined)[]): Habit['explains'] {
  let asked = 0;
  return async () => answers[asked++];
}

test('where nothing can be looked at again, a habit that needs time is asked again until it explains or does not', async () => {
  expect(await outcome(inTurn([{ again: 1_000 }, undefined]), true)).toEqual({ verdict: 'as found', looks: 1 });
  expect(await outcome(inTurn([{ again: 1_000 }, { again: 1_000 }, { again: 1_000 }]), true)).toEqual({
    verdict: 'skip',
    looks: 1,
  });
});

test('one finding does not count for being the same each time that a habit could not be asked', async () => {
  expect(await outcome(inTurn([{ again: 1_000 }, { again: 1_000 }, { again: 1_000 }]), false)).toEqual({
    verdict: 'skip',
    looks: 3,
  });
  expect(await outcome(inTurn([{ again: 1_000 }, undefined]), false)).toEqual({ verdict: 'as found', looks: 2 });
});

test('a habit that a gateway answered in place of the service is asked again', async () => {
  const skip = { kind: 'race', because: { kind: 'upload-cut' } } as const;
  const explains: Habit['explains'] = async (_, visit) =>
    (await visit.send({ path: '/interns' })).status < 300 ? { skip } : undefined;
  expect(await outcome(explains, false, [502, 200])).toEqual({ verdict: 'skip', looks: 2 });
  expect(await outcome(explains, false, [400])).toEqual({ verdict: 'as found', looks: 1 });
  expect(await outcome(explains, false, [502, 502, 502])).toEqual({ verdict: 'skip', looks: 3 });
});
