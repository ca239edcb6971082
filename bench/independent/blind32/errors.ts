import { failed } from '../answers.js';
import { withBody, withHeaders } from '../call.js';
import type { Way } from '../world.js';
import { bytesOf, CAP, way } from './helpers.js';

const ENVELOPE =
  'Envelope: `{ error: { code: <integer HTTP status>, message: <string>, metadata: { reason: <string>, retryable: <boolean> } } }`.';
const ABSENT = 'The `metadata` object is absent on the 401 error of the signing route and on all SCIM errors.';
const TABLE = 'Signing route errors';
const CAPPED = 'The body is capped at 1048576 bytes, and a larger body is refused with 413.';
const DECLARED = 'A non-empty body must declare `Content-Type: application/json`, or it is refused with 415.';
const AGAIN = 'The 1048576-byte cap, 413 and 415 rules apply';

const typeOf = (request: Request) => request.headers.get('content-type') ?? '';

export const errors: readonly Way[] = [
  way('session-code-as-text', ENVELOPE, (w) =>
    w.error('invoke', 404, (error) => {
      if (/session/i.test(error.message)) error.code = '404';
    }),
  ),
  way('retryable-left-out-of-413', ENVELOPE, (w) =>
    w.error('create update delete sign', 413, ({ metadata }) => {
      delete metadata?.retryable;
    }),
  ),
  way('chat-errors-as-plain-text', 'Request and response bodies are JSON unless a stream is stated.', (w) =>
    w.head('chat', (headers, _, { status }) => {
      if (status >= 400) headers.set('content-type', 'text/plain; charset=utf-8');
    }),
  ),
  way('sign-401-with-metadata-for-wrong-keys', ABSENT, (w) =>
    w.error('sign sign-alias', 401, (error, { who }) => {
      if (who !== 'none') error.metadata = { reason: 'unauthorized', retryable: false };
    }),
  ),
  way('sign-401-says-malformed', '`Invalid or missing API key` on the signing route', (w) =>
    w.error('sign sign-alias', 401, (error, { who, request }) => {
      if (who === 'none' && request.headers.has('authorization')) error.message = 'Malformed Authorization header';
    }),
  ),
  way('scim-404-with-metadata', ABSENT, (w) =>
    w.error('scim', 404, (error) => {
      error.metadata = { reason: 'not_found', retryable: false };
    }),
  ),
  way('sign-404-for-one-deleted', TABLE, (w) => {
    const deleted = new Set<string>();
    return async (call, next) => {
      const response = await next();
      if (call.op === 'delete' && response.ok) deleted.add(call.id);
      if (!call.op.startsWith('sign') || response.status !== 404 || !deleted.has(call.id)) return response;
      w.hit();
      return failed(410, 'Intern is gone', 'gone');
    };
  }),
  way('sign-403-names-the-scope', TABLE, (w) =>
    w.error('sign sign-alias', 403, ({ metadata }, { who }) => {
      if (metadata && who === 'oauth_interns_only_token') metadata.reason = 'insufficient_scope';
    }),
  ),
  way('sign-400-names-the-field', TABLE, (w) =>
    w.error('sign', 400, (error, { body }) => {
      if (body.bodySha256 === undefined) error.message = 'bodySha256 is required';
    }),
  ),
  way('sign-null-body-breaks', TABLE, (w) =>
    w.later('sign sign-alias', (response, { text }) =>
      response.status === 400 && text.trim() === 'null'
        ? failed(500, 'The request could not be completed', 'internal_error', true)
        : undefined,
    ),
  ),
  way('cap-in-characters', CAPPED, (w) =>
    w.later('create update sign', (response, { text }) =>
      response.status === 413 && text.length <= CAP && bytesOf(text) > CAP
        ? failed(400, 'Invalid request body', 'invalid_body')
        : undefined,
    ),
  ),
  way('cap-one-byte-early', CAPPED, (w) =>
    w.later('create update delete sign', (response, { text }) =>
      response.status !== 413 && bytesOf(text) === CAP
        ? failed(413, 'Request body exceeds 1048576 bytes', 'payload_too_large')
        : undefined,
    ),
  ),
  way('cap-without-white-space', AGAIN, (w) => async (call, next) => {
    if (!/^(create|update|delete)$/.test(call.op) || bytesOf(call.text) <= CAP || bytesOf(call.text.trim()) > CAP)
      return next();
    w.hit();
    return next(withBody(call, call.text.trim()));
  }),
  way('type-by-its-beginning', DECLARED, (w) => async (call, next) => {
    const type = typeOf(call.request);
    if (!/^(create|update)$/.test(call.op) || !/^application\/json[^;\s]/i.test(type)) return next();
    w.hit();
    return next(withHeaders(call, { 'content-type': 'application/json' }));
  }),
  way('type-undeclared-on-delete', AGAIN, (w) => async (call, next) => {
    if (call.op !== 'delete' || call.text === '' || !/^$|^text\/plain/.test(typeOf(call.request))) return next();
    w.hit();
    return next(withHeaders(call, { 'content-type': 'application/json' }));
  }),
  way('type-of-nothing-refused', DECLARED, (w) =>
    w.instead('delete', ({ text, request }) =>
      text === '' && !/^$|json/.test(typeOf(request))
        ? failed(415, 'Request body must be sent as application/json', 'unsupported_media_type')
        : undefined,
    ),
  ),
];
