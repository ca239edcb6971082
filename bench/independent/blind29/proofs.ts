import { failed } from '../answers.js';
import { type Call, isJson, type Json, withHeaders } from '../call.js';
import { bodyOf, isSuspended, shown } from '../newer/tools.js';
import type { Way } from '../world.js';
import { among, asking, named, ofCaller } from './tools.js';

const SIGN = 'sign sign-alias';
const V2 = 'Ed25519 signature over the intern id, timestamp, nonce, user, method, path and body digest.';
const DIGEST = 'Must match `^[0-9a-f]{64}$`.';
const ONCE = 'The intern accepts it once.';
const route = ({ body }: Call): Json | undefined => Object.values(body).find(isJson);
/** The header of a proof whose name ends so. */
const part = (body: Json, end: string): string => Object.keys(body).find((key) => key.endsWith(end)) ?? end;

export const proofs: readonly Way[] = [
  named('the path of a route is signed in lower case', V2, (w) =>
    asking(w, SIGN, (call) => {
      const { path } = route(call) ?? {};
      return typeof path === 'string' && path !== path.toLowerCase()
        ? JSON.parse(call.text.replaceAll(JSON.stringify(path), JSON.stringify(path.toLowerCase())))
        : undefined;
    }),
  ),
  named(
    'two proofs for the same within a second have the same nonce',
    'The single-use id to which the v2 proof is bound.',
    (w) => {
      const made = new Map<string, { second: number; body: Json }>();
      return w.ok(SIGN, (body, call) => {
        const key = `${ofCaller(call)} ${call.text}`;
        const second = Math.floor(w.setting.host.now() / 1000);
        const before = made.get(key);
        if (before?.second === second) Object.assign(body, before.body);
        else made.set(key, { second, body: { ...body } });
      });
    },
  ),
  named('the person of a proof is taken from a header', 'It is never taken from the request.', (w) =>
    w.ok(SIGN, (body, { request }) => {
      const key = part(body, '-user');
      body[key] = request.headers.get(key) ?? body[key];
    }),
  ),
  named('a proof for no route has the nonce of the one before', 'present together with the v2 signature', (w) => {
    const before = new Map<string, unknown>();
    return w.ok(SIGN, (body, call) => {
      const key = part(body, '-nonce');
      if (key in body) before.set(ofCaller(call), [key, body[key]]);
      const known = before.get(ofCaller(call));
      if (Array.isArray(known)) body[String(known[0])] = known[1];
    });
  }),
  named(
    'without a digest that of an empty body is signed',
    'Lower-case hex SHA-256 of the exact bytes that the terminal client will send as the daemon request body.',
    (w) =>
      asking(w, SIGN, ({ body, text }) =>
        text.startsWith('{') && !('bodySha256' in body)
          ? { ...body, bodySha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' }
          : undefined,
      ),
  ),
  named('a digest may end with a line break', DIGEST, (w) =>
    asking(w, SIGN, ({ body }) =>
      typeof body.bodySha256 === 'string' && /^[0-9a-f]{64}\n$/.test(body.bodySha256)
        ? { ...body, bodySha256: body.bodySha256.trim() }
        : undefined,
    ),
  ),
  named('the second signature is in the alphabet for addresses', 'Signatures are Ed25519, Base64 encoded.', (w) =>
    w.ok(SIGN, (body) => {
      const key = part(body, '-signature-v2');
      if (typeof body[key] === 'string') body[key] = body[key].replaceAll('+', '-').replaceAll('/', '_');
    }),
  ),
  named(
    'the alias signs for no route',
    'When present, the response also carries the v2 signature and the nonce.',
    (w) => asking(w, 'sign-alias', (call) => (route(call) ? { bodySha256: call.body.bodySha256 } : undefined)),
  ),
  named(
    'a grant for interns only signs where no route is named',
    "An interns-only grant is refused with 403, because a proof releases that user's personal connections.",
    (w) => async (call, next) => {
      const r = await next();
      if (!among(SIGN, call) || r.status !== 403 || !call.who.includes('interns_only') || route(call)) return r;
      const given = await w.next(withHeaders(call, { authorization: `Bearer ${w.credentials.oauth_token}` }));
      if (!given.ok) return r;
      w.hit();
      return given;
    },
  ),
  named('who signs too often is informed not to try again', 'Too many intern turns | rate_limited | true', (w) =>
    w.error(SIGN, 429, (error) => {
      error.metadata = { ...error.metadata, retryable: false };
    }),
  ),
  named('nothing is signed for a suspended intern', 'Errors: 400, 401, 403, 404, 408, 413, 415, 429, 500.', (w) =>
    w.later(SIGN, async (r, call) =>
      r.ok && isSuspended((await shown(w, call)) ?? {})
        ? failed(409, 'The intern is not running', 'intern_not_running')
        : undefined,
    ),
  ),
  {
    name: 'a daemon remembers the last nonce only',
    quote: ONCE,
    daemons: (w) => {
      const given = new Map<string, string>();
      let last = '';
      return async ({ request }, next) => {
        const nonce = [...request.headers].find(([name]) => name.endsWith('-nonce'))?.[1];
        const r = await next();
        if (nonce === undefined) return r;
        const before = given.get(nonce);
        if (r.ok) {
          given.set(nonce, await r.clone().text());
          last = nonce;
        } else if (before !== undefined && nonce !== last && (await reasonOf(r)) === 'nonce_reused') {
          last = nonce;
          w.hit();
          return new Response(before, { headers: r.headers });
        }
        return r;
      };
    },
  },
  {
    name: 'a daemon takes proofs of any age that it knows',
    quote: 'The daemon refuses proofs older than its window.',
    daemons: (w) => {
      const known = new Map<string, string>();
      return async ({ request }, next) => {
        const proof = [...request.headers].find(([name]) => name.endsWith('-signature'))?.[1] ?? '';
        const r = await next();
        if (r.ok) known.set(proof, await r.clone().text());
        const before = known.get(proof);
        if (r.status !== 401 || before === undefined || !/expired|stale|window|old/.test(await reasonOf(r))) return r;
        w.hit();
        return new Response(before, { headers: r.headers });
      };
    },
  },
];

async function reasonOf(response: Response): Promise<string> {
  const { error } = await bodyOf(response);
  return isJson(error) && isJson(error.metadata) ? String(error.metadata.reason) : '';
}
