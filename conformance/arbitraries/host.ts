import fc from 'fast-check';

const LABEL = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,5}[a-z0-9])?$/);
const TOP = fc.constantFrom('com', 'test', 'example', 'xn--p1ai', 'internal');

/** An exact DNS name as secrets are bound to it: in lower case, without a trailing dot. */
export const host = (): fc.Arbitrary<string> =>
  fc
    .oneof(
      { arbitrary: fc.tuple(fc.array(LABEL, { minLength: 1, maxLength: 3 }), TOP), weight: 6 },
      {
        arbitrary: fc.constantFrom('a'.repeat(63), `a${'-'.repeat(61)}b`).map((long) => [[long], 'com'] as const),
        weight: 1,
      },
    )
    .map(([labels, top]) => [...labels, top].join('.'));

/** The same name in another spelling: letters in either case, with a trailing dot or without. */
export const spelt = (name: string): fc.Arbitrary<string> =>
  fc
    .tuple(fc.array(fc.boolean(), { minLength: name.length, maxLength: name.length }), fc.boolean())
    .map(([upper, dot]) => {
      const letters = [...name].map((char, at) => (upper[at] === true ? char.toUpperCase() : char)).join('');
      return dot ? `${letters}.` : letters;
    });

/** Names in any spelling, some of them more than once, with what they are stored as. */
export const hosts = (): fc.Arbitrary<{ sent: string[]; kept: string[] }> =>
  fc
    .array(host(), { minLength: 1, maxLength: 5 })
    .chain((names) =>
      fc
        .tuple(...[...names, ...names.slice(0, 2)].map((name) => spelt(name)))
        .map((sent) => ({ sent, kept: [...new Set(names)] })),
    );

/** Texts that are published to be no host: a scheme, a port, a path, a wildcard, nothing. */
export const BAD_HOSTS: readonly string[] = [
  '',
  'https://api.example.com',
  'api.example.com:443',
  'api.example.com/',
  'api.example.com/path',
  '*.example.com',
  '*',
];

/** Other texts that are no host: an address, an empty or malformed label, a long one, one that is not ASCII. */
export const NO_HOSTS: readonly unknown[] = [
  '127.0.0.1',
  '[::1]',
  '::1',
  'api.example.1',
  '.',
  '.example.com',
  'api..example.com',
  'api.example.com..',
  '-api.example.com',
  'api-.example.com',
  'api_x.example.com',
  ' api.example.com',
  'api.example.com\n',
  'api.exämple.com',
  'api.example.com?x=1',
  'user@api.example.com',
  `${'a'.repeat(64)}.com`,
  `${Array.from({ length: 4 }, () => 'a'.repeat(63)).join('.')}.com`,
  '\u212a.example.com',
  7,
  null,
  ['api.example.com'],
];
