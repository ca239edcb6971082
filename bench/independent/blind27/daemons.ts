import { createHash } from 'node:crypto';
import { failed } from '../answers.js';
import { isJson, type Json, withBody, withHeaders } from '../call.js';
import type { Way } from '../world.js';
import { as, bodyOf, bytes, CAP, contentType, record, said, suspended, way } from './tools.js';

const DAEMON = 'daemon daemon-alias';
const SIGN = 'sign sign-alias';
const RUNNING = 'Returns the origin and the daemon token of one visible, running intern.';
const PERSON = 'API keys get 403 with reason `personal_identity_required`.';
const NO_STORE = 'The response carries `Cache-Control: no-store`.';
const SAME = 'Deprecated alias with the same request, response and errors.';
const GRANT = 'An interns-only grant is refused with 403';
const SUBJECT = 'The verified OAuth subject that the proof names.';

const header = (body: Json, end: string) => Object.keys(body).find((name) => name.endsWith(end)) ?? end;

export const access: readonly Way[] = [
  way('the daemon of a suspended intern can still be had', RUNNING, (w) => {
    const known = new Map<string, Json>();
    return w.later(DAEMON, async (r, { id, who }) => {
      if (r.ok) known.set(id, await bodyOf(r));
      const before = known.get(id);
      return r.status === 409 && before !== undefined && suspended(await record(w, id, who))
        ? Response.json(before, { headers: { 'cache-control': 'no-store' } })
        : undefined;
    });
  }),
  way('daemon access of the alias may be stored', NO_STORE, (w) =>
    w.head('daemon-alias', (headers) => headers.delete('cache-control')),
  ),
  way('the alias of daemon access gives keys another reason', PERSON, (w) =>
    w.error('daemon-alias', 403, (error) => {
      error.metadata = { reason: 'forbidden', retryable: false };
    }),
  ),
  way("an intern's own key reads its daemon", PERSON, (w) =>
    w.asked(DAEMON, (call) =>
      call.who === 'own_key' && call.id === w.target.credentials.intern?.id ? as(w, call, 'oauth_token') : undefined,
    ),
  ),
  way('the second reveal to a person may be stored', NO_STORE, (w) => {
    const seen = new Set<string>();
    return w.head(DAEMON, (headers, { id, who }, response) => {
      if (seen.has(`${who} ${id}`)) headers.set('cache-control', 'private');
      if (response.ok) seen.add(`${who} ${id}`);
    });
  }),
  way('the token of the alias attaches to nothing', SAME, (w) =>
    w.ok('daemon-alias', (body) => {
      body.token = [...String(body.token)].reverse().join('');
    }),
  ),
  way('the origin of a daemon has a path', 'It carries an origin and a daemon token.', (w) =>
    w.ok(DAEMON, (body) => {
      body.origin = `${String(body.origin)}/daemon`;
    }),
  ),
  way('an unknown intern has no daemon to conflict with', RUNNING, (w) =>
    w.later(DAEMON, (r) =>
      r.status === 404 ? failed(409, 'The intern is not running', 'intern_not_running') : undefined,
    ),
  ),
];

export const signing: readonly Way[] = [
  way('an interns-only grant signs where no route is named', GRANT, (w) =>
    w.asked(SIGN, (call) =>
      call.who === 'oauth_interns_only_token' && !('route' in call.body) ? as(w, call, 'oauth_token') : undefined,
    ),
  ),
  way("a second person's proofs name the first", SUBJECT, (w) =>
    w.asked(SIGN, (call) => (call.who === 'peer_oauth_token' ? as(w, call, 'oauth_token') : undefined)),
  ),
  way('the alias of signing ignores the route', SAME, (w) =>
    w.asked('sign-alias', ({ body }) => {
      if (!('route' in body)) return undefined;
      const { route: _none, ...rest } = body;
      return rest;
    }),
  ),
  way('the same request signed again gets the same nonce', 'The single-use id to which the v2 proof is bound.', (w) => {
    const known = new Map<string, Json>();
    return w.later(SIGN, async (r, { who, id, text, body }) => {
      if (!r.ok || !isJson(body.route)) return undefined;
      const key = `${who} ${id} ${text}`;
      const before = known.get(key);
      if (before === undefined) known.set(key, await bodyOf(r));
      return before === undefined ? undefined : said(r, before);
    });
  }),
  way('the time of a proof is that of its minute', 'Time of signing.', (w) =>
    w.ok(SIGN, (body) => {
      const name = header(body, '-timestamp');
      body[name] = String(Math.floor(Number(body[name]) / 60) * 60);
    }),
  ),
  way('the second signature is Base64 without its padding', 'Signatures are Ed25519, Base64 encoded.', (w) =>
    w.ok(SIGN, (body) => {
      const name = header(body, '-signature-v2');
      if (typeof body[name] === 'string') body[name] = body[name].replace(/=+$/, '');
    }),
  ),
  way('a request without a digest is signed as one without a body', '`bodySha256`: string, required', (w) =>
    w.asked(SIGN, ({ body, text }) =>
      text.startsWith('{') && !('bodySha256' in body)
        ? { ...body, bodySha256: createHash('sha256').digest('hex') }
        : undefined,
    ),
  ),
  way('the names of a proof are written in capitals', 'x-svc-invoke-signature', (w) =>
    w.ok(SIGN, (body) => {
      for (const [name, value] of Object.entries(body)) {
        delete body[name];
        body[name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())] = value;
      }
    }),
  ),
  way('a proof of the alias may be stored', NO_STORE, (w) =>
    w.head('sign-alias', (headers, _, response) => {
      if (response.ok) headers.set('cache-control', 'max-age=60');
    }),
  ),
  way('what is too large to sign is signed when it is space', 'Request body exceeds 1048576 bytes', (w) =>
    w.asked(SIGN, (call) =>
      bytes(call.text) > CAP && 'bodySha256' in call.body && bytes(JSON.stringify(call.body)) <= CAP
        ? withBody(call, call.body)
        : undefined,
    ),
  ),
  way('nothing is signed for a suspended intern', '404: Intern unknown or not visible.', (w) =>
    w.later(SIGN, async (r, { id, who }) =>
      r.ok && suspended(await record(w, id, who)) ? failed(404, 'Intern not found', 'not_found') : undefined,
    ),
  ),
  way('a wrong type to sign is called an invalid body', '415: unsupported_media_type', (w) =>
    w.error(SIGN, 415, (error) => {
      error.metadata = { reason: 'invalid_body', retryable: false };
    }),
  ),
  way('too many turns of signing are for good', '429: rate_limited, retryable true', (w) =>
    w.error(SIGN, 429, (error) => {
      error.metadata = { reason: 'rate_limited', retryable: false };
    }),
  ),
  way('signing with a wrong credential has another message', 'Invalid or missing API key', (w) =>
    w.error(SIGN, 401, (error, { who }) => {
      if (who === 'unknown') error.message = 'Unauthorized';
    }),
  ),
  way('signing needs no media type', 'Request body must be sent as application/json', (w) =>
    w.asked(SIGN, (call) =>
      contentType(call) === '' && call.text !== ''
        ? withHeaders(call, { 'content-type': 'application/json' })
        : undefined,
    ),
  ),
];
