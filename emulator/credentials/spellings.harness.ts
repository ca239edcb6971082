/** In JSON escapes, every character. */
export const unicode = (text: string) =>
  [...text].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
/** Percent-encoded, every character that is one byte. */
export const percent = (text: string) =>
  [...text].map((one) => `%${one.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');

/** How a credential may be written, for tests. */
export const SPELLINGS: Readonly<Record<string, (secret: string) => string>> = {
  'as it is': (secret) => secret,
  'in \\u escapes': unicode,
  'in \\U escapes in upper case': (secret) =>
    unicode(secret).replace(/u00../g, (one) => `u${one.slice(1).toUpperCase()}`),
  'with one character escaped': (secret) => unicode(secret[0] ?? '') + secret.slice(1),
  'in JSON within JSON': (secret) => JSON.stringify(JSON.stringify({ a: secret }).replace('emu', '\\u0065mu')),
  'in both, character by character': (secret) =>
    [...secret].map((one, at) => [one, unicode(one), percent(one)][at % 3]).join(''),
  'percent-encoded': percent,
  'percent-encoded twice': (secret) => percent(secret).replaceAll('%', '%25'),
  'as encodeURIComponent has it': encodeURIComponent,
  'with slashes escaped': (secret) => secret.replaceAll('/', '\\/'),
  'in Base64': (secret) => Buffer.from(secret).toString('base64'),
  'in Base64, as Basic has it': (secret) => Buffer.from(`user:${secret}`).toString('base64'),
  'in Base64, off by two': (secret) => Buffer.from(`::${secret}:::`).toString('base64'),
  'in base64url': (secret) => Buffer.from(`?>${secret}`).toString('base64url'),
  'in Base64 in JSON': (secret) => JSON.stringify({ a: Buffer.from(secret).toString('base64') }).replaceAll('/', '\\/'),
};
