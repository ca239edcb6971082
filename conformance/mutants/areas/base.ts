import { withRequest } from '../../../emulator/wire/request.js';
import { defineMutants, type Mutation } from '../mutant.js';
import { answers, errorReply, errors, replies, typed } from '../operators/answers.js';
import { all, by, exchangeOf, isOf, method, type Of } from '../operators/exchange.js';
import { rewire } from '../operators/parts.js';
import { ANY, asked, header, instead } from '../operators/requests.js';

const REQUEST_ID = 'x-request-id';

/** Serves requests as if they had come under the usual host name. */
export const onAnyHost = (of: Of): Mutation => ({
  around: (next, emulator) => (request) => {
    if (!isOf(of, exchangeOf(request, emulator))) return next(request);
    const url = new URL(request.url);
    url.host = new URL(emulator.target.base_url).host;
    return next(withRequest(request, { url: url.href, headers: { host: undefined } }));
  },
});

export const BASE = defineMutants({
  // The collection is served without the version segment too.
  'base-without-version': asked(ANY, (request, { path }) =>
    path === '/interns' && !request.url.includes('/api/v1')
      ? withRequest(request, { url: request.url.replace('/interns', '/api/v1/interns') })
      : request,
  ),
  // A path outside the base is 401 without a key.
  'base-outside-asks-for-a-key': instead(all('none', by('nobody')), errorReply(401, 'Invalid or missing API key')),
  'base-answers-as-text': replies((reply) =>
    reply.headers['content-type'] === 'application/json' ? typed(reply, 'text/plain') : reply,
  ),
  'base-errors-as-html': answers({ status: 404 }, (reply) => typed(reply, 'text/html', '<h1>Not found</h1>')),
  'error-code-as-text': errors({}, ({ code }) => ({ code: String(code) })),
  'unauthorized-with-metadata': errors({ status: 401 }, { reason: 'unauthorized', retryable: false }),
  'regional-served': onAnyHost(ANY),
  'regional-scim-served': onAnyHost('scim'),
  'regional-with-metadata': errors({ status: 403, says: 'Forbidden' }, { reason: 'regional', retryable: false }),
  'regional-not-found': errors({ status: 403, says: 'Forbidden' }, { status: 404 }),
  'regional-anywhere-in-the-name': rewire({
    createPipeline: (deps) => [{ ...deps, regional: (host) => /eu\./i.test(host) }],
  }),
  'unknown-path-is-400': answers(
    { of: all('interns', ({ known }) => !known), status: 404 },
    errorReply(400, 'No such path', 'bad_request'),
  ),
  'other-method-is-404': errors(
    { status: 405 },
    { status: 404, message: 'Not found', reason: 'not_found', retryable: false },
  ),
  'head-is-another-method': answers({ of: method('HEAD') }, { status: 405 }),
  'options-is-200': answers({ of: method('OPTIONS'), status: 204 }, { status: 200, body: '{}' }),
  'malformed-json-is-422': errors(
    { of: all('interns', ({ request }) => request.method !== 'GET'), status: 400 },
    { status: 422 },
  ),
  // Bytes of a body that are no UTF-8 become replacement characters.
  'invalid-utf8-is-mended': asked(ANY, async (request) =>
    request.method === 'PATCH' && request.body ? withRequest(request, { body: await request.text() }) : request,
  ),
  'request-id-not-echoed': header(ANY, REQUEST_ID, () => undefined),
  // Every answer to a request without one has the same id.
  'request-id-of-all': replies((reply, { request }) =>
    request.headers.has(REQUEST_ID) ? reply : { ...reply, headers: { ...reply.headers, [REQUEST_ID]: 'of-all' } },
  ),
  'request-id-echoed-as-it-is': replies((reply, { request }) => {
    const given = request.headers.get(REQUEST_ID);
    return given ? { ...reply, headers: { ...reply.headers, [REQUEST_ID]: given } } : reply;
  }),
  'request-id-not-on-errors': replies((reply) =>
    reply.status >= 400 ? { ...reply, headers: { 'content-type': 'application/json' } } : reply,
  ),
  'answers-of-actions-are-empty': answers(
    { of: ['provision', 'suspend'], status: [200, 202] },
    { body: null, headers: {} },
  ),
});
