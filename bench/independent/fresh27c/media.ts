import { failed } from '../answers.js';
import { withHeaders } from '../call.js';
import type { Way } from '../world.js';
import { MEMBERS } from './tools.js';

const ENVELOPE =
  'Envelope: `{ error: { code: <integer HTTP status>, message: <string>, metadata: { reason: <string>, retryable: <boolean> } } }`.';
const ABSENT = 'The `metadata` object is absent on the 401 error of the signing route and on all SCIM errors.';
const AS_FOR_CREATE = 'The 1048576-byte cap, 413 and 415 rules apply as for create.';

export const media: readonly Way[] = [
  // plain
  {
    name: 'update-error-code-is-a-name',
    quote: ENVELOPE,
    wrong: (w) =>
      w.error('update', 404, (error) => {
        error.code = 'not_found';
      }),
  },
  // plain
  {
    name: 'retryable-as-text',
    quote: ENVELOPE,
    wrong: (w) =>
      w.error('provision suspend', 400, (error) => {
        if (error.metadata !== undefined) error.metadata.retryable = String(error.metadata.retryable);
      }),
  },
  // plain
  {
    name: 'update-wrong-type-400',
    quote: AS_FOR_CREATE,
    wrong: (w) =>
      w.later('update', (response) =>
        response.status === 415 ? failed(400, 'Invalid request body', 'invalid_body') : undefined,
      ),
  },
  // subtle
  {
    name: 'delete-empty-but-typed-400',
    quote: 'The body is optional; the only stated field is `acknowledge_workspace_loss`',
    wrong: (w) =>
      w.instead('delete', ({ request, text, who }) =>
        text === '' && MEMBERS.includes(who) && request.headers.get('content-type')?.startsWith('application/json')
          ? failed(400, 'Invalid request body', 'invalid_body')
          : undefined,
      ),
  },
  // subtle
  {
    name: 'create-takes-form-type',
    quote: 'A non-empty body must declare `Content-Type: application/json`, or it is refused with 415.',
    wrong: (w) =>
      w.asked('create', (call) =>
        call.request.headers.get('content-type')?.startsWith('application/x-www-form-urlencoded')
          ? withHeaders(call, { 'content-type': 'application/json' })
          : undefined,
      ),
  },
  // plain
  {
    name: 'create-415-says-400',
    quote: ENVELOPE,
    wrong: (w) =>
      w.error('create', 415, (error) => {
        error.code = 400;
      }),
  },
  // subtle
  {
    name: 'talk-404-as-a-stream',
    quote: "404 for callers outside the programme, for an intern's own key on any other intern or on the collection",
    wrong: (w) =>
      w.later('chat', async (response, { who }) => {
        if (response.status !== 404 || (who !== 'own_key' && who !== 'outsider_api_key')) return undefined;
        const { error } = (await response.clone().json()) as { error: unknown };
        const chunk = { choices: [{ index: 0, delta: {}, finish_reason: 'error' }], error };
        return new Response(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`, {
          headers: { 'content-type': 'text/event-stream' },
        });
      }),
  },
  // subtle
  {
    name: 'update-413-without-metadata',
    quote: ABSENT,
    wrong: (w) =>
      w.error('update', 413, (error) => {
        delete error.metadata;
      }),
  },
  // plain
  {
    name: 'not-found-page',
    quote: 'The error responses of every endpoint use the envelope given under Errors.',
    wrong: (w) =>
      w.later('get', (response) =>
        response.status === 404
          ? new Response('<!doctype html><title>404</title><h1>Not found</h1>', {
              status: 404,
              headers: { 'content-type': 'text/html; charset=utf-8' },
            })
          : undefined,
      ),
  },
  // state
  {
    name: 'own-key-404-without-metadata',
    quote: ABSENT,
    wrong: (w) =>
      w.error('list create get update delete provision suspend chat invoke', 404, (error, { who }) => {
        if (who === 'own_key') delete error.metadata;
      }),
  },
  // state
  {
    name: 'outsider-daemon-404-of-the-router',
    quote: 'The error responses of every endpoint use the envelope given under Errors.',
    wrong: (w) =>
      w.later('daemon daemon-alias sign sign-alias', (response, { who }) =>
        response.status === 404 && who === 'outsider_api_key'
          ? Response.json({ message: 'no route' }, { status: 404 })
          : undefined,
      ),
  },
];
