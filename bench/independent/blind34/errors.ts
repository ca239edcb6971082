import { failed } from '../answers.js';
import { bytesOf, CAP, way } from '../blind32/helpers.js';
import { isJson, parsed, withBody, withHeaders } from '../call.js';
import type { Way } from '../world.js';
import { isKnown, served, typeOf } from './helpers.js';

const ENVELOPE =
  'Envelope: `{ error: { code: <integer HTTP status>, message: <string>, metadata: { reason: <string>, retryable: <boolean> } } }`.';
const JSON_BODIES = 'Request and response bodies are JSON unless a stream is stated.';
const TYPED = 'A non-empty body must declare `Content-Type: application/json`, or it is refused with 415.';
const CAPPED = 'The body is capped at 1048576 bytes, and a larger body is refused with 413.';
const CAP_EVERYWHERE = 'create, update, delete, signing; larger gives 413.';
const DELETES = 'The 1048576-byte cap, 413 and 415 rules apply.';
const UPDATES = 'The 1048576-byte cap, 413 and 415 rules apply as for create.';
const MESSAGES =
  'Messages: `Invalid or missing API key` on the signing route; `Missing Authentication header` on the SCIM route.';
const NO_METADATA = 'The `metadata` object is absent on the 401 error of the signing route and on all SCIM errors.';
const ALIAS = 'Deprecated alias of the operation above with the same request, response and errors.';

export const errors: readonly Way[] = [
  way('sign-401-by-presence', MESSAGES, (w) =>
    w.error('sign sign-alias', 401, (error, { who }) => {
      if (who === 'none') error.message = 'Missing Authentication header';
    }),
  ),
  way('sign-401-with-metadata-for-a-dead-key', NO_METADATA, (w) =>
    w.error('sign', 401, (error, { who }) => {
      if (who === 'unknown') error.metadata = { reason: 'invalid_token', retryable: false };
    }),
  ),
  way('scim-404-with-metadata', NO_METADATA, (w) =>
    w.error('scim', 404, (error) => {
      error.metadata = { reason: 'not_found', retryable: false };
    }),
  ),
  way('413-of-the-proxy', JSON_BODIES, (w) =>
    w.later('create update', ({ status }) =>
      status === 413
        ? new Response('<html><body><h1>413 Request Entity Too Large</h1></body></html>', {
            status: 413,
            headers: { 'content-type': 'text/html' },
          })
        : undefined,
    ),
  ),
  way('code-as-text-for-a-session', ENVELOPE, (w) =>
    w.error('invoke', 404, (error, { body }) => {
      if (body.session_id !== undefined) error.code = '404';
    }),
  ),
  way('field-refused-as-text', JSON_BODIES, (w) =>
    w.head('provision suspend', (headers, _, { status }) => {
      if (status === 400) headers.set('content-type', 'text/plain;charset=UTF-8');
    }),
  ),
  way('sign-400-may-be-retried', '| 400 | Invalid request body | invalid_body | false | Body invalid. |', (w) =>
    w.error('sign sign-alias', 400, ({ metadata }) => {
      if (metadata) metadata.retryable = true;
    }),
  ),
  way(
    'sign-413-in-mebibytes',
    '| 413 | Request body exceeds 1048576 bytes | payload_too_large | false | Body above the cap. |',
    (w) =>
      w.error('sign sign-alias', 413, (error) => {
        error.message = 'Request body exceeds 1 MiB';
      }),
  ),
  way('sign-alias-415-of-the-old-version', ALIAS, (w) =>
    w.error('sign-alias', 415, ({ metadata }) => {
      if (metadata) metadata.reason = 'unsupported_content_type';
    }),
  ),
  way('sign-404-bare', '| 404 | Intern not found | not_found | false | Intern unknown or not visible. |', (w) =>
    w.error('sign', 404, (error, { id }) => {
      if (!/^[0-9a-f-]{36}$/i.test(id)) delete error.metadata;
    }),
  ),
  way(
    'type-by-its-beginning',
    TYPED,
    (w) => (call, next) =>
      /^(create|update|delete|sign)$/.test(call.op) && /^application\/json[^;\s]/i.test(typeOf(call))
        ? served(w, next, withHeaders(call, { 'content-type': 'application/json' }))
        : next(),
  ),
  way(
    'update-takes-merge-patches',
    UPDATES,
    (w) => (call, next) =>
      call.op === 'update' && /^application\/merge-patch\+json/i.test(typeOf(call))
        ? served(w, next, withHeaders(call, { 'content-type': 'application/json' }))
        : next(),
  ),
  way(
    'delete-of-any-type',
    DELETES,
    (w) => (call, next) =>
      call.op === 'delete' && isJson(parsed(call.text)) && !/^application\/json/i.test(typeOf(call))
        ? served(w, next, withHeaders(call, { 'content-type': 'application/json' }))
        : next(),
  ),
  way('charset-in-capitals-refused', TYPED, (w) =>
    w.instead('create update delete sign', (call) =>
      isKnown(call) && /^application\/json *; *charset="?UTF-8/.test(typeOf(call))
        ? failed(415, 'Request body must be sent as application/json', 'unsupported_media_type')
        : undefined,
    ),
  ),
  way(
    'cap-in-characters',
    CAPPED,
    (w) => (call, next) =>
      /^(create|update)$/.test(call.op) && bytesOf(call.text) > CAP && call.text.length <= CAP
        ? served(w, next, withBody(call, call.body))
        : next(),
  ),
  way('cap-of-a-delete-one-short', CAP_EVERYWHERE, (w) =>
    w.later('delete', ({ ok }, { text }) =>
      ok && bytesOf(text) === CAP ? failed(413, 'Request body exceeds 1048576 bytes', 'payload_too_large') : undefined,
    ),
  ),
];
