import { failed } from '../answers.js';
import type { Area } from './form.js';
import { isReply, recordOf, sessionOf } from './form.js';

const ENVELOPE =
  'Envelope: `{ error: { code: <integer HTTP status>, message: <string>, metadata: { reason: <string>, retryable: <boolean> } } }`.';

export const envelopes: Area = {
  'absent-intern-reported-flat': {
    quote: ENVELOPE,
    wrong: ({ later }) =>
      later('get', async (response) =>
        response.status === 404 ? Response.json((await recordOf(response)).error ?? {}, { status: 404 }) : undefined,
      ),
  },
  'absent-intern-without-body': {
    quote: 'The error responses of every endpoint use the envelope given under Errors.',
    wrong: ({ later }) =>
      later('suspend provision', (response) =>
        response.status === 404 ? new Response(null, { status: 404 }) : undefined,
      ),
  },
  'create-errors-in-a-list': {
    quote: ENVELOPE,
    wrong: ({ json }) =>
      json('create', (body, _, response) => {
        if (response.status !== 400) return;
        body.errors = [body.error];
        delete body.error;
      }),
  },
  'create-metadata-null': {
    quote: 'The `metadata` object is absent on the 401 error of the signing route and on all SCIM errors.',
    wrong: ({ json }) =>
      json('create', (body, _, response) => {
        const error = body.error as { metadata?: unknown } | undefined;
        if (error && (response.status === 415 || response.status === 413)) error.metadata = null;
      }),
  },
  'update-retryable-as-text': {
    quote: ENVELOPE,
    wrong: ({ error }) =>
      error('update', 400, ({ metadata }) => {
        if (metadata) metadata.retryable = String(metadata.retryable);
      }),
  },
  'delete-reason-lost': {
    quote: ENVELOPE,
    wrong: ({ error }) =>
      error('delete', 404, ({ metadata }) => {
        if (metadata) delete metadata.reason;
      }),
  },
  'answer-refused-with-code-zero': {
    quote: ENVELOPE,
    wrong: ({ json }) =>
      json('chat', (body, call, response) => {
        const error = body.error as { code?: unknown } | undefined;
        if (error && isReply(call) && response.status >= 400) error.code = 0;
      }),
  },
  'invoke-code-of-the-daemon': {
    quote: ENVELOPE,
    wrong: ({ error }) =>
      error('invoke', 409, (problem) => {
        problem.code = 503;
      }),
  },
  'suspend-message-as-object': {
    quote: ENVELOPE,
    wrong: ({ json }) =>
      json('suspend provision', (body, _, response) => {
        const error = body.error as { message?: unknown } | undefined;
        if (error && response.status === 400) error.message = { text: error.message };
      }),
  },
  'list-401-in-plain-text': {
    quote: 'The error responses of every endpoint use the envelope given under Errors.',
    wrong: ({ later }) =>
      later('list', (response) =>
        response.status === 401 ? new Response('Unauthorized', { status: 401 }) : undefined,
      ),
  },
  'invoke-session-404-reported-as-success': {
    quote: 'Any other, including sessions started from a chat tool or from the chat endpoint, is refused with 404.',
    wrong: ({ later }) =>
      later('invoke', (response, call) =>
        response.status === 404 && sessionOf(call) !== undefined
          ? Response.json({ status: 'rejected', session_id: sessionOf(call) })
          : undefined,
      ),
  },
  'absent-session-retryable-null': {
    quote: ENVELOPE,
    wrong: ({ error }) =>
      error('chat invoke', 404, ({ metadata }) => {
        if (metadata) metadata.retryable = null;
      }),
  },
  'daemon-error-as-text': {
    quote: 'Request and response bodies are JSON unless a stream is stated.',
    wrong: ({ later }) =>
      later('daemon', async (response) =>
        response.status === 403
          ? new Response(JSON.stringify(await recordOf(response)), {
              status: 403,
              headers: { 'content-type': 'text/html; charset=utf-8' },
            })
          : undefined,
      ),
  },
  'update-413-as-502': {
    quote: 'A larger body is refused with 413.',
    wrong: ({ later }) =>
      later('update', (response) =>
        response.status === 413 ? failed(502, 'Bad gateway', 'bad_gateway', true) : undefined,
      ),
  },
};
