import { failed } from '../answers.js';
import { parsed, withBody, withHeaders } from '../call.js';
import type { Way } from '../world.js';
import { CAP, seen } from './service.js';

const CAPPED = 'The body is capped at 1048576 bytes, and a larger body is refused with 413.';
const TYPED = 'A non-empty body must declare `Content-Type: application/json`, or it is refused with 415.';
const ENVELOPE =
  'Envelope: `{ error: { code: <integer HTTP status>, message: <string>, metadata: { reason: <string>, retryable: <boolean> } } }`.';
const wrongType = () => failed(415, 'Request body must be sent as application/json', 'unsupported_media_type');
const tooLarge = () => failed(413, 'Request body exceeds 1048576 bytes', 'payload_too_large');

export const bodies: readonly Way[] = [
  {
    name: 'cap-in-characters',
    quote: CAPPED,
    wrong: (w) =>
      w.later('create update', ({ status }, { text }) =>
        status === 413 && text.length <= CAP ? failed(400, 'Invalid request body', 'invalid_body') : undefined,
      ),
  },
  {
    name: 'cap-itself-too-large-for-delete',
    quote: '| Request body size | 1048576 bytes | create, update, delete, signing; larger gives 413. |',
    wrong: (w) => w.instead('delete', ({ text }) => (Buffer.byteLength(text) === CAP ? tooLarge() : undefined)),
  },
  {
    name: 'charset-refused-by-update',
    quote: TYPED,
    wrong: (w) =>
      w.later('update', ({ ok }, { request }) =>
        ok && request.headers.get('content-type')?.includes(';') ? wrongType() : undefined,
      ),
  },
  {
    name: 'delete-without-body-needs-media-type',
    quote: 'The body is optional; … A non-empty body must declare `Content-Type: application/json`',
    wrong: (w) =>
      w.instead('delete', async ({ id, who, request, text }) => {
        if (text !== '' || request.headers.get('content-type') !== null) return undefined;
        return (await seen(w, id, who)) ? wrongType() : undefined;
      }),
  },
  {
    name: 'media-type-by-its-beginning',
    quote: TYPED,
    wrong: (w) =>
      w.asked('create update', (call) => {
        const type = call.request.headers.get('content-type') ?? '';
        return /^application\/json[^;\s]/.test(type)
          ? withHeaders(call, { 'content-type': 'application/json' })
          : undefined;
      }),
  },
  {
    name: 'sign-alias-takes-any-media-type',
    quote:
      '| 415 | Request body must be sent as application/json | unsupported_media_type | false | Wrong media type. |',
    wrong: (w) =>
      w.asked('sign-alias', (call) => {
        const type = call.request.headers.get('content-type') ?? '';
        return type.startsWith('application/json')
          ? undefined
          : withHeaders(call, { 'content-type': 'application/json' });
      }),
  },
  {
    name: 'update-reads-the-first-value-only',
    quote: 'Request and response bodies are JSON unless a stream is stated.',
    wrong: (w) =>
      w.asked('update', (call) => {
        if (parsed(call.text) !== undefined) return undefined;
        const first = call.text.slice(0, call.text.indexOf('}') + 1);
        return parsed(first) === undefined ? undefined : withBody(call, first);
      }),
  },
  {
    name: 'deleted-intern-404-without-metadata',
    quote: ENVELOPE,
    wrong: (w) => {
      const deleted = new Set<string>();
      return async (call, next) => {
        const response = await next();
        if (call.op === 'delete' && response.ok) deleted.add(call.id);
        if (call.op !== 'get' || response.status !== 404 || !deleted.has(call.id)) return response;
        w.hit();
        return failed(404, 'Intern not found');
      };
    },
  },
  {
    name: 'signing-401-with-metadata-on-alias',
    quote: 'The `metadata` object is absent on the 401 error of the signing route and on all SCIM errors.',
    wrong: (w) =>
      w.error('sign-alias', 401, (error) => {
        error.metadata = { reason: 'unauthorized', retryable: false };
      }),
  },
];
