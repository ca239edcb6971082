import {
  as,
  CAP,
  error,
  jsonOf,
  key,
  notFound,
  type Older,
  on,
  ownerIfHidden,
  reply,
  respJson,
  say,
  seen,
  textOf,
} from './wire.js';

export const visibility: Older = {
  'foreign-delete-acts': {
    quote: 'The API key selects the visible interns; everything else answers 404.',
    wrong: on('delete', async ({ request, next, w, id, token }) => {
      const again = request.clone();
      const r = await next(request);
      const o = r.status === 404 ? await ownerIfHidden(w, id, token) : undefined;
      if (o) {
        const d = await say(w, `/interns/${id}`, 'DELETE', o);
        if (d.status < 300) w.hit(0);
      }
      void again;
      return r;
    }),
  },
  'foreign-update-acts': {
    quote: 'The API key selects the visible interns; everything else answers 404.',
    wrong: on('update', async ({ request, next, w, id, token }) => {
      const again = request.clone();
      const r = await next(request);
      const o = r.status === 404 ? await ownerIfHidden(w, id, token) : undefined;
      if (o) {
        const d = await w.emulator.fetch(as(again, o));
        if (d.status < 300) w.hit(0);
      }
      return r;
    }),
  },
  'foreign-suspend-acts': {
    quote: 'The API key selects the visible interns; everything else answers 404.',
    wrong: on('suspend', async ({ request, next, w, id, token }) => {
      const r = await next(request);
      const o = r.status === 404 ? await ownerIfHidden(w, id, token) : undefined;
      if (o) {
        const d = await say(w, `/interns/${id}/suspend`, 'POST', o);
        if (d.status < 300) w.hit(0);
      }
      return r;
    }),
  },
  'foreign-sees-stopped': {
    quote: 'The API key selects the workspace and the visible interns.',
    wrong: on('get', async ({ request, next, w, id, token }) => {
      const r = await next(request);
      const o = r.status === 404 ? await ownerIfHidden(w, id, token) : undefined;
      if (!o) return r;
      const s = await respJson(await say(w, `/interns/${id}`, 'GET', o));
      return s.status === 'stopped' ? w.hit(Response.json(s)) : r;
    }),
  },
  'foreign-list-by-status': {
    quote: 'Lists the interns visible to the key',
    wrong: on('list', async ({ request, next, w, q, token }) =>
      q.has('status') && [key(w, 'foreign_api_key'), key(w, 'api_key')].includes(token)
        ? (async () => {
            const other = as(
              request.clone(),
              token === key(w, 'api_key') ? key(w, 'foreign_api_key') : key(w, 'api_key'),
            );
            const r = await next(request);
            if (r.status !== 200) return r;
            const more = (await respJson(await next(other))).data as unknown[] | undefined;
            if (more?.length) w.hit(0);
            return reply(r, (j) => {
              j.data = [...(j.data as unknown[]), ...(more ?? [])];
            });
          })()
        : next(request),
    ),
  },
  'foreign-list-by-workspace': {
    quote: 'Lists the interns visible to the key',
    wrong: on('list', async ({ request, next, w, q, token }) =>
      token === key(w, 'foreign_api_key') && q.get('workspace_id') === w.target.workspace_id
        ? w.hit(next(as(request, key(w, 'api_key'))))
        : token === key(w, 'api_key') && q.get('workspace_id') === w.target.foreign_workspace_id
          ? w.hit(next(as(request, key(w, 'foreign_api_key'))))
          : next(request),
    ),
  },
  'own-key-invoke-other-403': {
    quote: "An intern's own key: every other intern answers 404.",
    wrong: on('invoke', async ({ request, next, w, token }) => {
      const r = await next(request);
      return r.status === 404 && token === key(w, 'own') ? w.hit(error(403, 'Forbidden', 'forbidden')) : r;
    }),
  },
  'own-key-lists-itself': {
    quote: 'For such a key the collection answers 404',
    wrong: on('list', async ({ request, next, w, token }) => {
      const r = await next(request);
      return r.status === 404 && token === key(w, 'own')
        ? w.hit(Response.json({ data: [await seen(w, w.target.credentials.intern?.id ?? '')], has_more: false }))
        : r;
    }),
  },
  'own-key-suspends-other': {
    quote: "An intern's own key: every other intern answers 404",
    wrong: on('suspend', async ({ request, next, w, token }) =>
      token === key(w, 'own') ? w.hit(next(as(request, key(w, 'api_key')))) : next(request),
    ),
  },
  'outsider-bad-create-400': {
    quote: 'Callers outside the programme receive 404 for every path under /interns',
    wrong: on('create', async ({ request, next, w, token }) => {
      if (token !== key(w, 'outsider_api_key') || (await jsonOf(request)) !== undefined) return next(request);
      return w.hit(error(400, 'Invalid request body', 'invalid_body'));
    }),
  },
  'outsider-large-create-413': {
    quote: 'Callers outside the programme receive 404 for every path under /interns',
    wrong: on('create', async ({ request, next, w, token }) => {
      if (token !== key(w, 'outsider_api_key') || (await textOf(request)).length <= CAP) return next(request);
      return w.hit(error(413, 'Request body exceeds 1048576 bytes', 'payload_too_large'));
    }),
  },
  'outsider-sign-403': {
    quote: 'Callers outside the programme receive 404 for every path under /interns',
    wrong: on(['sign', 'sign-alias'], async ({ request, next, w, token }) => {
      const r = await next(request);
      return token === key(w, 'outsider_api_key')
        ? w.hit(error(403, 'Personal connections require the OIDC login', 'personal_identity_required'))
        : r;
    }),
  },
  'outsider-daemon-alias-403': {
    quote: 'Callers outside the programme receive 404 for every path under /interns',
    wrong: on('daemon-alias', async ({ request, next, w, token }) => {
      const r = await next(request);
      return token === key(w, 'outsider_api_key') ? w.hit(error(403, 'Forbidden', 'personal_identity_required')) : r;
    }),
  },
  'outsider-put-405': {
    quote: 'same (every path)',
    wrong: on('other', async ({ request, next, w, token }) =>
      token === key(w, 'outsider_api_key') && request.method === 'PUT'
        ? w.hit(error(405, 'Method not allowed', 'method_not_allowed'))
        : next(request),
    ),
  },
  'bad-key-unknown-intern-404': {
    quote: 'A missing or invalid key gives 401.',
    wrong: on('get', async ({ request, next, w, id }) => {
      const r = await next(request);
      if (r.status !== 401) return r;
      return (await seen(w, id)).id === undefined ? w.hit(notFound()) : r;
    }),
  },
  'no-key-list-empty': {
    quote: 'A missing or invalid key gives 401.',
    wrong: on('list', async ({ request, next, w, token }) => {
      const r = await next(request);
      return r.status === 401 && token === '' && !request.headers.has('authorization')
        ? w.hit(Response.json({ data: [], has_more: false }))
        : r;
    }),
  },
  'bad-key-suspend-bodied-400': {
    quote: 'A missing or invalid key gives 401.',
    wrong: on(['suspend', 'provision'], async ({ request, next, w }) => {
      const t = await textOf(request);
      const r = await next(request);
      return r.status === 401 && t !== '' ? w.hit(error(400, 'Invalid request body', 'invalid_body')) : r;
    }),
  },
};
