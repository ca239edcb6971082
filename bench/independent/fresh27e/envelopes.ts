import type { Fresh } from './shared.js';

const ENVELOPE =
  'Envelope: `{ error: { code: <integer HTTP status>, message: <string>, metadata: { reason: <string>, retryable: <boolean> } } }`.';
const CODE = 'code: <integer HTTP status>';
const JSON_BODIES = 'Request and response bodies are JSON unless a stream is stated.';
const LIFE = 'list create get update delete provision suspend';

export const envelopes: Fresh = {
  'error-unwrapped': {
    quote: ENVELOPE,
    wrong: (w) =>
      w.json(LIFE, (body, _, response) => {
        if (response.status !== 404 || typeof body.error !== 'object') return;
        Object.assign(body, body.error);
        delete body.error;
      }),
  },
  'error-a-list': {
    quote: ENVELOPE,
    wrong: (w) =>
      w.json('create update', (body, _, response) => {
        if (response.status !== 400) return;
        body.errors = [body.error];
        delete body.error;
      }),
  },
  'unknown-intern-without-metadata': {
    quote: ENVELOPE,
    wrong: (w) => w.error('get', 404, (error) => delete error.metadata),
  },
  'wrong-type-without-reason': {
    quote: ENVELOPE,
    wrong: (w) => w.error('create update delete', 415, (error) => delete error.metadata?.reason),
  },
  'large-body-coded-400': {
    quote: CODE,
    wrong: (w) =>
      w.error('update delete', 413, (error) => {
        error.code = 400;
      }),
  },
  'field-refused-coded-by-name': {
    quote: CODE,
    wrong: (w) =>
      w.error('suspend', 400, (error) => {
        error.code = 'bad_request';
      }),
  },
  'field-refused-retryable-in-words': {
    quote: 'retryable: <boolean>',
    wrong: (w) =>
      w.error('provision suspend', 400, (error) => {
        if (error.metadata) error.metadata.retryable = 'false';
      }),
  },
  'message-of-many-issues': {
    quote: 'message: <string>',
    wrong: (w) =>
      w.json('create update', (body, _, response) => {
        if (response.status !== 400 || typeof body.error !== 'object' || body.error === null) return;
        Object.assign(body.error, { message: [{ path: 'body', issue: 'invalid' }] });
      }),
  },
  'unknown-session-retryable-null': {
    quote: 'retryable: <boolean>',
    wrong: (w) =>
      w.error('invoke', 404, (error) => {
        if (error.metadata) error.metadata.retryable = null;
      }),
  },
  'unknown-intern-as-text': {
    quote: JSON_BODIES,
    wrong: (w) =>
      w.later('invoke suspend provision', (response) =>
        response.status === 404
          ? new Response('Intern not found', { status: 404, headers: { 'content-type': 'text/plain' } })
          : undefined,
      ),
  },
  'unknown-intern-streamed': {
    quote: "An intern's own key sees only that intern, and everything else answers 404.",
    wrong: (w) =>
      w.later('chat', (response) => {
        if (response.status !== 404) return undefined;
        const error = { code: 404, message: 'Intern not found', metadata: { reason: 'not_found', retryable: false } };
        const chunk = { choices: [{ index: 0, delta: {}, finish_reason: 'error' }], error };
        return new Response(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`, {
          headers: { 'content-type': 'text/event-stream' },
        });
      }),
  },
  'unknown-intern-empty': {
    quote: 'The error responses of every endpoint use the envelope given under Errors.',
    wrong: (w) =>
      w.later('delete update', (response) =>
        response.status === 404 ? new Response(null, { status: 404 }) : undefined,
      ),
  },
};
