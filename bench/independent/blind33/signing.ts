import { createHash } from 'node:crypto';
import { as, jsonIn, recordOf, SECOND, way } from '../blind32/helpers.js';
import type { Call, Json } from '../call.js';
import type { Way } from '../world.js';

const ATTACHES =
  'Returns the origin and the daemon token that attach the terminal client in host mode to one visible, running intern.';
const IDENTITY = 'API keys get 403 with reason `personal_identity_required`.';
const TIME = '| x-svc-invoke-timestamp | string, Unix seconds | always | Time of signing.';
const USER = 'The verified OAuth subject that the proof names. It is never taken from the request.';
const MATCH = 'Must match `^[0-9a-f]{64}$`.';
const NONCE = 'The single-use id to which the v2 proof is bound.';
const V1 = 'Ed25519 signature over the intern id, timestamp, user and body digest.';
const NO_NAME = 'An API key is refused with 403, because it names no person.';
const ONCE = 'The intern accepts it once.';

/** The name of a proof header by its ending: its beginning is the product's. */
const named = (names: Iterable<string>, ending: string): string =>
  [...names].find((name) => name.endsWith(`-invoke-${ending}`)) ?? ending;
const nonceOf = ({ request: { headers } }: Call): string | null => headers.get(named(headers.keys(), 'nonce'));
const unstored = (body: Json) => Response.json(body, { headers: { 'cache-control': 'no-store' } });

export const daemon: readonly Way[] = [
  way('daemon-cached-for-api-keys', IDENTITY, (w) => {
    const cached = new Map<string, Json>();
    return async (call, next) => {
      const response = await next();
      if (call.op !== 'daemon') return response;
      const read = await jsonIn(response);
      if (read !== undefined) cached.set(call.id, read);
      const before = cached.get(call.id);
      if (response.status !== 403 || before === undefined) return response;
      w.hit();
      return unstored(before);
    };
  }),
  way('daemon-without-a-token-while-booting', ATTACHES, (w) =>
    w.later('daemon', async ({ status }, { id, who }) =>
      status === 409 && /^(queued|provisioning)$/.test(String((await recordOf(w, id, who))?.status))
        ? unstored({ origin: w.target.daemon_origin, token: null })
        : undefined,
    ),
  ),
  way('daemon-token-of-the-first-boot', ATTACHES, (w) => {
    const first = new Map<string, unknown>();
    return w.ok('daemon daemon-alias', (body, { id }) => {
      body.token = first.get(id) ?? body.token;
      first.set(id, body.token);
    });
  }),
];

export const signing: readonly Way[] = [
  way('sign-time-in-milliseconds', TIME, (w) =>
    w.ok('sign', (proof) => {
      const time = named(Object.keys(proof), 'timestamp');
      proof[time] = `${proof[time]}000`;
    }),
  ),
  way('sign-user-is-the-creator', USER, (w) => {
    const creators = new Map<unknown, string>();
    return async (call, next) => {
      if (call.op === 'sign' && call.who === 'peer_oauth_token' && creators.get(call.id) === 'api_key') {
        const proof = await next(as(call, w.credentials.oauth_token ?? ''));
        if (proof.ok) w.hit();
        return proof;
      }
      const response = await next();
      if (call.op === 'create') creators.set((await jsonIn(response))?.id, call.who);
      return response;
    };
  }),
  way('sign-digest-in-capitals', MATCH, (w) =>
    w.asked('sign', ({ body: { bodySha256, ...others } }) =>
      typeof bodySha256 === 'string' && /^(?=.*[A-F])[0-9a-fA-F]{64}$/.test(bodySha256)
        ? { ...others, bodySha256: bodySha256.toLowerCase() }
        : undefined,
    ),
  ),
  {
    name: 'sign-nonce-of-a-small-pool',
    quote: NONCE,
    factories: (usual, hit) => ({
      createRoutes(deps) {
        let taken = 0;
        const bytes = (length: number) => {
          if (taken >= 16) hit();
          return createHash('sha256')
            .update(`${taken++ % 16}`)
            .digest()
            .subarray(0, length);
        };
        return usual.createRoutes({ ...deps, sign: { ...deps.sign, random: { bytes } } });
      },
    }),
  },
  way('sign-v1-is-the-v2', V1, (w) =>
    w.ok('sign', (proof) => {
      const v1 = named(Object.keys(proof), 'signature');
      proof[v1] = proof[`${v1}-v2`] ?? proof[v1];
    }),
  ),
  way('sign-own-key-for-its-owner', NO_NAME, (w) => async (call, next) => {
    if (call.op !== 'sign' || call.who !== 'own_key' || call.id !== w.target.credentials.intern?.id) return next();
    const response = await next(as(call, w.credentials.oauth_token ?? ''));
    if (response.ok) w.hit();
    return response;
  }),
  {
    name: 'daemon-forgets-nonces-in-ten-seconds',
    quote: ONCE,
    daemons: (w) => {
      const used = new Map<string, { at: number; body: Json }>();
      return async (call, next) => {
        const response = await next();
        const nonce = nonceOf(call);
        if (nonce === null) return response;
        const now = w.setting.host.now();
        const body = await jsonIn(response);
        if (body !== undefined) used.set(nonce, { at: now, body });
        const before = used.get(nonce);
        if (before === undefined || now - before.at < 10 * SECOND || !/reused/.test(await response.clone().text()))
          return response;
        w.hit();
        return Response.json(before.body);
      };
    },
  },
  {
    name: 'daemon-accepts-twins-at-once',
    quote: ONCE,
    daemons: (w) => {
      const going = new Map<string, Promise<Response>>();
      return async (call, next) => {
        const nonce = nonceOf(call) ?? '';
        const twin = going.get(nonce);
        const answer = next();
        if (nonce === '') return answer;
        if (twin === undefined) {
          const first = answer.then((response) => response.clone());
          first.catch(() => {});
          going.set(nonce, first);
          const response = await answer;
          setTimeout(() => going.delete(nonce), 0);
          return response;
        }
        const response = await answer;
        const body = /reused/.test(await response.clone().text()) ? await jsonIn(await twin) : undefined;
        if (body === undefined) return response;
        w.hit();
        return Response.json(body);
      };
    },
  },
];
