import { failed } from '../answers.js';
import { withBody, withHeaders } from '../call.js';
import type { Way } from '../world.js';
import { named } from './named.js';

const CREATE_CAP = 'The body is capped at 1048576 bytes, and a larger body is refused with 413.';
const TYPE = 'A non-empty body must declare `Content-Type: application/json`, or it is refused with 415.';
const RULES = 'The 1048576-byte cap, 413 and 415 rules apply';
const CAP = 1_048_576;
const tooLarge = () => failed(413, 'Request body exceeds 1048576 bytes', 'payload_too_large');
const wrongType = () => failed(415, 'Request body must be sent as application/json', 'unsupported_media_type');
const bytes = (text: string) => new TextEncoder().encode(text).length;
const typeOf = (request: Request) => request.headers.get('content-type') ?? '';

export const bodies: readonly Way[] = [
  named('create counts characters in place of bytes', CREATE_CAP, (w) =>
    w.later('create', (r, { text }) =>
      r.status === 413 && text.length <= CAP && bytes(text) > CAP
        ? failed(400, 'Invalid request body', 'invalid_body')
        : undefined,
    ),
  ),
  named('update applies the cap of a million', RULES, (w) =>
    w.instead('update', ({ text }) => (bytes(text) > 1_000_000 && bytes(text) <= CAP ? tooLarge() : undefined)),
  ),
  named('delete takes no notice of how large a body is', RULES, (w) =>
    w.asked('delete', (call) => (bytes(call.text) > CAP ? {} : undefined)),
  ),
  named('create takes a body of plain text', TYPE, (w) =>
    w.asked('create', (call) =>
      call.text !== '' && /^text\/plain/.test(typeOf(call.request))
        ? withHeaders(call, { 'content-type': 'application/json' })
        : undefined,
    ),
  ),
  named('update takes every type that begins with application/json', RULES, (w) =>
    w.asked('update', (call) =>
      /^application\/json[^;\s]/.test(typeOf(call.request))
        ? withHeaders(call, { 'content-type': 'application/json' })
        : undefined,
    ),
  ),
  named('update refuses a type by 415, and changes', RULES, (w) =>
    w.later('update', async (r, { id, who, body }) =>
      r.status === 415 && (await w.ask('PATCH', `/interns/${id}`, { as: who, body })).ok ? r : undefined,
    ),
  ),
  named('delete refuses a type by 415, and deletes', RULES, (w) =>
    w.later('delete', async (r, { id, who }) =>
      r.status === 415 && (await w.ask('DELETE', `/interns/${id}`, { as: who })).ok ? r : undefined,
    ),
  ),
  named(
    'the alias of signing has no cap',
    'Request body size | 1048576 bytes | create, update, delete, signing; larger gives 413.',
    (w) =>
      w.asked('sign-alias', (call) =>
        bytes(call.text) > CAP ? withBody(call, { bodySha256: 'a'.repeat(64) }) : undefined,
      ),
  ),
  named(
    'signing caps a body at a million',
    'Request body size | 1048576 bytes | create, update, delete, signing; larger gives 413.',
    (w) =>
      w.instead('sign sign-alias', ({ text, who }) =>
        who === 'oauth_token' && bytes(text) > 1_000_000 && bytes(text) <= CAP ? tooLarge() : undefined,
      ),
  ),
  named('signing says 413 in other words', '413 | Request body exceeds 1048576 bytes | payload_too_large', (w) =>
    w.error('sign', 413, (error) => {
      error.message = 'Payload too large';
    }),
  ),
  named(
    'signing refuses a type with a charset',
    '415 | Request body must be sent as application/json | unsupported_media_type | Wrong media type.',
    (w) => w.instead('sign', ({ request }) => (/json *; *charset/i.test(typeOf(request)) ? wrongType() : undefined)),
  ),
];
