import type { Rows } from './requirement.js';

export const BASE = {
  'BASE-1': {
    level: 'S',
    sentence:
      'Every path is under a base that ends in /api/v1; the same path without the version segment is not served.',
    where: 'Versioning',
  },
  'BASE-2': {
    level: 'S',
    sentence: 'Bodies are JSON with a JSON content type, unless a stream is stated.',
    where: 'Introduction',
  },
  'BASE-3': {
    level: 'S',
    sentence:
      'An error body is {error: {code, message, metadata?}}: code is an integer equal to the HTTP status, metadata is {reason: string, retryable: boolean} and absent on the signing 401 and on SCIM errors.',
    published: 'metadata is absent on every 401 and on the regional 403 too.',
    where: 'Errors',
  },
  'BASE-4': {
    level: 'S',
    sentence: 'A request on a regional hostname is refused, SCIM included.',
    published: 'It is refused with 403 `Forbidden` and no metadata.',
    chosen: 'A Host that starts with `eu.` is regional.',
    where: 'General visibility rules 3',
  },
  'BASE-5': {
    level: 'C',
    sentence:
      'An unknown path is 404 not_found (under /scim `Resource not found` without metadata); a known path with another method is 405 method_not_allowed with Allow; HEAD answers as GET without a body; OPTIONS is 204 with Allow; malformed JSON is 400, never 500.',
    where: 'Contract, Base and errors',
  },
  'BASE-6': {
    level: 'C',
    sentence: "Every response carries x-request-id and echoes the caller's where it matches [A-Za-z0-9._:-]{1,128}.",
    where: 'Contract, Base and errors',
  },
} as const satisfies Rows;
