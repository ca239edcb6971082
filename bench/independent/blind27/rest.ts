import { failed } from '../answers.js';
import { isJson, withHeaders } from '../call.js';
import type { Way } from '../world.js';
import { as, interns, said, way } from './tools.js';

const MAPPING = 'Response: JSON object `{ data: <SCIM group mapping> }`';
const TIME = 'string, ISO 8601 UTC timestamp with milliseconds';
const SCIM_ERRORS = 'The `metadata` object is absent on all SCIM errors.';
const ENVELOPE =
  '`{ error: { code: <integer HTTP status>, message: <string>, metadata: { reason: <string>, retryable: <boolean> } } }`';
const SAME = 'Deprecated alias with the same request, response and errors.';
const LAWFUL = 'not shown';

export const mappings: readonly Way[] = [
  way('a whole second of a mapping has no milliseconds', TIME, (w) =>
    w.ok('scim', ({ data }) => {
      if (!isJson(data)) return;
      for (const name of ['created_at', 'updated_at']) data[name] = String(data[name]).replace(/\.000Z$/, 'Z');
    }),
  ),
  way('the times of a mapping name their offset', TIME, (w) =>
    w.ok('scim', ({ data }) => {
      if (isJson(data)) data.updated_at = String(data.updated_at).replace(/Z$/, '+00:00');
    }),
  ),
  way('an unknown mapping has metadata', SCIM_ERRORS, (w) =>
    w.error('scim', 404, (error) => {
      error.metadata = { reason: 'not_found', retryable: false };
    }),
  ),
  way("another organization's management key reads a mapping", '404: Mapping unknown.', (w) =>
    w.asked('scim', (call) => (call.who === 'foreign_management_key' ? as(w, call, 'management_key') : undefined)),
  ),
  way('a mapping read again is not wrapped', MAPPING, (w) => {
    const seen = new Set<string>();
    return w.ok('scim', (body, { id }) => {
      if (seen.has(id) && isJson(body.data)) {
        const { data } = body;
        delete body.data;
        Object.assign(body, data);
      }
      seen.add(id);
    });
  }),
  way('an API key reads mappings', 'Requires a management key as bearer token.', (w) =>
    w.asked('scim', (call) => (call.who === 'api_key' ? as(w, call, 'management_key') : undefined)),
  ),
  way('a mapping id that is no UUID is invalid', 'Errors: 401, 404, 500.', (w) =>
    w.later('scim', (r, { id }) =>
      r.status === 404 && !/^[0-9a-f-]{36}$/i.test(id) ? failed(400, 'Invalid mapping id') : undefined,
    ),
  ),
  way('a mapping names its group by a short id', 'scim_group_id: string, UUID', (w) =>
    w.ok('scim', ({ data }) => {
      if (isJson(data)) data.scim_group_id = String(data.scim_group_id).replaceAll('-', '');
    }),
  ),
];

export const errors: readonly Way[] = [
  way('an update of an unknown intern has its code as text', ENVELOPE, (w) =>
    w.error('update', 404, (error) => {
      error.code = String(error.code);
    }),
  ),
  way('a delete of an unknown intern says 400 inside', ENVELOPE, (w) =>
    w.error('delete', 404, (error) => {
      error.code = 400;
    }),
  ),
  way('an invalid create does not say whether to retry', ENVELOPE, (w) =>
    w.error('create', 400, (error) => {
      if (error.metadata !== undefined) delete error.metadata.retryable;
    }),
  ),
  way('a key at the daemon is refused with retryable as text', ENVELOPE, (w) =>
    w.error('daemon', 403, (error) => {
      if (error.metadata !== undefined) error.metadata.retryable = 'false';
    }),
  ),
  way('what is too large is answered as a page', ENVELOPE, (w) =>
    w.later('create update delete sign sign-alias', (r) =>
      r.status === 413
        ? new Response('<html><body>413 Request Entity Too Large</body></html>', {
            status: 413,
            headers: { 'content-type': 'text/html' },
          })
        : undefined,
    ),
  ),
  way('a wrong media type has a list of errors', ENVELOPE, (w) =>
    w.json('update delete', (body, _, { status }) => {
      if (status !== 415) return;
      body.errors = [body.error];
      delete body.error;
    }),
  ),
  way('an unknown session has no reason', ENVELOPE, (w) =>
    w.error('invoke', 404, (error, { body }) => {
      if ('session_id' in body && error.metadata !== undefined) error.metadata.reason = null;
    }),
  ),
  way('a suspend with a field has an empty answer', ENVELOPE, (w) =>
    w.later('suspend', (r) => (r.status === 400 ? new Response(null, { status: 400 }) : undefined)),
  ),
];

export const versions: readonly Way[] = [
  way('the alias of signing redirects', SAME, (w) =>
    w.instead('sign-alias', ({ url }) =>
      Response.json(null, {
        status: 308,
        headers: { location: url.pathname.replace('/daemon-access/sign', '/daemon/sign') },
      }),
    ),
  ),
  way('the alias of signing takes API keys', SAME, (w) =>
    w.asked('sign-alias', (call) => (call.who === 'api_key' ? as(w, call, 'oauth_token') : undefined)),
  ),
  way('the alias of signing takes any media type', SAME, (w) =>
    w.asked('sign-alias', (call) => (call.text.startsWith('{') ? mediaType(call) : undefined)),
  ),
  way('an unknown intern is gone at the alias of daemon access', SAME, (w) =>
    w.later('daemon-alias', (r) => (r.status === 404 ? failed(410, 'Gone', 'gone') : undefined)),
  ),
  way('the alias of daemon access wraps its answer', SAME, (w) =>
    w.ok('daemon-alias', (body) => {
      const data = { ...body };
      for (const name of Object.keys(body)) delete body[name];
      body.data = data;
    }),
  ),
];

export const lawful: readonly Way[] = [
  way('interns have another field, and answers another header', LAWFUL, (w) => {
    const fields = w.ok('create get list update', (body) => {
      for (const intern of interns(body)) intern.region_hint = 'none';
    });
    const head = w.head('*', (headers) => headers.set('x-served-by', 'b27'));
    return (call, next) => head(call, () => fields(call, next));
  }),
  way('the words of a reply come in halves', LAWFUL, (w) =>
    w.stream(() => (_, chunk) => {
      const [choice] = chunk?.choices ?? [];
      const content = choice?.delta.content;
      if (chunk === undefined || choice === undefined || typeof content !== 'string') return undefined;
      if (!/^[ -~]{4,}$/.test(content)) return undefined;
      const { role: _none, ...later } = choice.delta;
      const half = (delta: object, text: string) => ({
        ...chunk,
        choices: [{ ...choice, delta: { ...delta, content: text }, finish_reason: null }],
      });
      const rest = { ...chunk, choices: [{ ...choice, delta: { ...later, content: content.slice(2) } }] };
      return [half(choice.delta, content.slice(0, 2)), rest];
    }),
  ),
  way('an accepted delete and provision answer with 200', LAWFUL, (w) =>
    w.later('delete provision', async (r) => (r.status === 202 ? said(r, await r.clone().json(), 200) : undefined)),
  ),
].map((one) => ({ ...one, lawful: true as const }));

function mediaType(call: Parameters<typeof withHeaders>[0]): Request | undefined {
  return /^application\/json\b/i.test(call.request.headers.get('content-type') ?? '')
    ? undefined
    : withHeaders(call, { 'content-type': 'application/json' });
}
