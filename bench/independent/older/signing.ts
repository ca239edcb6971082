import { rewritten } from '../../../emulator/wire/answer.js';
import type { Json } from '../../../emulator/wire/json.js';
import { as, jsonOf, key, type Older, OTHER_ID, on, opOf, reply, respJson, textOf, withBody } from './wire.js';

export const signing: Older = {
  'daemon-alias-reason': {
    quote: 'API keys get 403 with reason personal_identity_required (alias: same)',
    wrong: on('daemon-alias', async ({ request, next, w }) => {
      const r = await next(request);
      return r.status === 403
        ? w.hit(
            reply(r, (j) => {
              ((j.error as Json).metadata as Json).reason = 'forbidden';
            }),
          )
        : r;
    }),
  },
  'daemon-alias-cacheable': {
    quote: 'Cache-Control: no-store',
    wrong: on('daemon-alias', async ({ request, next, w }) => {
      const r = await next(request);
      return r.ok ? w.hit(rewritten(r, { headers: (h) => h.delete('cache-control') })) : r;
    }),
  },
  'daemon-private-cache': {
    quote: 'Cache-Control: no-store',
    wrong: on('daemon', async ({ request, next, w }) => {
      const r = await next(request);
      return r.ok ? w.hit(rewritten(r, { headers: (h) => h.set('cache-control', 'private, no-cache') })) : r;
    }),
  },
  'daemon-of-suspended': {
    quote: 'one visible, running intern',
    wrong: (next, w) => {
      const last = new Map<string, unknown>();
      return async (request) => {
        const { op, id } = opOf(request);
        const r = await next(request);
        if (op !== 'daemon') return r;
        if (r.ok) {
          last.set(id, await respJson(r));
          return r;
        }
        return r.status === 409 && last.has(id)
          ? w.hit(Response.json(last.get(id), { headers: { 'cache-control': 'no-store' } }))
          : r;
      };
    },
  },
  'daemon-own-key-200': {
    quote: 'Only an OAuth-token caller may read it',
    wrong: on('daemon', async ({ request, next, w, token }) =>
      token === key(w, 'own') && (await next(request.clone())).status === 403
        ? w.hit(next(as(request, key(w, 'oauth_token'))))
        : next(request),
    ),
  },
  'sign-alias-interns-only': {
    quote: 'An interns-only grant is refused with 403 (alias same)',
    wrong: on('sign-alias', async ({ request, next, w, token }) =>
      token === key(w, 'oauth_interns_only_token') ? w.hit(next(as(request, key(w, 'oauth_token')))) : next(request),
    ),
  },
  'sign-newline': {
    quote: 'Must match ^[0-9a-f]{64}$',
    wrong: on(['sign', 'sign-alias'], async ({ request, next, w }) => {
      const j = await jsonOf(request);
      const b = j?.bodySha256;
      return typeof b === 'string' && /^[0-9a-f]{64}\n$/.test(b)
        ? w.hit(next(withBody(request, { ...j, bodySha256: b.trim() })))
        : next(request);
    }),
  },
  'sign-one-upper': {
    quote: 'Must match ^[0-9a-f]{64}$',
    wrong: on('sign', async ({ request, next, w }) => {
      const j = await jsonOf(request);
      const b = j?.bodySha256;
      return typeof b === 'string' &&
        /^[0-9a-f]{60,63}[0-9A-F]{1,4}$/.test(b) &&
        b.length === 64 &&
        b !== b.toLowerCase()
        ? w.hit(next(withBody(request, { ...j, bodySha256: b.toLowerCase() })))
        : next(request);
    }),
  },
  'sign-upper-in-alias': {
    quote: 'Must match ^[0-9a-f]{64}$',
    wrong: on('sign-alias', async ({ request, next, w }) => {
      const j = await jsonOf(request);
      const b = j?.bodySha256;
      return typeof b === 'string' && /^[0-9a-fA-F]{64}$/.test(b) && b !== b.toLowerCase()
        ? w.hit(next(withBody(request, { ...j, bodySha256: b.toLowerCase() })))
        : next(request);
    }),
  },
  'sign-66-hex': {
    quote: 'Must match ^[0-9a-f]{64}$',
    wrong: on('sign', async ({ request, next, w }) => {
      const j = await jsonOf(request);
      const b = j?.bodySha256;
      return typeof b === 'string' && /^[0-9a-f]{65,}$/.test(b)
        ? w.hit(next(withBody(request, { ...j, bodySha256: b.slice(0, 64) })))
        : next(request);
    }),
  },
  'sign-cached-second': {
    quote: 'nonce: the single-use id',
    wrong: (next, w, s) => {
      const c = new Map<string, unknown>();
      return async (request) => {
        const { op, id, token } = opOf(request);
        if (op !== 'sign') return next(request);
        const k = `${token} ${id} ${Math.floor(s.host.now() / 1000)} ${await textOf(request)}`;
        if (c.has(k)) return w.hit(Response.json(c.get(k), { headers: { 'cache-control': 'no-store' } }));
        const r = await next(request);
        if (r.ok) c.set(k, await respJson(r));
        return r;
      };
    },
  },
  'sign-cached-across-callers': {
    quote: 'x-svc-invoke-user: the verified OAuth subject',
    wrong: (next, w, s) => {
      const c = new Map<string, { at: number; token: string; j: unknown }>();
      return async (request) => {
        const { op, id, token } = opOf(request);
        if (op !== 'sign') return next(request);
        const k = `${id} ${await textOf(request)}`;
        const r = await next(request);
        if (!r.ok) return r;
        const o = c.get(k);
        if (o && o.token !== token && s.host.now() - o.at < 5000)
          return w.hit(Response.json(o.j, { headers: { 'cache-control': 'no-store' } }));
        c.set(k, { at: s.host.now(), token, j: await respJson(r) });
        return r;
      };
    },
  },
  'sign-escapes-lowered': {
    quote: 'v2 over … path (of the request named)',
    wrong: on(['sign', 'sign-alias'], async ({ request, next, w }) => {
      const j = await jsonOf(request);
      const route = j?.route as Json | undefined;
      const p = route?.path;
      if (typeof p !== 'string' || !/%[0-9A-F]*[A-F]/.test(p)) return next(request);
      return w.hit(
        next(withBody(request, { ...j, route: { ...route, path: p.replace(/%../g, (x) => x.toLowerCase()) } })),
      );
    }),
  },
  'sign-path-slash-trimmed': {
    quote: 'v2 over … path (of the request named)',
    wrong: on(['sign', 'sign-alias'], async ({ request, next, w }) => {
      const j = await jsonOf(request);
      const route = j?.route as Json | undefined;
      const p = route?.path;
      if (typeof p !== 'string' || !/.\/$/.test(p)) return next(request);
      return w.hit(next(withBody(request, { ...j, route: { ...route, path: p.replace(/\/$/, '') } })));
    }),
  },
  'sign-nonce-always': {
    quote: 'nonce present together with the v2 signature',
    wrong: on('sign', async ({ request, next, w }) =>
      reply(await next(request), (j) => {
        if ('x-ori-invoke-signature' in j && !('x-ori-invoke-nonce' in j)) {
          w.hit(0);
          j['x-ori-invoke-nonce'] = OTHER_ID;
        }
      }),
    ),
  },
  'sign-unpadded': {
    quote: 'Base64',
    wrong: on('sign', async ({ request, next, w }) =>
      reply(await next(request), (j) => {
        if ('x-ori-invoke-signature' in j) w.hit(0);
        j['x-ori-invoke-signature'] = String(j['x-ori-invoke-signature']).replace(/=+$/, '');
      }),
    ),
  },
};
