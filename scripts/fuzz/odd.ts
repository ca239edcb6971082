import fc from 'fast-check';

/** Texts that have broken something somewhere. */
const TEXTS = [
  '',
  ' ',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'null',
  '-1',
  '1e999',
  '0x10',
  '9007199254740993',
  '../../etc/passwd',
  '..',
  '.',
  '%00',
  '%2e%2e%2f',
  '%',
  '%zz',
  '\u0000',
  '\r\n',
  '\ud800',
  '\u202e',
  '\ufeff',
  'İ',
  'con',
  '$',
  '$$',
  '$intern.1',
  '<script>alert(1)</script>',
  '{{1+1}}',
  '2026-02-30T25:61:00Z',
  '00000000-0000-0000-0000-000000000000',
  '5m',
  '99999999999h',
] as const;

/** How long a long text is. */
const LENGTHS = [101, 4_096, 65_536, 1_100_000];

export const longText = fc
  .tuple(fc.constantFrom('x', '/', '(', '%41', 'é', '"', '$$', '[', 'a/', '../'), fc.constantFrom(...LENGTHS))
  .map(([part, length]) => part.repeat(Math.ceil(length / part.length)));

export const oddText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  { weight: 1, arbitrary: longText },
);

const oddNumber = fc.oneof(
  fc.constantFrom(0, -0, -1, 1, 0.1, 2 ** 31, 2 ** 32, 2 ** 53, -(2 ** 53), 1e300, 5e-324, 8.64e15, 1e21),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

/** Nested arrays or objects. It is text: code that walks such a value might be what fails. */
export const deepJson = fc
  .tuple(fc.constantFrom(['[', ']'], ['{"a":', '}'], ['[{"__proto__":', '}]']), fc.constantFrom(50, 999, 1_001, 20_000))
  .map(
    ([[open = '', close = ''], depth]) => open.repeat(depth) + (open.endsWith(':') ? '1' : '') + close.repeat(depth),
  );

/** A value that JSON can say, and a field seldom expects. */
export const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: oddText },
  { weight: 3, arbitrary: oddNumber },
  { weight: 2, arbitrary: fc.constantFrom(null, true, false, [], {}, [[]], [null], { length: 1e9 }) },
  { weight: 1, arbitrary: fc.array(oddText, { maxLength: 4 }) },
  {
    weight: 1,
    arbitrary: fc.dictionary(oddText, fc.constantFrom(1, null, 'x', {}), { maxKeys: 4, noNullPrototype: true }),
  },
  { weight: 1, arbitrary: fc.constantFrom(1_001, 5_000).map((length) => Array.from({ length }, () => 0)) },
);

/** JSON text that is nearly correct: doubled keys, cut, followed by more, in another encoding. */
export const spoilt = (text: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constant(text) },
    { weight: 1, arbitrary: fc.nat(text.length).map((at) => text.slice(0, at)) },
    { weight: 1, arbitrary: fc.constantFrom('}', '\u0000', ',', '\ufeff', text).map((more) => text + more) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom('"__proto__":{"a":1},', '"a":1,"a":2,', '"\\ud800":1,')
        .map((keys) => text.replace('{', `{${keys}`)),
    },
    { weight: 1, arbitrary: deepJson },
    { weight: 1, arbitrary: deepJson.map((deep) => text.replace(/:(?:"[^"]*"|\d+|null|true)/, () => `:${deep}`)) },
    { weight: 1, arbitrary: oddText },
  );

const FRAMES = ['-1', '+5', '0x5', '1e1', '5, 5', '5\r\nContent-Length: 6', '9'.repeat(20), '', '5', ' 5', '2097152'];
const CODINGS = [
  ...['chunked', 'identity', 'gzip, chunked', 'chunked, chunked', 'xchunked', '\tchunked', 'Chunked'],
  'chunked\r\nTransfer-Encoding: identity',
];
const LINES = ['no colon', ' folded: line', ' folded', ': no name', 'x\u0000: y', 'x: a\rb', 'x: a\nb: c', 'é: é'];

/** Headers that frame a body in another way than it is, and lines that are no headers. */
export const oddHeader: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...FRAMES).map((length) => `Content-Length: ${length}`),
  fc.constantFrom(...CODINGS).map((coding) => `Transfer-Encoding: ${coding}`),
  fc.constantFrom(...LINES),
);
