import { CAP, error, jsonOf, type Older, on, opOf, say, textOf, withBody, withHeaders } from './wire.js';

export const lifecycle: Older = {
  'create-exact-cap-413': {
    quote: 'capped at 1048576 bytes, and a larger body is refused',
    wrong: on('create', async ({ request, next, w }) =>
      (await textOf(request)).length === CAP
        ? w.hit(error(413, 'Request body exceeds 1048576 bytes', 'payload_too_large'))
        : next(request),
    ),
  },
  'sign-exact-cap-413': {
    quote: 'Body above the cap',
    wrong: on('sign', async ({ request, next, w }) =>
      (await textOf(request)).length === CAP
        ? w.hit(error(413, 'Request body exceeds 1048576 bytes', 'payload_too_large'))
        : next(request),
    ),
  },
  'update-over-cap-400': {
    quote: 'The 1048576-byte cap applies as for create',
    wrong: on('update', async ({ request, next, w }) => {
      const r = await next(request);
      return r.status === 413 ? w.hit(error(400, 'Invalid request body', 'invalid_body')) : r;
    }),
  },
  'delete-over-cap-400': {
    quote: 'The 1048576-byte cap applies as for create',
    wrong: on('delete', async ({ request, next, w }) => {
      const r = await next(request);
      return r.status === 413 ? w.hit(error(400, 'Invalid request body', 'invalid_body')) : r;
    }),
  },
  'cap-by-content-length-only': {
    quote: 'a larger body is refused with 413 (chunked)',
    wrong: on(['create', 'update', 'delete'], async ({ request, next, w }) => {
      const r = await next(request);
      return r.status === 413 && !request.headers.has('content-length')
        ? w.hit(error(400, 'Invalid request body', 'invalid_body'))
        : r;
    }),
  },
  'update-text-plain': {
    quote: '415 rules apply as for create',
    wrong: on('update', async ({ request, next, w }) => {
      const t = request.headers.get('content-type');
      return t?.startsWith('text/plain')
        ? w.hit(next(withHeaders(request, (h) => h.set('content-type', 'application/json'))))
        : next(request);
    }),
  },
  'delete-no-type': {
    quote: 'A non-empty body must declare application/json',
    wrong: on('delete', async ({ request, next, w }) => {
      const t = request.headers.get('content-type');
      const body = await textOf(request);
      if ((t !== null && t !== 'text/plain;charset=UTF-8') || body === '') return next(request);
      const r = await next(request.clone());
      return r.status === 415 ? w.hit(next(withHeaders(request, (h) => h.set('content-type', 'application/json')))) : r;
    }),
  },
  'create-json-suffix-type': {
    quote: 'must declare Content-Type: application/json',
    wrong: on('create', async ({ request, next, w }) => {
      const t = request.headers.get('content-type');
      return t !== null && !t.startsWith('application/json') && /json/.test(t)
        ? w.hit(next(withHeaders(request, (h) => h.set('content-type', 'application/json'))))
        : next(request);
    }),
  },
  'create-charset-415': {
    quote: 'must declare Content-Type: application/json',
    wrong: on('create', async ({ request, next, w }) =>
      /;/.test(request.headers.get('content-type') ?? '')
        ? w.hit(error(415, 'Request body must be sent as application/json', 'unsupported_media_type'))
        : next(request),
    ),
  },
  'delete-empty-415': {
    quote: 'The body is optional',
    wrong: on('delete', async ({ request, next, w }) => {
      const r = await next(request.clone());
      return r.status === 404 || r.status === 401 || request.headers.has('content-type')
        ? r
        : w.hit(error(415, 'Request body must be sent as application/json', 'unsupported_media_type'));
    }),
  },
  'delete-empty-object-400': {
    quote: 'The only stated field is acknowledge_workspace_loss; optional',
    wrong: on('delete', async ({ request, next, w }) =>
      (await textOf(request)).trim() === '{}'
        ? w.hit(error(400, 'Invalid request body', 'invalid_body'))
        : next(request),
    ),
  },
  'delete-ack-string': {
    quote: 'boolean',
    wrong: on('delete', async ({ request, next, w }) => {
      const a = (await jsonOf(request))?.acknowledge_workspace_loss;
      return typeof a === 'string' || typeof a === 'number'
        ? w.hit(next(withBody(request, { acknowledge_workspace_loss: Boolean(a) })))
        : next(request);
    }),
  },
  'provision-null-field': {
    quote: 'a body carrying any field is refused with 400',
    wrong: on('provision', async ({ request, next, w }) => {
      const j = await jsonOf(request);
      if (!j || Object.keys(j).length === 0 || Object.values(j).some((v) => v !== null)) return next(request);
      return w.hit(next(withBody(request, {})));
    }),
  },
  'suspend-field-acts': {
    quote: 'refused with 400',
    wrong: on('suspend', async ({ request, next, w, id, token }) => {
      const r = await next(request);
      if (r.status === 400) {
        const d = await say(w, `/interns/${id}/suspend`, 'POST', token);
        if (d.ok) w.hit(0);
      }
      return r;
    }),
  },
  'provision-field-ok-when-suspended': {
    quote: 'refused with 400',
    wrong: (next, w) => {
      const s = new Set<string>();
      return async (request) => {
        const { op, id } = opOf(request);
        if (op === 'suspend') {
          const r = await next(request);
          if (r.ok) s.add(id);
          return r;
        }
        if (op === 'provision' && s.has(id) && (await textOf(request)) !== '')
          return w.hit(next(withBody(request, '{}')));
        return next(request);
      };
    },
  },
  'provision-field-acts': {
    quote: 'refused with 400',
    wrong: on('provision', async ({ request, next, w, id, token }) => {
      const r = await next(request);
      if (r.status === 400) {
        const d = await say(w, `/interns/${id}/provision`, 'POST', token);
        if (d.ok) w.hit(0);
      }
      return r;
    }),
  },
};
