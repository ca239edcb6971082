import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRedactor } from './redact.js';
import '../../test/same-draws.js';

const SECRET = 'sk-alice-0123456789/+=é';

test('a secret is taken out in every usual spelling', () => {
  const { text } = createRedactor([SECRET]);
  for (const spelling of [
    SECRET,
    encodeURIComponent(SECRET),
    JSON.stringify(SECRET),
    Buffer.from(SECRET).toString('base64'),
  ]) {
    expect(text(`a ${spelling} b`)).not.toContain(spelling.slice(1, -2));
    expect(text(`a ${spelling} b`)).toContain('[redacted]');
  }
});

test('a secret that lies across pieces is taken out, and the rest stays where it was', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.array(fc.nat({ max: 9 })), (before, after, cuts) => {
      const whole = `${before}\n${SECRET}\n${after}`;
      const pieces: string[] = [];
      let at = 0;
      for (const cut of cuts) {
        pieces.push(whole.slice(at, at + cut));
        at += cut;
      }
      pieces.push(whole.slice(at));
      const clean = createRedactor([SECRET]).pieces(pieces);
      expect(clean).toHaveLength(pieces.length);
      expect(clean.join('')).toBe(`${before}\n[redacted]\n${after}`);
    }),
  );
});

test('credentials in answers are learned', () => {
  const redactor = createRedactor();
  redactor.learnFrom('{"origin":"http://x","token":"tok-abcdef-1234"}');
  expect(redactor.text('it was tok-abcdef-1234')).toBe('it was [redacted]');
});

test('headers that carry credentials show none', () => {
  const headers = new Headers({ authorization: 'Bearer unknown-token', cookie: 'a=b', accept: 'x' });
  expect(createRedactor().headers(headers)).toEqual({
    authorization: 'Bearer [redacted]',
    cookie: '[redacted]',
    accept: 'x',
  });
});

test('strings are redacted at any depth', () => {
  expect(createRedactor(['secret-value']).deep({ a: ['x secret-value', { b: 'secret-value' }], c: 1 })).toEqual({
    a: ['x [redacted]', { b: '[redacted]' }],
    c: 1,
  });
});
