import { describe, expect, test } from 'vitest';
import { createAliases } from './aliases.js';

describe('a secret that is not ASCII', () => {
  const secret = 'schlüssel-ß-4711';
  const aliases = createAliases(new Map([[secret, '$api_key']]));

  test('is hidden in UTF-8, percent-encoded', () => {
    const percent = [...Buffer.from(secret)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
    expect(aliases.hideSecrets([percent])).toEqual(['$api_key']);
  });

  test('is hidden twice where nothing stands between two spellings', () => {
    const base64 = Buffer.from(secret).toString('base64');
    expect(aliases.hideSecrets([`${secret}${base64}`]).join('')).toMatch(/^(\$api_key)+$/);
  });
});

test('a text that is too short to be searched for is hidden where it stands alone', () => {
  const aliases = createAliases(new Map([['cat', '$api_key']]));
  expect(aliases.hideSecrets(['concatenate', 'cat'])).toEqual(['concatenate', 'cat']);
  expect(aliases.hideSecrets(['cat'])).toEqual(['$api_key']);
  expect(aliases.hideSecrets(['%63at'])).toEqual(['$api_key']);
});

test('of two secrets that begin alike the longer one is found', () => {
  const aliases = createAliases(
    new Map([
      ['sk-alice-7', '$peer_api_key'],
      ['sk-alice-7f3a9c01', '$api_key'],
    ]),
  );
  expect(aliases.hideSecrets(['use sk-alice-7f3a9c01 and sk-alice-7!'])).toEqual(['use $api_key and $peer_api_key!']);
});

describe('letter case', () => {
  const uuid = '0b000000-0000-4000-8000-00000000000f';
  const digest = 'ab'.repeat(32);
  const aliases = createAliases(new Map());
  aliases.of('intern', uuid);
  aliases.of('digest', digest);
  aliases.of('question', 'call_Abcdef01');

  test('is no difference between UUIDs', () => {
    expect(aliases.hide([`${uuid.toUpperCase()} and x-${uuid.toUpperCase()}`])).toEqual(['$intern.1 and x-$intern.1']);
    expect(aliases.of('intern', uuid.toUpperCase())).toBe('$intern.1');
  });

  test('is one between any other values: a digest in capitals is another, and was refused', () => {
    expect(aliases.hide([digest.toUpperCase()])).toEqual([digest.toUpperCase()]);
    expect(aliases.hide(['call_abcdef01'])).toEqual(['call_abcdef01']);
    expect(aliases.of('question', 'call_ABCDEF01')).toBe('$question.2');
  });
});
