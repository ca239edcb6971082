import { failed } from '../answers.js';
import { isJson, type Json, withBody, withHeaders } from '../call.js';
import type { Way } from '../world.js';
import { answering, bodyOf, bytes, cut, recordOf, rescued, way } from './form.js';

const CAP = 1048576;
const SETTINGS = ['name', 'description', 'instructions', 'model'] as const;

const bare = (request: Request): Request => {
  const headers = new Headers(request.headers);
  headers.delete('content-type');
  headers.delete('content-length');
  return new Request(request.url, { method: request.method, headers });
};

export const lifecycle: readonly Way[] = [
  way(
    'an update that leaves the description out empties it',
    'Omitted fields stay unchanged.',
    (w) => async (call, next) => {
      if (call.op !== 'update' || 'description' in call.body || Object.keys(call.body).length === 0) return next();
      const before = await recordOf(w, call.id);
      if (typeof before.description !== 'string' || before.description === '') return next();
      const response = await next(withBody(call, { ...call.body, description: '' }));
      if (!response.ok) return next();
      w.hit();
      return response;
    },
  ),
  way(
    'an update of the instructions is answered but not kept',
    'Changes name, description, instructions or model.',
    (w) => async (call, next) => {
      if (call.op !== 'update' || typeof call.body.instructions !== 'string') return next();
      const before = await recordOf(w, call.id);
      if (before.instructions === undefined || before.instructions === call.body.instructions) return next();
      const response = await next(withBody(call, { ...call.body, instructions: before.instructions }));
      if (!response.ok) return response;
      w.hit();
      return answering(response, { ...(await bodyOf(response)), instructions: call.body.instructions });
    },
  ),
  way(
    'an update answers the record as it was before',
    'Changes name, description, instructions or model.',
    (w) => async (call, next) => {
      if (call.op !== 'update') return next();
      const before = await recordOf(w, call.id);
      const response = await next();
      if (!response.ok || before.id === undefined) return response;
      const after = await bodyOf(response);
      if (SETTINGS.every((key) => after[key] === before[key])) return response;
      w.hit();
      return answering(response, { ...after, ...Object.fromEntries(SETTINGS.map((key) => [key, before[key]])) });
    },
  ),
  way('the model of an intern cannot be changed', 'Changeable through `update_intern`.', (w) =>
    w.later('update', async (r, { body }) =>
      r.ok && 'model' in body ? failed(400, 'Unknown field: model', 'invalid_body') : undefined,
    ),
  ),
  way(
    'provision overlooks the fields of its body',
    'It takes no request body; a body carrying any field is refused with 400.',
    (w) =>
      rescued(w, 'provision', [400], (call) => (Object.keys(call.body).length > 0 ? bare(call.request) : undefined)),
  ),
  way('suspend refuses a body with 422', 'a body carrying any field is refused with 400', (w) =>
    w.later('suspend', (r, { body }) =>
      r.status === 400 && Object.keys(body).length > 0
        ? failed(422, 'Unexpected request body', 'invalid_body')
        : undefined,
    ),
  ),
  way('suspend takes a reason in its body', 'a body carrying any field is refused with 400', (w) =>
    rescued(w, 'suspend', [400], (call) => (Object.keys(call.body).length === 1 ? bare(call.request) : undefined)),
  ),
  way('a deletion needs a body', 'The body is optional; the only stated field is `acknowledge_workspace_loss`', (w) =>
    w.later('delete', (r, { text }) =>
      r.ok && text === ''
        ? failed(415, 'Request body must be sent as application/json', 'unsupported_media_type')
        : undefined,
    ),
  ),
  way(
    'the acknowledgement of a loss is not read',
    'Deletes the intern, accepting that its workspace is not backed up.',
    (w) => async (call, next) => {
      if (call.op !== 'delete' || call.body.acknowledge_workspace_loss !== true) return next();
      const { status } = await recordOf(w, call.id);
      if (status !== 'destroy_failed') return next();
      w.hit();
      return next(withBody(call, { ...call.body, acknowledge_workspace_loss: false }));
    },
  ),
  way('a suspended intern forgets its instructions', 'Stops the runtime, keeping disk and configuration.', (w) => {
    const suspended = new Set<string>();
    const edit = w.ok('get', (body, { id }) => {
      if (suspended.has(id) && typeof body.instructions === 'string') body.instructions = '';
    });
    return async (call, next) => {
      const response = await edit(call, next);
      if (call.op === 'suspend' && response.ok) suspended.add(call.id);
      if (call.op === 'update' && response.ok && 'instructions' in call.body) suspended.delete(call.id);
      return response;
    };
  }),
  way(
    'a resumed intern has its first model again',
    'keeps its disk and configuration for a later provision call',
    (w) => {
      const first = new Map<string, unknown>();
      const resumed = new Set<string>();
      const suspended = new Set<string>();
      return async (call, next) => {
        const response = await next();
        if (!response.ok) return response;
        const body = call.op === 'create' || call.op === 'get' ? await bodyOf(response) : {};
        if (typeof body.id === 'string' && body.model !== undefined && !first.has(body.id))
          first.set(body.id, body.model);
        if (call.op === 'suspend') suspended.add(call.id);
        if (call.op === 'provision' && suspended.has(call.id)) resumed.add(call.id);
        if (call.op !== 'get' || !resumed.has(call.id) || body.model === first.get(call.id)) return response;
        w.hit();
        return answering(response, { ...body, model: first.get(call.id) });
      };
    },
  ),
  way(
    'a retry of a creation creates once more',
    'A retry with the same idempotency key and the same body resumes unfinished work.',
    (w) => {
      const seen = new Set<string>();
      return async (call, next) => {
        if (call.op !== 'create') return next();
        const header = [...call.request.headers.keys()].find((name) => /idempoten/i.test(name));
        const field = Object.keys(call.body).find((name) => /idempoten/i.test(name));
        const key = header ? call.request.headers.get(header) : field && call.body[field];
        if (typeof key !== 'string') return next();
        const known = `${call.who} ${key} ${call.text}`;
        if (!seen.has(known)) {
          const response = await next();
          if (response.ok) seen.add(known);
          return response;
        }
        w.hit();
        const fresh = crypto.randomUUID();
        if (header) return next(withHeaders(call, { [header]: fresh }));
        return next(withBody(call, { ...call.body, [field ?? '']: fresh }));
      };
    },
  ),
  way('a creation that names no workspace lands in the own one', 'There is no default workspace fallback.', (w) => {
    let place = 'workspace_id';
    const own = w.workspaces.own;
    const answer = rescued(w, 'create', [400, 404, 422], (call) =>
      place in call.body || call.text === '' ? undefined : withBody(call, { ...call.body, [place]: own }),
    );
    return async (call, next) => {
      if (call.op === 'create') place = Object.keys(call.body).find((key) => call.body[key] === own) ?? place;
      return answer(call, next);
    };
  }),
  way('a creation in a foreign workspace lands in the own one', 'Creates an intern in an explicit workspace', (w) =>
    rescued(w, 'create', [400, 403, 404, 422], (call) => {
      const { own, foreign } = w.workspaces;
      const place = Object.keys(call.body).find((key) => foreign !== '' && call.body[key] === foreign);
      return place === undefined ? undefined : withBody(call, { ...call.body, [place]: own });
    }),
  ),
  way('a new intern has no vault before its first boot', 'Creating it also creates its private vault.', (w) => {
    const booted = new Set<string>();
    const created = new Set<string>();
    const spoiled = w.later('vault-list', (r, { id }) =>
      r.ok && created.has(id) && !booted.has(id) ? failed(404, 'Vault not found', 'not_found') : undefined,
    );
    return async (call, next) => {
      const response = await spoiled(call, next);
      if (call.op === 'provision' && response.ok) booted.add(call.id);
      if (call.op === 'create' && response.ok) created.add(String((await bodyOf(response)).id));
      return response;
    };
  }),
  way(
    'the settings of an intern lack its instructions',
    'Returns the public lifecycle state and settings of one visible intern.',
    (w) =>
      w.ok('get', (body) => {
        delete body.instructions;
      }),
  ),
  way('a creation answers no more than the id', 'Response `Intern`', (w) =>
    w.ok('create', (body) => {
      for (const key of Object.keys(body)) if (key !== 'id') delete body[key];
    }),
  ),
];

export const limits: readonly Way[] = [
  way('a body of exactly the cap is refused', 'a larger body is refused with 413', (w) =>
    w.later('create update delete', (r, { text }) =>
      r.status !== 413 && bytes(text) === CAP
        ? failed(413, `Request body exceeds ${CAP} bytes`, 'payload_too_large')
        : undefined,
    ),
  ),
  way('the cap is a decimal megabyte', 'The body is capped at 1048576 bytes', (w) =>
    w.later('create update delete sign sign-alias', (r, { text }) => {
      const size = bytes(text);
      return r.status !== 413 && size > 1_000_000 && size <= CAP
        ? failed(413, 'Request body exceeds 1000000 bytes', 'payload_too_large')
        : undefined;
    }),
  ),
  way('the cap counts characters', 'The body is capped at 1048576 bytes', (w) =>
    rescued(
      w,
      'create update',
      [413],
      (call) => (call.text.length <= CAP ? withBody(call, cut(call.body)) : undefined),
      'other',
    ),
  ),
  way('an update has no cap', 'The 1048576-byte cap, 413 and 415 rules apply as for create.', (w) =>
    rescued(
      w,
      'update',
      [413],
      (call) => (Object.keys(call.body).length > 0 ? withBody(call, cut(call.body)) : undefined),
      'other',
    ),
  ),
  way('a deletion has no cap', 'The 1048576-byte cap, 413 and 415 rules apply.', (w) =>
    rescued(w, 'delete', [413], (call) => bare(call.request), 'other'),
  ),
  way('a media type with a charset is refused', 'A non-empty body must declare `Content-Type: application/json`', (w) =>
    w.later('create update', (r, { request }) =>
      r.ok && /^application\/json\s*;/i.test(request.headers.get('content-type') ?? '')
        ? failed(415, 'Request body must be sent as application/json', 'unsupported_media_type')
        : undefined,
    ),
  ),
  way('an update takes JSON that calls itself text', 'or it is refused with 415', (w) =>
    rescued(w, 'update', [415], (call) => withHeaders(call, { 'content-type': 'application/json' }), 'other'),
  ),
  way('a deletion takes JSON of any media type', 'The 1048576-byte cap, 413 and 415 rules apply.', (w) =>
    rescued(w, 'delete', [415], (call) => withHeaders(call, { 'content-type': 'application/json' }), 'other'),
  ),
  way(
    'a body without a media type is taken for JSON',
    'A non-empty body must declare `Content-Type: application/json`',
    (w) =>
      rescued(
        w,
        'create',
        [415],
        (call) =>
          call.request.headers.has('content-type')
            ? undefined
            : withHeaders(call, { 'content-type': 'application/json' }),
        'other',
      ),
  ),
  way('a form is refused as a bad request', 'or it is refused with 415', (w) =>
    w.later('create', (r) => (r.status === 415 ? failed(400, 'Invalid request body', 'invalid_body') : undefined)),
  ),
];

const known = (body: Json): boolean => isJson(body.error);

export const errors: readonly Way[] = [
  way('the code of an unknown intern is a string', 'code: <integer HTTP status>', (w) =>
    w.error('get update delete', 404, (error) => {
      error.code = String(error.code);
    }),
  ),
  way('the code of an error is its reason', 'code: <integer HTTP status>', (w) =>
    w.json('create update delete provision suspend', ({ error }) => {
      if (isJson(error) && isJson(error.metadata)) error.code = error.metadata.reason;
    }),
  ),
  way('an error has no envelope', 'Envelope: `{ error: { code: <integer HTTP status>, message: <string>', (w) =>
    w.json('provision suspend delete', (body) => {
      if (!known(body)) return;
      Object.assign(body, body.error);
      delete body.error;
    }),
  ),
  way('an error does not say whether to retry', 'metadata: { reason: <string>, retryable: <boolean> }', (w) =>
    w.json('get create update delete', ({ error }) => {
      if (isJson(error) && isJson(error.metadata)) delete error.metadata.retryable;
    }),
  ),
  way('retryable is a string', 'metadata: { reason: <string>, retryable: <boolean> }', (w) =>
    w.json('invoke chat', ({ error }) => {
      if (isJson(error) && isJson(error.metadata) && 'retryable' in error.metadata)
        error.metadata.retryable = String(error.metadata.retryable);
    }),
  ),
  way(
    'an unknown intern is plain text',
    'The error responses of every endpoint use the envelope given under Errors.',
    (w) =>
      w.later('get suspend provision', (r) =>
        r.status === 404
          ? new Response('404 page not found\n', { status: 404, headers: { 'content-type': 'text/plain' } })
          : undefined,
      ),
  ),
  way('a body too large has the code of a bad request', 'code: <integer HTTP status>', (w) =>
    w.error('create update delete sign', 413, (error) => {
      error.code = 400;
    }),
  ),
];
