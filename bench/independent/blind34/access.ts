import { failed } from '../answers.js';
import { as, athome, bytesOf, CAP, jsonIn, way, withQuery } from '../blind32/helpers.js';
import { parsed, withBody } from '../call.js';
import type { Way } from '../world.js';
import { among, served, showing } from './helpers.js';

const REGIONAL = 'Requests on regional hostnames are refused.';
const OWN = 'For such a key the collection and every other intern answer 404.';
const OUTSIDE = 'Callers outside the programme receive 404 for every path under `/interns`.';
const INVALID = 'A missing or invalid key gives 401.';
const BEARER = 'API key as bearer token in the `Authorization` header.';
const FALLBACK = 'There is no default workspace fallback.';
const NO_PERSON = 'API keys get 403 with reason `personal_identity_required`.';

export const access: readonly Way[] = [
  way(
    'regional-alias-served',
    REGIONAL,
    (w) => (call, next) => (call.regional && /alias/.test(call.op) ? served(w, next, athome(w, call)) : next()),
  ),
  way('regional-create-refused-but-made', REGIONAL, (w) => {
    const made = new Set<unknown>();
    return async (call, next) => {
      const response = await next();
      if (call.regional && call.op === 'create') made.add((await jsonIn(await w.next(athome(w, call))))?.id);
      await showing(w, call, response, ({ id }) => made.has(id));
      return response;
    };
  }),
  way(
    'own-key-lists-by-status',
    OWN,
    (w) => (call, next) =>
      call.op === 'list' && call.who === 'own_key' && among(call.url.searchParams).length > 0
        ? served(w, next, as(call, w.credentials.api_key ?? ''))
        : next(),
  ),
  way(
    'own-key-prompts-others',
    OWN,
    (w) => (call, next) =>
      /^(chat|invoke)$/.test(call.op) && call.who === 'own_key' && call.id !== w.target.credentials.intern?.id
        ? served(w, next, as(call, w.credentials.api_key ?? ''))
        : next(),
  ),
  way(
    'own-key-reads-other-vaults',
    OWN,
    (w) => (call, next) =>
      call.op === 'vault-list' && call.who === 'own_key' && call.id !== w.target.credentials.intern?.id
        ? served(w, next, as(call, w.credentials.api_key ?? ''))
        : next(),
  ),
  way(
    'own-key-makes-interns',
    OWN,
    (w) => (call, next) =>
      call.op === 'create' && call.who === 'own_key' ? served(w, next, as(call, w.credentials.api_key ?? '')) : next(),
  ),
  way('outsider-is-asked-to-log-in', OUTSIDE, (w) =>
    w.later('sign sign-alias daemon daemon-alias', ({ status }, { who }) =>
      status === 404 && who === 'outsider_api_key'
        ? failed(403, 'Personal connections require the OIDC login', 'personal_identity_required')
        : undefined,
    ),
  ),
  way('outsider-learns-of-a-bad-body', OUTSIDE, (w) =>
    w.later('create update delete chat invoke sign', ({ status }, { who, text }) =>
      status === 404 && who === 'outsider_api_key' && text !== '' && parsed(text) === undefined
        ? failed(400, 'Invalid request body', 'invalid_body')
        : undefined,
    ),
  ),
  way('outsider-learns-of-a-large-body', OUTSIDE, (w) =>
    w.later('*', ({ status }, { who, text }) =>
      status === 404 && who === 'outsider_api_key' && bytesOf(text) > CAP
        ? failed(413, 'Request body exceeds 1048576 bytes', 'payload_too_large')
        : undefined,
    ),
  ),
  way('outsider-learns-of-a-method', OUTSIDE, (w) =>
    w.later('*', ({ status }, { op, who, url }) =>
      status === 404 && op === '' && who === 'outsider_api_key' && /\/interns(\/[^/]+)?$/.test(url.pathname)
        ? failed(405, 'Method not allowed', 'method_not_allowed')
        : undefined,
    ),
  ),
  way('key-in-any-case', INVALID, (w) => async (call, next) => {
    const given = call.request.headers.get('authorization')?.replace(/^Bearer /, '') ?? '';
    const meant = Object.values(w.credentials).find((key) => key.toLowerCase() === given.toLowerCase());
    return call.who === 'unknown' && meant !== undefined ? served(w, next, as(call, meant)) : next();
  }),
  way('key-from-another-header', BEARER, (w) => async (call, next) => {
    const given = call.request.headers.get('x-api-key') ?? '';
    return call.who === 'none' && Object.values(w.credentials).includes(given)
      ? served(w, next, as(call, given))
      : next();
  }),
  way('key-by-another-scheme', BEARER, (w) => async (call, next) => {
    const given = /^(?:Token|ApiKey|Basic) (.+)$/i.exec(call.request.headers.get('authorization') ?? '')?.[1] ?? '';
    return call.who === 'none' && Object.values(w.credentials).includes(given)
      ? served(w, next, as(call, given))
      : next();
  }),
  way(
    'management-key-reads-interns',
    BEARER,
    (w) => (call, next) =>
      call.who === 'management_key' && /^(list|get)$/.test(call.op)
        ? served(w, next, as(call, w.credentials.api_key ?? ''))
        : next(),
  ),
  way('missing-key-is-forbidden', INVALID, (w) =>
    w.later('provision suspend', ({ status }, { who }) =>
      status === 401 && who === 'none' ? failed(403, 'Forbidden') : undefined,
    ),
  ),
  way('unknown-workspace-lists-all', FALLBACK, (w) => (call, next) => {
    const named = call.url.searchParams.get('workspace_id');
    if (call.op !== 'list' || named === null || Object.values(w.workspaces).includes(named)) return next();
    return served(
      w,
      next,
      withQuery(call, (query) => query.delete('workspace_id')),
    );
  }),
  way(
    'create-elsewhere-lands-at-home',
    FALLBACK,
    (w) => (call, next) =>
      call.op === 'create' && call.body.workspace_id === w.workspaces.foreign && call.who === 'api_key'
        ? served(w, next, withBody(call, { ...call.body, workspace_id: w.workspaces.own }))
        : next(),
  ),
  way('daemon-key-is-no-credential', NO_PERSON, (w) =>
    w.later('daemon daemon-alias', ({ status }, { who }) =>
      status === 403 && /key$/.test(who) ? failed(401, 'Invalid or missing API key') : undefined,
    ),
  ),
];
