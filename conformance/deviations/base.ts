import type { Resource } from '../../emulator/http/pipeline.js';
import type { Route } from '../../emulator/http/route.js';
import type { Alterations } from './alterations.js';
import { acts, errorAnswer, errors, parses, preempts, requests, served } from './change.js';
import { defineDeviations } from './deviation.js';

const REQUEST_ID = 'x-request-id';

/** Judges no host name of the requests that `when` holds for. */
const unjudged = (when: (request: Request, resource: Resource) => boolean) => (): Alterations => {
  let blind = false;
  return {
    pipelineDeps: (deps) => ({ ...deps, regional: (host) => !blind && deps.regional(host) }),
    pipeline: (serve) => (request, resource, framed) => {
      blind = when(request, resource);
      return serve(request, resource, framed);
    },
  };
};

export const BASE = defineDeviations([
  {
    name: 'base-without-version',
    requirement: 'BASE-1',
    description: 'The collection is served without the version segment too.',
    alters: () => {
      let table: readonly Route[] = [];
      return {
        routes(all) {
          table = all;
          return all;
        },
        pipeline: (serve) => (request, resource, framed) =>
          new URL(request.url).pathname === '/interns'
            ? serve(request, { area: 'interns', routes: table.filter((row) => row.path === '/interns') }, framed)
            : serve(request, resource, framed),
      };
    },
    caughtBy: ['base/version-segment'],
  },
  {
    name: 'base-outside-asks-for-a-key',
    requirement: 'BASE-5',
    description: 'A path outside the base is 401 without a key.',
    alters: preempts((request, { area }) =>
      area === 'none' && !request.headers.has('authorization')
        ? errorAnswer(401, 'Invalid or missing API key')
        : undefined,
    ),
    caughtBy: ['base/outside-is-404'],
  },
  {
    name: 'base-answers-as-text',
    requirement: 'BASE-2',
    description: 'JSON answers are declared as text/plain.',
    alters: served((answer) =>
      answer.headers['content-type'] === 'application/json'
        ? { ...answer, headers: { ...answer.headers, 'content-type': 'text/plain' } }
        : answer,
    ),
    caughtBy: ['base/json-content-type'],
  },
  {
    name: 'base-errors-as-html',
    requirement: 'BASE-2',
    description: 'A 404 is a page of HTML.',
    alters: served((answer) =>
      answer.status === 404
        ? { ...answer, body: '<h1>Not found</h1>', headers: { ...answer.headers, 'content-type': 'text/html' } }
        : answer,
    ),
    caughtBy: ['base/json-content-type', 'base/error-envelope'],
  },
  {
    name: 'error-code-as-text',
    requirement: 'BASE-3',
    description: 'The code of an error is a string.',
    alters: errors(({ error }) => ({ error: { ...error, code: String(error.code) } })),
    caughtBy: ['base/error-envelope'],
  },
  {
    name: 'error-code-is-a-word',
    requirement: 'BASE-3',
    description: 'The code of an error is its reason.',
    alters: errors(({ error, reason }) => (reason === undefined ? undefined : { error: { ...error, code: reason } })),
    caughtBy: ['base/error-envelope'],
  },
  {
    name: 'error-without-envelope',
    requirement: 'BASE-3',
    description: 'Code and message stand at the top of an error body.',
    alters: errors(({ error }) => ({ body: error })),
    caughtBy: ['base/error-envelope'],
  },
  {
    name: 'error-retryable-as-text',
    requirement: 'BASE-3',
    description: 'retryable of an error is the text "false".',
    alters: errors(({ error }) =>
      error.metadata
        ? { error: { ...error, metadata: { ...error.metadata, retryable: String(error.metadata.retryable) } } }
        : undefined,
    ),
    caughtBy: ['base/error-envelope'],
  },
  {
    name: 'error-without-retryable',
    requirement: 'BASE-3',
    description: 'The metadata of an error has only a reason.',
    alters: errors(({ error, reason }) =>
      reason === undefined ? undefined : { error: { ...error, metadata: { reason } } },
    ),
    caughtBy: ['base/error-envelope'],
  },
  {
    name: 'unauthorized-with-metadata',
    requirement: 'BASE-3',
    description: 'A 401 carries metadata.',
    alters: errors(({ status, error }) =>
      status === 401 ? { error: { ...error, metadata: { reason: 'unauthorized', retryable: false } } } : undefined,
    ),
    caughtBy: ['base/no-metadata-on-401', 'auth/key-message'],
  },
  {
    name: 'regional-served',
    requirement: 'BASE-4',
    description: 'Regional host names are served like any other.',
    alters: { pipelineDeps: (deps) => ({ ...deps, regional: () => false }) },
    caughtBy: [
      'base/regional-refused',
      'base/regional-scim-refused',
      'base/regional-forbidden',
      'base/regional-by-beginning',
    ],
  },
  {
    name: 'regional-scim-served',
    requirement: 'BASE-4',
    description: 'SCIM is served on regional host names.',
    alters: unjudged((_request, { area }) => area === 'scim'),
    caughtBy: ['base/regional-scim-refused'],
  },
  {
    name: 'regional-reads-served',
    requirement: 'BASE-4',
    description: 'Only writes are refused on regional host names.',
    alters: unjudged((request) => request.method === 'GET'),
    caughtBy: ['base/regional-refused'],
  },
  {
    name: 'regional-not-found',
    requirement: 'BASE-4',
    description: 'A regional host name is 404 instead of 403.',
    alters: errors(({ status, error }) =>
      status === 403 && error.message === 'Forbidden' ? { status: 404 } : undefined,
    ),
    caughtBy: ['base/regional-forbidden'],
  },
  {
    name: 'regional-with-metadata',
    requirement: 'BASE-4',
    description: 'The 403 of a regional host name carries metadata.',
    alters: errors(({ status, error }) =>
      status === 403 && error.message === 'Forbidden'
        ? { error: { ...error, metadata: { reason: 'forbidden', retryable: false } } }
        : undefined,
    ),
    caughtBy: ['base/regional-forbidden'],
  },
  {
    name: 'regional-after-credential',
    requirement: 'BASE-4',
    description: 'With an invalid key a regional host name is 401.',
    alters: () => {
      let resolve: (token: string) => unknown = () => undefined;
      return {
        pipelineDeps(deps) {
          resolve = deps.resolve;
          return deps;
        },
        pipeline: (serve) => (request, resource, framed) => {
          const token = request.headers.get('authorization')?.slice('Bearer '.length) ?? '';
          return resource.area === 'interns' && resolve(token) === undefined
            ? errorAnswer(401, 'Invalid or missing API key')
            : serve(request, resource, framed);
        },
      };
    },
    caughtBy: ['base/regional-forbidden'],
  },
  {
    name: 'regional-anywhere-in-the-name',
    requirement: 'BASE-4',
    description: 'A host is regional when eu. stands anywhere in its name.',
    alters: { pipelineDeps: (deps) => ({ ...deps, regional: (host) => /eu\./i.test(host) }) },
    caughtBy: ['base/regional-by-beginning'],
  },
  {
    name: 'unknown-path-is-400',
    requirement: 'BASE-5',
    description: 'An unknown path below /interns is 400.',
    alters: served((answer, _request, { area, routes }) =>
      area === 'interns' && routes.length === 0 && answer.status === 404
        ? errorAnswer(400, 'No such path', 'bad_request')
        : answer,
    ),
    caughtBy: ['auth/outsider-one-answer', 'base/unknown-path', 'auth/outsider-any-path'],
  },
  {
    name: 'unknown-scim-path-with-metadata',
    requirement: 'BASE-5',
    description: 'The 404 of an unknown SCIM path has metadata.',
    alters: errors(({ error, resource }) =>
      resource.area === 'scim' && resource.routes.length === 0
        ? { error: { ...error, metadata: { reason: 'not_found', retryable: false } } }
        : undefined,
    ),
    caughtBy: ['base/unknown-scim-path'],
  },
  {
    name: 'other-method-is-404',
    requirement: 'BASE-5',
    description: 'A known path with another method is 404.',
    alters: errors(({ status }) =>
      status === 405
        ? {
            body: { error: { code: 404, message: 'Not found', metadata: { reason: 'not_found', retryable: false } } },
            status: 404,
          }
        : undefined,
    ),
    caughtBy: ['base/method-not-allowed'],
  },
  {
    name: 'other-method-without-allow',
    requirement: 'BASE-5',
    description: 'A 405 does not tell the methods that are allowed.',
    alters: errors(({ status }) => (status === 405 ? { headers: { 'content-type': 'application/json' } } : undefined)),
    caughtBy: ['base/method-not-allowed'],
  },
  {
    name: 'head-is-another-method',
    requirement: 'BASE-5',
    description: 'HEAD is 405.',
    alters: served((answer, request) => (request.method === 'HEAD' ? { ...answer, status: 405 } : answer)),
    caughtBy: ['base/head-as-get'],
  },
  {
    name: 'options-is-200',
    requirement: 'BASE-5',
    description: 'OPTIONS answers 200 with a body.',
    alters: served((answer, request) =>
      request.method === 'OPTIONS' && answer.status === 204 ? { ...answer, status: 200, body: '{}' } : answer,
    ),
    caughtBy: ['base/options'],
  },
  {
    name: 'malformed-json-is-422',
    requirement: 'BASE-5',
    description: 'A body that is no JSON is 422.',
    alters: errors(({ status, request, resource }) =>
      status === 400 && resource.area === 'interns' && request.method !== 'GET' ? { status: 422 } : undefined,
    ),
    caughtBy: [
      'base/malformed-json-is-400',
      'create/field-types',
      'create/no-object',
      'create/explicit-workspace',
      'delete/bad-body',
    ],
  },
  {
    name: 'invalid-utf8-is-mended',
    requirement: 'BASE-5',
    description: 'Bytes of a body that are no UTF-8 become replacement characters.',
    alters: {
      pipeline: (serve) => async (request, resource, framed) => {
        if (request.method !== 'PATCH' || !request.body) return serve(request, resource, framed);
        const body = new TextDecoder().decode(await request.arrayBuffer());
        const { method, headers, signal } = request;
        return serve(new Request(request.url, { method, headers, signal, body }), resource, framed);
      },
    },
    caughtBy: ['base/invalid-utf8-is-400'],
  },
  {
    name: 'malformed-json-is-no-body',
    requirement: 'BASE-5',
    description: 'On provision and suspend a body that is no JSON is taken for none.',
    alters: parses(['provision', 'suspend', 'delete'], (parse, parts) => {
      try {
        parts.json();
      } catch {
        return parse({ bytes: parts.bytes, query: parts.query, headers: parts.headers, json: () => undefined });
      }
      return parse(parts);
    }),
    caughtBy: ['base/malformed-json-is-400'],
  },
  {
    name: 'request-id-not-echoed',
    requirement: 'BASE-6',
    description: 'Every answer carries an x-request-id of its own.',
    alters: requests((request) => {
      if (!request.headers.has(REQUEST_ID)) return request;
      const headers = new Headers(request.headers);
      headers.delete(REQUEST_ID);
      return new Request(request, { headers });
    }),
    caughtBy: ['base/request-id-echo'],
  },
  {
    name: 'request-id-echoed-as-it-is',
    requirement: 'BASE-6',
    description: 'Any x-request-id is echoed, whatever its form.',
    alters: served((answer, request) => {
      const given = request.headers.get(REQUEST_ID);
      return given ? { ...answer, headers: { ...answer.headers, [REQUEST_ID]: given } } : answer;
    }),
    caughtBy: ['base/request-id-of-its-own'],
  },
  {
    name: 'request-id-always-the-same',
    requirement: 'BASE-6',
    description: 'The x-request-id that an answer has of its own is the same for all.',
    alters: served((answer, request) =>
      answer.headers[REQUEST_ID] === request.headers.get(REQUEST_ID)
        ? answer
        : { ...answer, headers: { ...answer.headers, [REQUEST_ID]: '0' } },
    ),
    caughtBy: ['base/request-id-of-its-own'],
  },
  {
    name: 'request-id-not-on-errors',
    requirement: 'BASE-6',
    description: 'Errors carry no x-request-id.',
    alters: errors(({ request: _request }) => ({ headers: { 'content-type': 'application/json' } })),
    caughtBy: ['base/request-id-everywhere'],
  },
  {
    name: 'request-id-not-on-streams',
    requirement: 'BASE-6',
    description: 'Streams carry no x-request-id.',
    alters: served((answer) => {
      if (answer.headers['content-type'] !== 'text/event-stream') return answer;
      const { [REQUEST_ID]: _, ...headers } = answer.headers;
      return { ...answer, headers };
    }),
    caughtBy: ['base/request-id-everywhere'],
  },
  {
    name: 'answers-of-actions-are-empty',
    requirement: 'BASE-2',
    description: 'Successful answers of provision and suspend are empty.',
    alters: acts(['provision', 'suspend'], (answer) => ({ ...answer, body: null, headers: {} })),
    caughtBy: ['provision/answer', 'suspend/answer'],
  },
]);
