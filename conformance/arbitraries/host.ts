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
