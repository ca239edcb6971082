import { describe, expect, test } from 'vitest';
import { Bindings, matchText, piecesOf, renderText } from './template.js';

const UUID = '0b000000-0000-4000-8000-00000000000f';

/** The values of aliases after a match; undefined if there was none. */
function matched(recorded: string, text: string, given: Record<string, string> = {}) {
  const bindings = new Bindings();
  for (const [alias, value] of Object.entries(given)) bindings.bind(alias, value);
  if (!matchText(recorded, text, bindings)) return undefined;
  return Object.fromEntries(
    [...recorded.matchAll(/\$\{?([a-z_]+\.\d+)/g)].map(([, alias = '']) => [alias, bindings.get(alias)]),
  );
}

describe('a text that was sent matches a recorded one', () => {
  test.each<[string, string, string, Record<string, string>?, Record<string, string>?]>([
    ['that says the same', 'a$$b.*', 'a$b.*'],
    ['an alias takes what stands in its place', 'use $intern.1!', 'use abc!', {}, { 'intern.1': 'abc' }],
    ['over lines', '$intern.1', 'a\nb', {}, { 'intern.1': 'a\nb' }],
    [
      'several take what stands in theirs',
      '$intern.1 and $session.1.',
      'a and b and c.',
      {},
      { 'intern.1': 'a', 'session.1': 'b and c' },
    ],
    ['one that stands for something', '$intern.1-$session.1', 'a-b', { 'intern.1': 'a' }, { 'session.1': 'b' }],
    ['the same twice', '$intern.1 is $intern.1', 'ab is ab', {}, { 'intern.1': 'ab' }],
    ['a UUID in capitals', `$intern.1/${UUID}`, `${UUID}/${UUID.toUpperCase()}`.toUpperCase(), { 'intern.1': UUID }],
    ['in braces', `x\${intern.1}0`, 'xab0', {}, { 'intern.1': 'ab' }],
    ['each time another', '$time and $time', '1 and 2'],
  ])('%s', (_what, recorded, text, given = {}, expected = {}) => {
    expect(matched(recorded, text, given)).toMatchObject(expected);
  });

  test('keeps a value as it was sent', () => {
    expect(matched('$intern.1', UUID.toUpperCase())).toEqual({ 'intern.1': UUID.toUpperCase() });
  });
});

describe('a text does not match', () => {
  test.each<[string, string, string, Record<string, string>?]>([
    ['another text', 'a.b', 'axb'],
    ['one that goes on', 'ab', 'abc'],
    ['one that begins elsewhere', '$intern.1b', 'abc'],
    ['nothing in the place of an alias', 'a$intern.1', 'a'],
    ['another value', '$intern.1', 'b', { 'intern.1': 'a' }],
    ['a value of another alias of the kind', '$intern.2', 'a', { 'intern.1': 'a' }],
    ['two values for one alias', '$intern.1 is $intern.1', 'a is b'],
    ['another case of what is no UUID', '$digest.1', 'AB', { 'digest.1': 'ab' }],
  ])('%s', (_what, recorded, text, given = {}) => {
    expect(matched(recorded, text, given)).toBeUndefined();
  });
});

describe('matching takes as long as the texts are', () => {
  const long = '('.repeat(40_000);
  test.each<[string, string, string, boolean]>([
    ['a long text', long, long, true],
    ['a long text between aliases', `$intern.1${long}$intern.2`, `a${long}b`, true],
    ['aliases beside one another', '$intern.1'.repeat(40), 'a'.repeat(10_000), false],
    ['many aliases', '$intern.1-$session.1-$vault.1-$key.1-'.repeat(1_000), '-'.repeat(40_000), false],
  ])('%s', (_what, recorded, text, expected) => {
    const began = process.cpuUsage().user;
    expect(matchText(recorded, text, new Bindings())).toBe(expected);
    expect((process.cpuUsage().user - began) / 1_000).toBeLessThan(500);
  });
});

test('a recorded text is said with the values of its aliases, and numbers as numbers', () => {
  const values: Record<string, string> = { 'intern.1': 'a', unix: '17' };
  expect(renderText('{"created":"$unix","id":"$intern.1","costs":"$$5"}', (alias) => values[alias] ?? '')).toBe(
    '{"created":17,"id":"a","costs":"$5"}',
  );
});

test('a text of dollar signs is one piece: a recording of a megabyte took 700', () => {
  expect(piecesOf('$$'.repeat(500_000))).toEqual([{ text: '$'.repeat(500_000) }]);
  expect(piecesOf(['a$$b$c.1d$$e$', '{f.2}$'].join(''))).toEqual([
    { text: 'a$b' },
    { alias: 'c.1' },
    { text: 'd$e' },
    { alias: 'f.2' },
    { text: '$' },
  ]);
});
