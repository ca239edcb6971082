import { expect, test } from 'vitest';
import { gist } from '../model/assert.js';
import { foundBy } from '../rules/rule.js';
import { foundIn } from '../run/finding.js';
import { createHiding } from './callers.js';
import { credentialName } from './exchange.js';

const KEY = 'sk-one-0000000000';
const hiding = createHiding(new Set([credentialName(KEY)]));
const found = (expected: unknown, actual: unknown, exact = false) =>
  foundIn(foundBy({ what: `value: of ${KEY}`, expected, actual, because: [], ...(exact && { exact }) }), hiding);

test('the words of a rule lose only a credential that was sent', () => {
  expect(found('bearer tokens, and token: none', gist('value: all of it', 'Bearer abc'))).toMatchObject({
    of: 'value: of [redacted]',
    wanted: { rule: { words: 'bearer tokens, and token: none' } },
    got: { gist: 'value: all of it', saw: 'Bearer [redacted]' },
  });
});

test('what was answered, and what it was compared with, lose what stands where credentials do', () => {
  const said = { data: [{ value: 'one', token: 'two', text: `is ${KEY}` }] };
  const clean = { data: [{ value: '[redacted]', token: '[redacted]', text: 'is [redacted]' }] };
  expect(found(said, said, true)).toMatchObject({ wanted: { rule: { value: clean } }, got: clean });
});

test('a credential is known by its place in an address, and in JSON in Base64', () => {
  const packed = Buffer.from('{"token":"Zq9w81Yx7-5c12aav4"}').toString('base64');
  expect(hiding.text(`https://me:Zq9w81Yx7@a.test ${packed}`)).toBe('https://me:[redacted]@a.test [redacted]');
});

test('a long text takes no longer than its length', () => {
  const said = `${'y'.repeat(131_072)} access_token=abc`;
  const begun = performance.now();
  expect(hiding.text(said).slice(-24)).toBe(' access_token=[redacted]');
  expect(performance.now() - begun).toBeLessThan(2_000);
});
