import { expect, test } from 'vitest';
import { check, fakeHost } from '../../test/targets/fake-target.js';
import { Finding } from '../framework/finding.js';
import type { Explanation } from '../habits/visit.js';
import { lookTwice } from './twice.js';

const FOUND = new Finding({
  wanted: { kind: 'value', path: 'x', rule: { kind: 'holds', words: 'y' } },
  got: 'z',
  of: 'a create',
});
const NOTHING = async () => {};

/** The outcome of looks that find the same, where a habit answers in this order, and the number of looks. */
async function outcome(answers: readonly (Explanation | undefined)[], once: boolean) {
  let asked = 0;
  let looks = 0;
  const session = {
    habits: [{ explains: () => answers[asked++] }],
    own: {},
    running: {},
    known: {},
    unusable: () => undefined,
    model: { dealings: { doubt() {} } },
  };
  const run = { driver: { target: {} }, host: fakeHost(), session, settings: {}, lane: {}, pool: { drop() {} } };
  const look = async () => {
    looks += 1;
    return { tried: { error: FOUND, transcript: [], control: [], leftAgo: new Map() }, once };
  };
  const { decided } = await lookTwice(run as never, check('a/create', NOTHING), look as never, FOUND);
  return { verdict: decided?.verdict ?? 'as found', looks };
}

test('where nothing can be looked at again, a habit that needs time is asked again until it explains or does not', async () => {
  expect(await outcome([{ again: 1_000 }, undefined], true)).toEqual({ verdict: 'as found', looks: 1 });
  expect(await outcome([{ again: 1_000 }, { again: 1_000 }, { again: 1_000 }], true)).toEqual({
    verdict: 'skip',
    looks: 1,
  });
});

test('one finding does not count for being the same each time that a habit could not be asked', async () => {
  expect(await outcome([{ again: 1_000 }, { again: 1_000 }, { again: 1_000 }], false)).toEqual({
    verdict: 'skip',
    looks: 3,
  });
  expect(await outcome([{ again: 1_000 }, undefined], false)).toEqual({ verdict: 'as found', looks: 2 });
});
