import { expect, test } from 'vitest';
import { equal, fail, gist } from '../model/assert.js';
import { Finding } from '../model/finding.js';
import { createRedactor } from '../probe/redact.js';
import { findingText } from '../report/words/finding.js';
import { foundIn } from './finding.js';

/** Its first half is spelt like a part of the kit's own sentence. */
const SECRET = 'the value of tomatoes';

function saidOf(work: () => void) {
  try {
    work();
  } catch (error) {
    if (error instanceof Finding) return findingText(foundIn(error.found, createRedactor([SECRET])));
    throw error;
  }
  throw new Error('nothing was found');
}

test('the words of a finding stay whole where a secret is spelt like a part of them', () => {
  const words = () => fail('the value of a list', 'nothing of the value of a secret', gist('the value of it', SECRET));
  expect(saidOf(words)).toEqual({
    what: 'the value of a list',
    expected: 'nothing of the value of a secret',
    actual: 'the value of it; [redacted]',
  });
});

test('a secret is taken out of what was seen and of what it was compared with', () => {
  expect(saidOf(() => fail('a list', 'none', { rows: [SECRET] }))).toMatchObject({ actual: { rows: ['[redacted]'] } });
  expect(saidOf(() => equal(`x ${SECRET}`, SECRET, 'a name'))).toEqual({
    what: 'a name',
    expected: '[redacted]',
    actual: 'x [redacted]',
  });
});

test('a secret is taken out of names that a target made up', () => {
  expect(saidOf(() => fail('a list', 'none', { [SECRET]: gist(SECRET) })).actual).toEqual({
    '[redacted]': expect.anything(),
  });
});
