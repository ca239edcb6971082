import type { Json } from '../call.js';
import { isJson } from '../call.js';
import type { Way } from '../world.js';

const ENVELOPE =
  'Envelope: `{ error: { code: <integer HTTP status>, message: <string>, metadata: { reason: <string>, retryable: <boolean> } } }`.';

export const envelopes: readonly Way[] = [
  {
    name: 'error-flat',
    quote: ENVELOPE,
    wrong: ({ json }) =>
      json('get list', (body, _, { status }) => {
        const { error } = body;
        if (status < 400 || !isJson(error)) return;
        delete body.error;
        Object.assign(body, error);
      }),
  },
  {
    name: 'error-code-in-words',
    quote: ENVELOPE,
    wrong: ({ error }) =>
      error('get', 404, (said) => {
        said.code = 'not_found';
      }),
  },
  {
    name: 'metadata-beside-error',
    quote: ENVELOPE,
    wrong: ({ json }) =>
      json('update', (body, _, { status }) => {
        if (status !== 400 || !isJson(body.error)) return;
        body.metadata = body.error.metadata;
        delete body.error.metadata;
      }),
  },
  {
    name: 'retryable-in-quotes',
    quote: ENVELOPE,
    wrong: ({ error }) =>
      error('provision', 400, (said) => {
        if (said.metadata !== undefined) said.metadata.retryable = String(said.metadata.retryable);
      }),
  },
  {
    name: 'chat-error-as-event',
    quote: 'The error responses of every endpoint use the envelope given under Errors.',
    wrong: ({ later }) =>
      later('chat', async (response) =>
        response.status >= 400
          ? new Response(`data: ${await response.clone().text()}\n\n`, {
              status: response.status,
              headers: { 'content-type': 'text/event-stream' },
            })
          : undefined,
      ),
  },
  {
    name: 'error-of-delete-as-page',
    quote: 'Request and response bodies are JSON unless a stream is stated.',
    wrong: ({ later }) =>
      later('delete', ({ status }) =>
        status === 404
          ? new Response('<html><body>Not Found</body></html>', { status, headers: { 'content-type': 'text/html' } })
          : undefined,
      ),
  },
  {
    name: 'create-415-without-reason',
    quote: ENVELOPE,
    wrong: ({ error }) =>
      error('create', 415, (said) => {
        delete said.metadata?.reason;
      }),
  },
  {
    name: 'create-400-message-list',
    quote: ENVELOPE,
    wrong: ({ error }) =>
      error('create', 400, (said) => {
        Object.assign(said, { message: [said.message] });
      }),
  },
  {
    name: 'invoke-error-code-other',
    quote: ENVELOPE,
    wrong: ({ error }) =>
      error('invoke', 400, (said) => {
        said.code = 422;
      }),
  },
  {
    name: 'suspend-404-message-null',
    quote: ENVELOPE,
    wrong: ({ json }) =>
      json('suspend provision', (body: Json, _, { status }) => {
        if (status === 404 && isJson(body.error)) body.error.message = null;
      }),
  },
];
