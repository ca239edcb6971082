import type { Json } from '../../../emulator/wire/json.js';
import {
  error,
  events,
  isFinal,
  jsonOf,
  key,
  type Older,
  OTHER_ID,
  on,
  opOf,
  reply,
  respJson,
  withBody,
} from './wire.js';

export const invoke: Older = {
  'invoke-peers-session': {
    quote: 'accepted only from the caller it was issued to',
    wrong: on('invoke', async ({ request, next, w, token }) => {
      const j = await jsonOf(request);
      const r = await next(request);
      if (r.status !== 404 || j?.session_id === undefined || token !== key(w, 'peer_api_key')) return r;
      const { session_id, ...rest } = j;
      const o = await next(withBody(request, rest));
      return o.status === 202
        ? w.hit(
            reply(o, (b) => {
              b.session_id = session_id;
            }),
          )
        : o;
    }),
  },
  'invoke-other-intern': {
    quote: 'on the same intern',
    wrong: (next, w) => {
      const of = new Map<string, string>();
      return async (request) => {
        const { op, id, token } = opOf(request);
        if (op !== 'invoke') return next(request);
        const j = await jsonOf(request);
        const again = request.clone();
        const r = await next(request);
        if (r.status === 202) of.set(String((await respJson(r)).session_id), `${token}`);
        if (r.status !== 404 || of.get(String(j?.session_id)) !== token) return r;
        const { session_id, ...rest } = j ?? {};
        const o = await next(withBody(again, rest));
        void id;
        return o.status === 202
          ? w.hit(
              reply(o, (b) => {
                b.session_id = session_id;
              }),
            )
          : o;
      };
    },
  },
  'invoke-chat-session': {
    quote: 'sessions started from the chat endpoint are refused with 404',
    wrong: (next, w) => {
      const of = new Set<string>();
      return async (request) => {
        const { op } = opOf(request);
        if (op === 'chat')
          return events(await next(request), (d) => {
            if (isFinal(d)) of.add(String(d.session_id));
            return d;
          });
        if (op !== 'invoke') return next(request);
        const j = await jsonOf(request);
        const again = request.clone();
        const r = await next(request);
        if (r.status !== 404 || !of.has(String(j?.session_id))) return r;
        const { session_id, ...rest } = j ?? {};
        const o = await next(withBody(again, rest));
        return o.status === 202
          ? w.hit(
              reply(o, (b) => {
                b.session_id = session_id;
              }),
            )
          : o;
      };
    },
  },
  'invoke-unknown-session-new': {
    quote: 'unknown session_id 404',
    wrong: (next, w) => {
      const known = new Set<string>();
      return async (request) => {
        const { op } = opOf(request);
        if (op === 'chat')
          return events(await next(request), (d) => {
            if (isFinal(d)) known.add(String(d.session_id));
            return d;
          });
        if (op !== 'invoke') return next(request);
        const j = await jsonOf(request);
        const again = request.clone();
        const r = await next(request);
        if (r.status === 202) known.add(String((await respJson(r)).session_id));
        if (r.status !== 404 || typeof j?.session_id !== 'string' || known.has(j.session_id)) return r;
        const { session_id, ...rest } = j;
        const o = await next(withBody(again, rest));
        return o.status === 202
          ? w.hit(
              reply(o, (b) => {
                b.session_id = session_id;
              }),
            )
          : o;
      };
    },
  },
  'invoke-200-with-session': {
    quote: 'answers 202 with the session_id',
    wrong: on('invoke', async ({ request, next, w }) => {
      const j = await jsonOf(request);
      const r = await next(request);
      return r.status === 202 && j?.session_id !== undefined
        ? w.hit(new Response(r.body, { status: 200, headers: r.headers }))
        : r;
    }),
  },
  'invoke-later-new-id': {
    quote: 'Sending the same session_id later continues the conversation',
    wrong: on('invoke', async ({ request, next, w }) => {
      const j = await jsonOf(request);
      const r = await next(request);
      return r.status === 202 && j?.session_id !== undefined
        ? w.hit(
            reply(r, (b) => {
              b.session_id = OTHER_ID;
            }),
          )
        : r;
    }),
  },
  'invoke-steer-says-started': {
    quote: 'the status is steered',
    wrong: on('invoke', async ({ request, next, w }) => {
      const r = await next(request);
      return r.status === 202
        ? reply(r, (b) => {
            if (b.status === 'steered') {
              w.hit(0);
              b.status = 'started';
            }
          })
        : r;
    }),
  },
  'invoke-404-code-400': {
    quote: 'code: integer HTTP status',
    wrong: on('invoke', async ({ request, next, w }) => {
      const j = await jsonOf(request);
      const r = await next(request);
      return r.status === 404 && j?.session_id !== undefined
        ? w.hit(
            reply(r, (b) => {
              (b.error as Json).code = 400;
            }),
          )
        : r;
    }),
  },
  'invoke-own-key-session': {
    quote: 'accepted only from the caller it was issued to',
    wrong: on('invoke', async ({ request, next, w, token }) => {
      const j = await jsonOf(request);
      const again = request.clone();
      const r = await next(request);
      if (r.status !== 404 || j?.session_id === undefined || token !== key(w, 'own')) return r;
      const { session_id, ...rest } = j;
      const o = await next(withBody(again, rest));
      return o.status === 202
        ? w.hit(
            reply(o, (b) => {
              b.session_id = session_id;
            }),
          )
        : o;
    }),
  },
  'invoke-busy-409': {
    quote: 'If the session already has a run going, the prompt is delivered into it',
    wrong: on('invoke', async ({ request, next, w }) => {
      const r = await next(request);
      return r.status === 202 && (await respJson(r)).status === 'steered' ? w.hit(error(409, 'busy', 'busy', true)) : r;
    }),
  },
  'invoke-forgets-ended-sessions': {
    quote: 'Sending the same session_id later continues the conversation',
    wrong: on('invoke', async ({ request, next, w }) => {
      const j = await jsonOf(request);
      const r = await next(request);
      return r.status === 202 && j?.session_id !== undefined && (await respJson(r)).status === 'started'
        ? w.hit(error(404, 'Session not found', 'not_found'))
        : r;
    }),
  },
};
