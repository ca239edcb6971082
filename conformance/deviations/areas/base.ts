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
  'base-without-version': {
    description: 'The collection is served without the version segment too.',
    mutant: rewriteRequest((request, { path }) =>
      path === '/interns' && !request.url.includes(BASE_PATH)
        ? withRequest(request, { url: request.url.replace('/interns', `${BASE_PATH}/interns`) })
        : request,
    ),
  },
  'base-outside-asks-for-a-key': {
    description: 'A path outside the base is 401 without a key.',
    mutant: instead(
      ({ area, request }) => area === 'none' && !request.headers.has('authorization'),
      errorReply(401, 'Invalid or missing API key'),
    ),
  },
  'base-answers-as-text': {
    description: 'JSON answers are declared as text/plain.',
    mutant: rewriteReply((reply) =>
      reply.headers['content-type'] === 'application/json' ? typed(reply, 'text/plain') : reply,
    ),
  },
  'base-errors-as-html': {
    description: 'A 404 is a page of HTML.',
    mutant: answers({ status: 404 }, (reply) => typed(reply, 'text/html', '<h1>Not found</h1>')),
  },
  'error-code-as-text': {
    description: 'The code of an error is a string.',
    mutant: errors({}, ({ code }) => ({ code: String(code) })),
  },
  'unauthorized-with-metadata': {
    description: 'A 401 carries metadata.',
    mutant: errors({ status: 401 }, { reason: 'unauthorized', retryable: false }),
  },
  'regional-served': {
    description: 'Regional host names are served like any other.',
    mutant: onAnyHost(() => true),
  },
  'regional-scim-served': {
    description: 'SCIM is served on regional host names.',
    mutant: onAnyHost(({ area }) => area === 'scim'),
  },
  'regional-not-found': {
    description: 'A regional host name is 404 instead of 403.',
    mutant: errors({ status: 403, says: 'Forbidden' }, { status: 404 }),
  },
  'regional-anywhere-in-the-name': {
    description: 'A host is regional when eu. stands anywhere in its name.',
    mutant: rewire({ createPipeline: (deps) => [{ ...deps, regional: (host) => /eu\./i.test(host) }] }),
  },
  'unknown-path-is-400': {
    description: 'An unknown path below /interns is 400.',
    mutant: answers(
      { area: 'interns', of: ({ known }) => !known, status: 404 },
      errorReply(400, 'No such path', 'bad_request'),
    ),
  },
  'other-method-is-404': {
    description: 'A known path with another method is 404.',
    mutant: errors({ status: 405 }, { status: 404, message: 'Not found', reason: 'not_found', retryable: false }),
  },
  'head-is-another-method': {
    description: 'HEAD is 405.',
    mutant: rewriteReply((answer, { request }) => (request.method === 'HEAD' ? { ...answer, status: 405 } : answer)),
  },
  'options-is-200': {
    description: 'OPTIONS answers 200 with a body.',
    mutant: answers({ of: ({ request }) => request.method === 'OPTIONS', status: 204 }, (reply) => ({
      ...reply,
      status: 200,
      body: '{}',
    })),
  },
  'malformed-json-is-422': {
    description: 'A body that is not JSON is 422.',
    mutant: errors({ area: 'interns', of: ({ request }) => request.method !== 'GET', status: 400 }, { status: 422 }),
  },
  'invalid-utf8-is-mended': {
    description: 'Bytes of a body that are no UTF-8 become replacement characters.',
    mutant: rewriteRequest(async (request) =>
      request.method === 'PATCH' && request.body ? withRequest(request, { body: await request.text() }) : request,
    ),
  },
  'request-id-not-echoed': {
    description: 'Every answer carries an x-request-id of its own.',
    mutant: rewriteHeader(REQUEST_ID, () => undefined),
  },
  'request-id-echoed-as-it-is': {
    description: 'Any x-request-id is echoed, whatever its form.',
    mutant: rewriteReply((answer, { request }) => {
      const given = request.headers.get(REQUEST_ID);
      return given ? { ...answer, headers: { ...answer.headers, [REQUEST_ID]: given } } : answer;
    }),
  },
  'request-id-not-on-errors': {
    description: 'Errors carry no x-request-id.',
    mutant: rewriteReply((reply) =>
      reply.status >= 400 ? { ...reply, headers: { 'content-type': 'application/json' } } : reply,
    ),
  },
  'answers-of-actions-are-empty': {
    description: 'Successful answers of provision and suspend are empty.',
    mutant: rewriteSuccess(['provision', 'suspend'], (answer) => ({ ...answer, body: null, headers: {} })),
  },
});
