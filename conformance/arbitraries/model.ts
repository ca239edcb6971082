import fc from 'fast-check';

const WORD = fc.string({
  unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789'),
  minLength: 1,
  maxLength: 12,
});

/** `author/slug`, with a variant or without. */
export const model = (): fc.Arbitrary<string> =>
  fc
    .tuple(WORD, WORD, fc.option(WORD, { nil: undefined }))
    .map(([author, slug, variant]) => `${author}/${slug}-1.5${variant === undefined ? '' : `:${variant}`}`);

/** Invalid models. */
export const BAD_MODELS: readonly unknown[] = [
  '',
  'slug',
  '/slug',
  'author/',
  'author/slug/more',
  'author/slug:',
  ':variant',
  'author slug',
  'author/slug variant',
  ' author/slug',
  'author/slug\n',
  7,
  true,
  [],
  {},
  ['author/slug'],
];
