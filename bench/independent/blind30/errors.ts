import type { Way } from '../world.js';
import { way } from './helpers.js';

const ENVELOPE =
  'Envelope: `{ error: { code: <integer HTTP status>, message: <string>, metadata: { reason: <string>, retryable: <boolean> } } }`.';
const JSON_BODIES = 'Request and response bodies are JSON unless a stream is stated.';
const EVERY = 'The error responses of every endpoint use the envelope given under Errors.';
const INTERNS = 'list create get update delete provision suspend';

export const errors: readonly Way[] = [
  way('code-is-text-where-nothing-is-found', ENVELOPE, (w) =>
    w.error('get chat invoke', 404, (error) => {
      error.code = String(error.code);
    }),
  ),
  way('code-of-too-large-a-body-is-400', ENVELOPE, (w) =>
    w.error('create update delete', 413, (error) => {
      error.code = 400;
    }),
  ),
  way('retryable-is-left-out-where-false', ENVELOPE, (w) =>
    w.json(`${INTERNS} invoke`, ({ error }) => {
      const metadata = (error as { metadata?: { retryable?: boolean } } | undefined)?.metadata;
      if (metadata?.retryable === false) delete metadata.retryable;
    }),
  ),
  way('message-is-a-list-of-faults', ENVELOPE, (w) =>
    w.error('create update', 400, (error) => {
      (error as { message: unknown }).message = [error.message];
    }),
  ),
  way('error-of-delete-is-flat', EVERY, (w) =>
    w.later('delete', async (r) =>
      r.ok
        ? undefined
        : Response.json(((await r.json()) as { error: unknown }).error, { status: r.status, headers: r.headers }),
    ),
  ),
  way('error-before-a-stream-is-an-event', JSON_BODIES, (w) =>
    w.later('chat', async (r) =>
      r.status === 404
        ? new Response(`data: ${await r.text()}\n\ndata: [DONE]\n\n`, {
            status: 404,
            headers: { 'content-type': 'text/event-stream' },
          })
        : undefined,
    ),
  ),
  way('answer-of-suspend-is-plain-text', JSON_BODIES, (w) =>
    w.later('suspend', (r) =>
      r.ok ? new Response('suspended', { status: r.status, headers: { 'content-type': 'text/plain' } }) : undefined,
    ),
  ),
];
