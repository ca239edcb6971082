import { type Exchange, exchangeOf, withHeader, withRequest } from '../combinators/exchange.js';
import { rewire } from '../combinators/parts.js';
import { answers, errorReply, errors, rewriteReply, rewriteSuccess, typed } from '../combinators/replies.js';
import { instead, rewriteHeader, rewriteRequest } from '../combinators/requests.js';
import { defineDeviations, type Mutant } from '../mutant.js';

const REQUEST_ID = 'x-request-id';
const BASE_PATH = '/api/v1';

/** Serves requests as if they had come under the usual host name. */
export const onAnyHost = (when: (exchange: Exchange) => boolean): Mutant => ({
  around:
    (next, { target }) =>
    (request) => {
      if (!when(exchangeOf(request))) return next(request);
      const url = new URL(request.url);
      url.host = new URL(target.base_url).host;
      return next(withHeader(withRequest(request, { url: url.href }), 'host', undefined));
    },
});

export const BASE = defineDeviations({
  // The collection is served without the version segment too.
  'base-without-version': rewriteRequest((request, { path }) =>
    path === '/interns' && !request.url.includes(BASE_PATH)
      ? withRequest(request, { url: request.url.replace('/interns', `${BASE_PATH}/interns`) })
      : request,
  ),
  // A path outside the base is 401 without a key.
  'base-outside-asks-for-a-key': instead(
    ({ area, request }) => area === 'none' && !request.headers.has('authorization'),
    errorReply(401, 'Invalid or missing API key'),
  ),
  // JSON answers are declared as text/plain.
  'base-answers-as-text': rewriteReply((reply) =>
    reply.headers['content-type'] === 'application/json' ? typed(reply, 'text/plain') : reply,
  ),
  // A 404 is a page of HTML.
  'base-errors-as-html': answers({ status: 404 }, (reply) => typed(reply, 'text/html', '<h1>Not found</h1>')),
  'error-code-as-text': errors({}, ({ code }) => ({ code: String(code) })),
  'unauthorized-with-metadata': errors({ status: 401 }, { reason: 'unauthorized', retryable: false }),
  // Regional host names are served like any other.
  'regional-served': onAnyHost(() => true),
  // SCIM is served on regional host names.
  'regional-scim-served': onAnyHost(({ area }) => area === 'scim'),
  // A regional host name is 404 instead of 403.
  'regional-not-found': errors({ status: 403, says: 'Forbidden' }, { status: 404 }),
  // A host is regional when eu. stands anywhere in its name.
  'regional-anywhere-in-the-name': rewire({
    createPipeline: (deps) => [{ ...deps, regional: (host) => /eu\./i.test(host) }],
  }),
  // An unknown path below /interns is 400.
  'unknown-path-is-400': answers(
    { area: 'interns', of: ({ known }) => !known, status: 404 },
    errorReply(400, 'No such path', 'bad_request'),
  ),
  // A known path with another method is 404.
  'other-method-is-404': errors(
    { status: 405 },
    { status: 404, message: 'Not found', reason: 'not_found', retryable: false },
  ),
  'head-is-another-method': rewriteReply((answer, { request }) =>
    request.method === 'HEAD' ? { ...answer, status: 405 } : answer,
  ),
  'options-is-200': answers({ of: ({ request }) => request.method === 'OPTIONS', status: 204 }, (reply) => ({
    ...reply,
    status: 200,
    body: '{}',
  })),
  // A body that is not JSON is 422.
  'malformed-json-is-422': errors(
    { area: 'interns', of: ({ request }) => request.method !== 'GET', status: 400 },
    { status: 422 },
  ),
  // Bytes of a body that are no UTF-8 become replacement characters.
  'invalid-utf8-is-mended': rewriteRequest(async (request) =>
    request.method === 'PATCH' && request.body ? withRequest(request, { body: await request.text() }) : request,
  ),
  // Every answer carries an x-request-id of its own.
  'request-id-not-echoed': rewriteHeader(REQUEST_ID, () => undefined),
  // Any x-request-id is echoed, whatever its form.
  'request-id-echoed-as-it-is': rewriteReply((answer, { request }) => {
    const given = request.headers.get(REQUEST_ID);
    return given ? { ...answer, headers: { ...answer.headers, [REQUEST_ID]: given } } : answer;
  }),
  // Errors carry no x-request-id.
  'request-id-not-on-errors': rewriteReply((reply) =>
    reply.status >= 400 ? { ...reply, headers: { 'content-type': 'application/json' } } : reply,
  ),
  // Successful answers of provision and suspend are empty.
  'answers-of-actions-are-empty': rewriteSuccess(['provision', 'suspend'], (answer) => ({
    ...answer,
    body: null,
    headers: {},
  })),
});
