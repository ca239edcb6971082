import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { secretsIn } from './named.js';
import { createRedaction } from './redaction.js';
import { percent, SPELLINGS, unicode } from './spellings.harness.js';
import '../../test/same-draws.js';

const SECRET = 'emu-key-alice-0000000000000000';
const OWN = `emu-ikey-${'aB3_-'.repeat(6)}xy`;
const SIGNATURE = Buffer.alloc(64, 0xfb).toString('base64');
const JWT = `eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ1c2VyIn0.${'s'.repeat(43)}`;

const redaction = () => {
  const made = createRedaction();
  made.add(SECRET);
  made.add('emu-key-alice-00');
  return made;
};

test('a long run of what signed tokens begin with is searched in bounded steps', () => {
  const run = '-eyJ'.repeat(100_000);
  expect(redaction().redact(run)).toBe(run);
  expect([...secretsIn(run)]).toEqual([]);
});

describe.each([
  ['a seeded credential', SECRET],
  ['one that an emulator made', OWN],
  ['the signature of a proof', SIGNATURE],
  ['a signed token', JWT],
])('AUTH-9: %s is taken out', (_what, secret) => {
  test.each(Object.entries(SPELLINGS))('%s', (_spelling, spell) => {
    const spelt = spell(secret);
    const clean = redaction().redact(`before ${spelt} after`);
    expect(clean).toMatch(/^before .*\[redacted\].* after$/);
    const rest = clean.replace(/^before | after$/g, '');
    const decoded = [0, 1, 2, 3].map((skip) => Buffer.from(rest.slice(skip), 'base64').toString('latin1'));
    for (let at = 0; at + 4 <= secret.length; at++)
      for (const text of [rest, ...decoded]) expect(text).not.toContain(secret.slice(at, at + 4));
  });
});

test('a credential of elsewhere is taken out of an address by the name of its parameter', () => {
  const { redact } = redaction();
  expect(redact('/a?access_token=%73k-other-1&limit=20&code=aBcDeFgH')).toBe(
    '/a?access_token=[redacted]&limit=20&code=[redacted]',
  );
});

test('what is no credential stays as it is', () => {
  const { redact } = redaction();
  for (const text of ['', 'plain', '100% \\u0041 %41 é 😀', 'emu-key-alice', 'A'.repeat(200), '{"sha":"deadbeef=="}'])
    expect(redact(text)).toBe(text);
});

test('a credential that is split over writes is taken out of all of them, wherever they are cut', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(SECRET, OWN, JWT, unicode(SECRET), percent(OWN)),
      fc.array(fc.nat({ max: 12 }), { maxLength: 30 }),
      (secret, sizes) => {
        const whole = `{"a":"${secret}"} and more`;
        const writes: string[] = [];
        let at = 0;
        for (const size of sizes) {
          writes.push(whole.slice(at, at + size));
          at += size;
        }
        writes.push(whole.slice(at));
        const clean = redaction().redactWrites(writes);
        expect(clean).toHaveLength(writes.length);
        expect(clean.join('')).toBe('{"a":"[redacted]"} and more');
      },
    ),
  );
});

const event = (content: string) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;

test('a credential that is split over the events of a stream is taken out of each', () => {
  for (const size of [1, 2, 7, 20]) {
    const pieces: string[] = [];
    for (let at = 0; at < SECRET.length; at += size) pieces.push(SECRET.slice(at, at + size));
    const clean = redaction().redactWrites([event('It is '), ...pieces.map(event), event('!')]);
    const said = clean.join('').matchAll(/"content":"([^"]*)"/g);
    expect([...said].map(([, text]) => text).join('')).toBe('It is [redacted]!');
  }
});

test('where more may follow, what may be the beginning of a credential is taken out too', () => {
  const { redactWrites } = redaction();
  const said = (writes: string[]) => redactWrites(writes, true).join('');
  expect(said(['a ', SECRET.slice(0, 12)])).toBe('a [redacted]');
  expect(said([event('a '), event(SECRET.slice(0, 12))])).toBe(event('a ') + event('[redacted]'));
  expect(said(['a ', OWN.slice(0, 20)])).toBe('a [redacted]');
  expect(said(['nothing of the kind'])).toBe('nothing of the kind');
});

test('tokens of logins are taken out, and are not remembered without bound', () => {
  const made = redaction();
  const token = (n: number) => `${n}-`.padEnd(43, 'x');
  for (let n = 0; n < 5_000; n++) made.addLoginToken(token(n));
  expect(made.size).toBe(1_002);
  expect(made.redact(`a ${token(4_999)} b ${token(4_100)}`)).toBe('a [redacted] b [redacted]');
  made.addLoginToken(JWT);
  expect(made.size).toBe(1_002);
});

test('finds every value, whenever it was added between texts', () => {
  const many = createRedaction();
  const values = Array.from({ length: 200 }, (_, at) => `value-number-${at}-of-all`);
  for (const [at, value] of values.entries()) {
    many.addVaultSecret(value);
    for (const known of [values[0], values[at >> 1], value])
      expect(many.redact(`before ${known} after`)).toBe('before [redacted] after');
  }
});
