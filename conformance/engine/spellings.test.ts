import { expect, test } from 'vitest';
import type { Send } from '../probe/request.js';
import { createSpellings, SPELLINGS } from './spellings.js';

const drawn = (seed: string, sends: readonly Send[], path = '/interns') => {
  const spellings = createSpellings(seed);
  return sends.map((send) => spellings.of(send, path));
};
const creates = Array.from({ length: 60 }, (): Send => ({ method: 'POST', json: {} }));

test('the seed chooses about a third of the writes, in every spelling', () => {
  const all = drawn('one', creates);
  expect(all).toEqual(drawn('one', creates));
  expect(all).not.toEqual(drawn('two', creates));
  expect(new Set(all)).toEqual(new Set([undefined, ...SPELLINGS]));
  expect(all.filter((one) => one === undefined).length).toBeGreaterThan(30);
});

test('what is not stated to look at the media type is sent as usual', () => {
  expect(new Set(drawn('one', creates, '/interns/x/chat/completions'))).toEqual(new Set([undefined]));
});

test('what is refused for it is sent again as usual, once, and after some none is spelled otherwise', () => {
  const spellings = createSpellings('one');
  const refused = creates.filter((send) => {
    const type = spellings.of(send, '/interns');
    expect(spellings.again(send, 400)).toBe(false);
    expect(spellings.again(send, 415)).toBe(type !== undefined);
    if (type === undefined) return false;
    expect(spellings.of(send, '/interns')).toBeUndefined();
    expect(spellings.again(send, 415)).toBe(false);
    // Sent once more to see whether it comes again, it is what was refused.
    expect(spellings.of(send, '/interns')).toBe(type);
    expect(spellings.again(send, 415)).toBe(false);
    return true;
  });
  expect(refused).toHaveLength(5);
});
