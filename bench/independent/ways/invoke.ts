import { failed } from '../answers.js';
import { type Json, withBody, withHeaders } from '../call.js';
import type { Way } from '../world.js';
import { named } from './named.js';

const STARTS = 'Starts a run on one intern and answers 202 with the `session_id` once the intern accepts it.';
const CONTINUES = 'Sending the same `session_id` later continues the conversation.';
const ISSUED = 'A `session_id` is accepted only from the caller it was issued to, on the same intern.';
const OTHERS = 'Any other, including sessions started from a chat tool or from the chat endpoint, is refused with 404.';
const MISSING = 'A missing or invalid key gives 401.';
const BEARER = 'Intern lifecycle, chat, invoke | API key as bearer token in the `Authorization` header.';
const ENVELOPE =
  'Envelope: `{ error: { code: <integer HTTP status>, message: <string>, metadata: { reason: <string>, retryable: <boolean> } } }`.';

const withoutSession = ({ session_id: _, ...rest }: Json): Json => rest;

export const invoking: readonly Way[] = [
  named('invoke answers 200', STARTS, (w) =>
    w.later('invoke', async (r) => (r.status === 202 ? Response.json(await r.json(), { status: 200 }) : undefined)),
  ),
  named('a second invoke of a session starts another', CONTINUES, (w) => {
    const ended = new Set<unknown>();
    return w.asked('invoke', ({ body }) => {
      if (typeof body.session_id !== 'string' || !/^[0-9a-f-]{36}$/.test(body.session_id) || ended.has(body.session_id))
        return undefined;
      return w.credentials.api_key === undefined ? undefined : withoutSession(body);
    });
  }),
  named('a session that goes on is reported under another id', CONTINUES, (w) =>
    w.ok('invoke', (body, { body: sent }) => {
      if (typeof sent.session_id === 'string') body.session_id = `${String(body.session_id).slice(0, -4)}0000`;
    }),
  ),
  named('invoke takes a session of chat', OTHERS, (w) =>
    w.later('invoke', async (r, call) => {
      if (r.status !== 404 || call.who !== 'api_key' || typeof call.body.session_id !== 'string') return undefined;
      const other = await w.ask('POST', `/interns/${call.id}/invoke`, { body: withoutSession(call.body) });
      return other.ok
        ? Response.json({ ...((await other.json()) as Json), session_id: call.body.session_id }, { status: 202 })
        : undefined;
    }),
  ),
  named('invoke takes a session of another intern', ISSUED, (w) => {
    const issued = new Map<unknown, string>();
    return w.later('invoke', async (r, call) => {
      if (r.ok) issued.set(((await r.clone().json()) as Json).session_id, call.id);
      const at = issued.get(call.body.session_id);
      if (r.status !== 404 || at === undefined || at === call.id || call.who !== 'api_key') return undefined;
      const other = await w.ask('POST', `/interns/${call.id}/invoke`, { body: withoutSession(call.body) });
      return other.ok
        ? Response.json({ ...((await other.json()) as Json), session_id: call.body.session_id }, { status: 202 })
        : undefined;
    });
  }),
  named('an unknown session is invalid', OTHERS, (w) =>
    w.later('invoke', (r, { body }) =>
      r.status === 404 && typeof body.session_id === 'string'
        ? failed(400, 'Unknown session', 'bad_request')
        : undefined,
    ),
  ),
  named('a session of a colleague is refused, and gets the prompt', ISSUED, (w) =>
    w.later('invoke', async (r, call) => {
      if (r.status !== 404 || call.who !== 'peer_api_key' || typeof call.body.session_id !== 'string') return undefined;
      return (await w.ask('POST', `/interns/${call.id}/invoke`, { body: call.body })).ok ? r : undefined;
    }),
  ),
];

export const keys: readonly Way[] = [
  named('update without a key is forbidden', MISSING, (w) =>
    w.later('update', (r, { who }) =>
      r.status === 401 && who === 'none' ? failed(403, 'Forbidden', 'forbidden') : undefined,
    ),
  ),
  named('get with an invalid key knows no intern', MISSING, (w) =>
    w.later('get', (r, { who }) =>
      r.status === 401 && who === 'unknown' ? failed(404, 'Intern not found', 'not_found') : undefined,
    ),
  ),
  named('invoke without a key is judged by its body first', MISSING, (w) =>
    w.later('invoke', (r, { body }) =>
      r.status === 401 && typeof body.input !== 'string'
        ? failed(400, 'Invalid request body', 'bad_request')
        : undefined,
    ),
  ),
  named('a key is taken from the query', BEARER, (w) =>
    w.asked('list', (call) => {
      const key = call.url.searchParams.get('api_key') ?? call.url.searchParams.get('key');
      return key !== null && call.who === 'none' ? withHeaders(call, { authorization: `Bearer ${key}` }) : undefined;
    }),
  ),
  named('letters of a key may be large or small', MISSING, (w) =>
    w.asked('list', (call) => {
      const given = (call.request.headers.get('authorization') ?? '').replace(/^Bearer /, '');
      const key = Object.values(w.credentials).find(
        (known) => known !== given && known.toLowerCase() === given.toLowerCase(),
      );
      return key === undefined ? undefined : withHeaders(call, { authorization: `Bearer ${key}` });
    }),
  ),
  named('the error of delete is a text', ENVELOPE, (w) =>
    w.later('delete', (r) =>
      r.status === 404 ? Response.json({ error: 'Intern not found' }, { status: 404 }) : undefined,
    ),
  ),
  named('the code of a conflict is a name', ENVELOPE, (w) =>
    w.error('*', 409, (error) => {
      error.code = 'conflict';
    }),
  ),
  named('an unknown intern is 404 of code 400', ENVELOPE, (w) =>
    w.error('provision', 404, (error) => {
      error.code = 400;
    }),
  ),
  named('an error of update says its reason beside metadata', ENVELOPE, (w) =>
    w.error('update', 400, (error) => {
      const metadata = error.metadata ?? {};
      Object.assign(error, { reason: metadata.reason });
      error.metadata = { retryable: metadata.retryable };
    }),
  ),
  named('delete answers no body', 'Response `DeleteInternResponse`.', (w) =>
    w.later('delete', (r) => (r.ok ? new Response(null, { status: 204 }) : undefined)),
  ),
  named(
    'a path without a version is served',
    'The version is the path segment `/api/v1` in {base_url}.',
    (w) => async (call, next) => {
      if (!/^\/(api\/)?interns/.test(call.url.pathname)) return next();
      w.hit();
      const url = new URL(call.url);
      url.pathname = `/api/v1${url.pathname.replace(/^\/api/, '')}`;
      return next(new Request(url, withBody(call, call.text || undefined)));
    },
  ),
];
