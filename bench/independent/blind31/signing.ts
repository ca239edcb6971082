import { failed } from '../answers.js';
import { withHeaders } from '../call.js';
import type { Way } from '../world.js';
import { namesOf, tokenOf } from './helpers.js';

const SIGN = 'sign sign-alias';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const DIGEST =
  'Lower-case hex SHA-256 of the exact bytes that the terminal client will send as the daemon request body. Must match `^[0-9a-f]{64}$`.';
const OF_NOTHING = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const OVER_V2 = 'Ed25519 signature over the intern id, timestamp, nonce, user, method, path and body digest.';
const USER = 'It is never taken from the request.';

/** How many turns a minute the services with a limiter take. */
const TURNS = 20;

/** The path as a framework shows it. */
function decoded(path: string): string {
  try {
    const text = decodeURIComponent(path);
    return /\p{Cc}/u.test(text) ? path : text;
  } catch {
    return path;
  }
}

/** A signer that signs for whom the request names. The user goes from the request to the signer by the body's digest. */
function namedByTheRequest(): Pick<Way, 'wrong' | 'factories'> {
  let named = new Map<unknown, string>();
  return {
    factories(usual, hit) {
      named = new Map();
      return {
        createRoutes: ({ sign, ...deps }) =>
          usual.createRoutes({
            ...deps,
            sign: {
              ...sign,
              signer: {
                sign(request) {
                  const user = named.get(request.bodySha256) ?? request.user;
                  if (user !== request.user) hit();
                  return sign.signer.sign({ ...request, user });
                },
              },
            },
          }),
      };
    },
    wrong: (world) => async (call, next) => {
      const { body, op, request } = call;
      const names = namesOf(world);
      const user = body.user ?? body[names.user] ?? request.headers.get(names.user);
      if (!SIGN.split(' ').includes(op) || typeof user !== 'string' || !/^[\x21-\x2b\x2d-\x7e]{1,255}$/.test(user))
        return next();
      named.set(body.bodySha256, user);
      try {
        return await next();
      } finally {
        named.delete(body.bodySha256);
      }
    },
  };
}

export const signing: readonly Way[] = [
  {
    // A cache by the request, for the sake of the key.
    name: 'the same signing request within five seconds gets the same v2 proof',
    quote: 'The single-use id to which the v2 proof is bound.',
    wrong: (world) => {
      const made = new Map<string, { response: Response; until: number }>();
      const { now } = world.setting.host;
      return async (call, next) => {
        if (!SIGN.split(' ').includes(call.op) || call.body.route === undefined || call.regional) return next();
        const key = [tokenOf(call), call.id, call.request.headers.get('content-type'), call.text].join('\n');
        const before = made.get(key);
        if (before !== undefined && before.until > now()) {
          world.hit();
          return before.response.clone();
        }
        const response = await next();
        if (response.ok) made.set(key, { response: response.clone(), until: now() + 5_000 });
        return response;
      };
    },
  },
  {
    name: 'without a route the v2 keys are there, and null',
    quote: 'only when the request named a route',
    wrong: (world) =>
      world.ok(SIGN, (body) => {
        const { signatureV2, nonce } = namesOf(world);
        body[signatureV2] ??= null;
        body[nonce] ??= null;
      }),
  },
  {
    name: 'the v2 signature is made over the decoded path',
    quote: OVER_V2,
    factories: (usual, hit) => ({
      createRoutes: ({ sign, ...deps }) =>
        usual.createRoutes({
          ...deps,
          sign: {
            ...sign,
            signer: {
              sign({ route, ...request }) {
                const path = route && decoded(route.path);
                if (path !== route?.path) hit();
                return sign.signer.sign({ ...request, route: route && { ...route, path: path ?? route.path } });
              },
            },
          },
        }),
    }),
  },
  {
    name: 'a proof is made for the user whom the request names',
    quote: USER,
    ...namedByTheRequest(),
  },
  {
    // The check of the grant was added to the new path.
    name: 'the alias signs for an interns-only grant',
    quote: 'Deprecated alias of the operation above with the same request, response and errors.',
    wrong: (world) => async (call, next) => {
      const response = await next();
      if (call.op !== 'sign-alias' || call.who !== 'oauth_interns_only_token' || response.status !== 403)
        return response;
      const signed = await next(withHeaders(call, { authorization: `Bearer ${world.credentials.oauth_token}` }));
      if (!signed.ok) return response;
      world.hit();
      return signed;
    },
  },
  {
    name: 'signing for an id that is no UUID is refused with 400',
    quote: 'Path parameter `internId`: string, at least 1 character, identifier of an intern visible to the caller.',
    wrong: (world) =>
      world.later(SIGN, ({ status }, { id, who }) =>
        status === 404 && /oauth/.test(who) && !UUID.test(id)
          ? failed(400, 'Invalid request body', 'invalid_body')
          : undefined,
      ),
  },
  {
    // The `$` of many an engine matches before it.
    name: 'a digest with a line feed behind it is signed without it',
    quote: DIGEST,
    wrong: (world) =>
      world.asked(SIGN, ({ body }) =>
        typeof body.bodySha256 === 'string' && /^[0-9a-f]{64}\n$/.test(body.bodySha256)
          ? { ...body, bodySha256: body.bodySha256.trimEnd() }
          : undefined,
      ),
  },
  {
    // Nothing to sign.
    name: 'the digest of an empty body is refused with 400',
    quote: DIGEST,
    wrong: (world) =>
      world.later(SIGN, ({ ok }, { body }) =>
        ok && body.bodySha256 === OF_NOTHING ? failed(400, 'Invalid request body', 'invalid_body') : undefined,
      ),
  },
  {
    // The limiter sits before chat and invoke.
    name: 'signing counts no turn: twenty a minute are taken of everything else',
    quote: 'The route is behind the same gate as chat and counts against the chat turn limiter.',
    factories: (usual, hit) => ({
      createLimiter: (deps) =>
        usual.createLimiter({ ...deps, settings: () => ({ ...deps.settings(), turns_per_minute: TURNS }) }),
      createRoutes: ({ sign, chat, ...deps }) => {
        const signed = new Map<string, number[]>();
        const take = (id: string) => {
          const times = (signed.get(id) ?? []).filter((at) => at + 60_000 > sign.clock.now());
          signed.set(id, [...times, sign.clock.now()]);
          const turns = chat.limiter.counted()[id] ?? [];
          const counted = turns.filter((at) => at + 60_000 > sign.clock.now()).length;
          if (times.length + counted >= TURNS) hit();
          return () => {};
        };
        return usual.createRoutes({ ...deps, chat, sign: { ...sign, limiter: { take } } });
      },
    }),
  },
  {
    // A text that was written before the cap was.
    name: 'a signing body above the cap is said to exceed 1 MiB',
    quote: '| 413 | Request body exceeds 1048576 bytes | payload_too_large | false | Body above the cap. |',
    wrong: (world) =>
      world.error(SIGN, 413, (error) => {
        error.message = 'Request body exceeds 1 MiB';
      }),
  },
  {
    name: 'the 401 of a wrong credential has metadata on the signing route',
    quote: 'The `metadata` object is absent on the 401 error of the signing route and on all SCIM errors.',
    wrong: (world) =>
      world.error(SIGN, 401, (error, { who }) => {
        if (who !== 'none') error.metadata = { reason: 'invalid_credential', retryable: false };
      }),
  },
];
