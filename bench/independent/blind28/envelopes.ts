import { type Part, remade } from './parts.js';

const INTERNS = 'list create get update delete provision suspend chat invoke';

export const envelopes: Part = {
  'get-404-code-as-text': {
    quote: 'code: <integer HTTP status>',
    wrong: (w) =>
      w.error('get', 404, (error) => {
        error.code = 'not_found';
      }),
  },
  'retryable-as-text': {
    quote: 'retryable: <boolean>',
    wrong: (w) =>
      w.error('get delete suspend', 404, (error) => {
        if (error.metadata) error.metadata.retryable = String(error.metadata.retryable);
      }),
  },
  'update-404-no-metadata': {
    quote: 'The `metadata` object is absent on the 401 error of the signing route and on all SCIM errors.',
    wrong: (w) =>
      w.error('update', 404, (error) => {
        delete error.metadata;
      }),
  },
  'reason-beside-metadata': {
    quote: 'metadata: { reason: <string>, retryable: <boolean> }',
    wrong: (w) =>
      w.error('chat invoke', 404, (error) => {
        if (error.metadata) Object.assign(error, { reason: error.metadata.reason });
        delete error.metadata;
      }),
  },
  'message-in-list': {
    quote: 'message: <string>',
    wrong: (w) =>
      w.error('create update', 400, (error) => {
        Object.assign(error, { message: [error.message] });
      }),
  },
  'list-401-bare': {
    quote: 'The error responses of every endpoint use the envelope given under Errors.',
    wrong: (w) =>
      w.later('list get', (response) =>
        response.status === 401 ? Response.json({ message: 'Unauthorized' }, { status: 401 }) : undefined,
      ),
  },
  'collection-404-empty': {
    quote: 'The error responses of every endpoint use the envelope given under Errors.',
    // The gate of the programme answers without a body.
    wrong: (w) =>
      w.later('list create', (response) => (response.status === 404 ? new Response(null, { status: 404 }) : undefined)),
  },
  'get-404-with-200': {
    quote: 'code: <integer HTTP status>',
    // The status is in the envelope alone.
    wrong: (w) =>
      w.later('get', async (response, { who }) =>
        response.status === 404 && who === 'api_key' ? remade(response, await response.clone().text(), 200) : undefined,
      ),
  },
  'error-as-text': {
    quote: 'Request and response bodies are JSON unless a stream is stated.',
    wrong: (w) =>
      w.head('update delete', (headers, _, response) => {
        if (!response.ok) headers.set('content-type', 'text/plain; charset=utf-8');
      }),
  },
  'record-as-html': {
    quote: 'Request and response bodies are JSON unless a stream is stated.',
    wrong: (w) =>
      w.head('get', (headers, _, response) => {
        if (response.ok) headers.set('content-type', 'text/html');
      }),
  },
  'errors-list': {
    quote: 'Envelope: `{ error: { code: <integer HTTP status>, message: <string>',
    wrong: (w) =>
      w.json(INTERNS, (body, _, response) => {
        if (response.status !== 415) return;
        body.errors = [body.error];
        delete body.error;
      }),
  },
};
