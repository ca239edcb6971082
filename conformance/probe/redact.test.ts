import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { percent, SPELLINGS, unicode } from '../../emulator/credentials/spellings.harness.js';
import { Evidence } from './evidence.js';
import { createRedactor } from './redact.js';
import '../../test/same-draws.js';

const SECRET = 'sk-alice-0123456789/+=é';
const LONG_SECRET = 'sk-svc-Alice/0123+456789~abcdef"';

test.each(Object.entries({ ...SPELLINGS, 'cut off': (secret: string) => `${secret.slice(0, 24)}…` }))(
  'a secret is taken out in every usual spelling: %s',
  (_spelling, spell) => {
    const clean = createRedactor([LONG_SECRET]).text(`before ${spell(LONG_SECRET)} after`);
    expect(clean).toMatch(/^before .*\[redacted\].* after$/s);
    // Nothing of the secret is left but the edges that Base64 mixes with its neighbours.
    const left = clean.replaceAll('[redacted]', '');
    expect(left.length).toBeLessThan(40);
    expect(Buffer.from(left, 'base64').toString()).not.toContain(LONG_SECRET.slice(3, 12));
  },
);

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

test('a secret over the deltas of a stream is taken out', () => {
  const event = (content: string) => `data: {"choices":[{"delta":{"content":"${content}"}}]}\n\n`;
  const said = [SECRET.slice(0, 9), SECRET.slice(9), ' it is'].map(event);
  expect(createRedactor([SECRET]).pieces(said)).toEqual(['[redacted]', '', ' it is'].map(event));
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

describe('a secret is hidden', () => {
  test('wherever the network cuts it', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(
          LONG_SECRET,
          unicode(LONG_SECRET),
          percent(LONG_SECRET),
          Buffer.from(LONG_SECRET).toString('base64').slice(0, 40),
        ),
        fc.array(fc.nat(200), { maxLength: 6 }),
        (spelled, cuts) => {
          const whole = Buffer.from(`data: {"x": "${spelled}"}\n\n`);
          const record = new Evidence(
            1,
            0,
            () => ({ method: 'GET', url: '/', headers: {} }),
            createRedactor([LONG_SECRET]),
          );
          record.answered(1, 200, new Headers());
          const edges = [0, ...cuts.map((cut) => cut % whole.length).sort((a, b) => a - b), whole.length];
          for (let at = 1; at < edges.length; at++) record.received(at, whole.subarray(edges[at - 1], edges[at]));
          const text =
            record
              .snapshot()
              .response?.pieces.map((piece) => piece.text)
              .join('') ?? '';
          expect(text).toContain('[redacted]');
          expect(text).not.toContain(spelled.slice(4, 30));
        },
      ),
    );
  });

  test('where what is shown ends within it', () => {
    const record = new Evidence(1, 0, () => ({ method: 'GET', url: '/', headers: {} }), createRedactor([LONG_SECRET]));
    record.answered(1, 200, new Headers());
    record.received(1, Buffer.from(`${'x'.repeat(4 * 16_384 - 8)}${LONG_SECRET}`));
    expect(JSON.stringify(record.snapshot())).not.toContain(LONG_SECRET.slice(0, 8));
  });

  test('where it is the signature of a proof', () => {
    const redactor = createRedactor();
    const signature = `${'Ab+/'.repeat(21)}Aw==`;
    redactor.learnFrom(JSON.stringify({ 'x-svc-invoke-signature': signature }));
    expect(redactor.text(`sent ${signature}`)).not.toContain('Ab+/Ab+/');
    expect(redactor.headers(new Headers({ 'x-svc-invoke-signature-v2': signature })).valueOf()).toEqual({
      'x-svc-invoke-signature-v2': '[redacted]',
    });
  });
});
