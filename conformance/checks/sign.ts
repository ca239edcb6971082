import fc from 'fast-check';
import { BAD_DIGESTS, badDigest, digest, NEARLY_DIGESTS } from '../arbitraries/digest.js';
import { BAD_ROUTE_PATHS, routePath } from '../arbitraries/route-path.js';
import { ok } from '../framework/assert.js';
import { checksOf } from '../framework/check.js';
import type { Ctx, SendOptions } from '../framework/context.js';
import * as expect from '../framework/expect.js';
import { onStopped } from '../helpers/interns.js';
import { DIGEST } from '../helpers/operations.js';
import { holds, proofOf } from '../helpers/proofs.js';
import { refuses } from '../helpers/refuses.js';
import type { Answer } from '../probe/client.js';
import { internPath } from '../probe/request.js';

const OAUTH = { as: 'oauth_token' } as const;
const INVALID = { status: 400, message: /^Invalid request body/, reason: 'invalid_body', retryable: false } as const;
const PATHS = ['daemon/sign', 'daemon-access/sign'] as const;

/** Signs by the operation or by its alias. */
const sign = (
  { send }: Ctx,
  id: string,
  json: unknown,
  path: string = PATHS[0],
  over: SendOptions = OAUTH,
): Promise<Answer> => send({ method: 'POST', path: internPath(id, `/${path}`), json, ...over });

const route = (path: string) => ({ method: 'POST', path });
const where = fc.constantFrom(...PATHS);

const METHODS: readonly unknown[] = [
  ...['post', 'GET', 'POST', 'Post', 'PUT', 'DELETE', 'PATCH', '', 'POST ', ' POST', 'POST\n'],
  null,
  7,
  ['POST'],
  {},
];
/** Paths that a client may send as they stand in its URL. */
const WITH_MORE = ['/api/invoke?x=1', '/api/invoke#top', 'http://daemon/api/invoke'];
/** Signs for routes: of the valid twins, and of some wrong ones, by the operation and its alias. */
async function badRoutes(
  ctx: Ctx,
  twins: readonly unknown[],
  wrong: readonly unknown[],
  named: (value: unknown) => unknown,
): Promise<void> {
  const { id } = await ctx.interns.stopped();
  for (const at of ctx.sample(PATHS)) {
    const send = (value: unknown) => sign(ctx, id, { bodySha256: DIGEST, route: named(value) }, at);
    const [first, second] = wrong;
    // In every run: what is nearest to a route.
    await refuses(ctx, { of: `${at} for the route`, as: INVALID, twins, wrong: [first, second], few: 2, send });
    await refuses(ctx, { of: `${at} for the route`, as: INVALID, twins: [], wrong: wrong.slice(2), send });
  }
}

export const SIGN = checksOf('SIGN-3', {
  'sign/answer': {
    requirement: 'SIGN-1',
    title: 'The answer is exactly the proof headers; those of v2 exactly when the request names a route; no-store.',
    ...onStopped(['oauth_token'], async (ctx, intern) => {
      const path = fc.option(routePath(), { nil: undefined });
      await ctx.property('requests', digest(), path, where, async (bodySha256, named, at) => {
        const json = { bodySha256, ...(named === undefined ? {} : { route: route(named) }) };
        const answer = await sign(ctx, intern.id, json, at);
        proofOf(ctx, answer, named !== undefined, `the answer of ${at}`);
        expect.noStore(answer, 'the proof');
      });
    }),
  },
  'sign/verifies': {
    requirement: 'SIGN-4',
    title: 'Both signatures are Ed25519 over the stated fields, in the layout of the profile.',
    maxRuns: 25,
    ...onStopped(['oauth_token', 'public_keys'], async (ctx, intern) => {
      const path = fc.option(routePath(), { nil: undefined });
      const verifies = async (bodySha256: string, named: string | undefined, at: string) => {
        const over = named === undefined ? {} : { route: route(named) };
        const proof = proofOf(ctx, await sign(ctx, intern.id, { bodySha256, ...over }, at), named !== undefined, at);
        await holds(ctx, proof, { internId: intern.id, bodySha256, ...over }, `the proof of ${at}`);
      };
      // In every run: a path that a service signs otherwise if it tidies paths up.
      await verifies(DIGEST, '/Api/%C3%a9/a%2Fb/', PATHS[0]);
      await ctx.property('requests', digest(), path, where, verifies);
    }),
  },
  'sign/bad-digest': {
    requirement: 'SIGN-2',
    title: 'A bodySha256 that is not 64 lower-case hexadecimal digits is 400 `Invalid request body`, invalid_body.',
    ...onStopped(['oauth_token'], async (ctx, intern) => {
      const refused = async (bodySha256: unknown, at: string, routed: boolean) => {
        const twin = { bodySha256: DIGEST, ...(routed ? { route: route('/api/invoke') } : {}) };
        await ctx.twin(routed ? 'sign for a route' : 'sign', async () =>
          expect.status(await sign(ctx, intern.id, twin, at), expect.ACCEPTED, 'the valid twin'),
        );
        const answer = await sign(ctx, intern.id, { ...twin, bodySha256 }, at);
        expect.error(answer, INVALID, `${at} with ${JSON.stringify(bodySha256)}`);
      };
      // In every run: what is nearest to a digest.
      for (const bad of NEARLY_DIGESTS) {
        expect.error(await sign(ctx, intern.id, { bodySha256: bad }), INVALID, `signing with ${bad}`);
      }
      await ctx.each('fixed digests', BAD_DIGESTS, (bad) => refused(bad, PATHS[0], false));
      await ctx.property('digests', badDigest(), where, fc.boolean(), refused);
      const bodies = [{ bodysha256: DIGEST }, { body_sha256: DIGEST }, [], null, 'x', [{ bodySha256: DIGEST }]];
      for (const body of [{}, ...ctx.sample(bodies)]) {
        for (const at of ctx.sample(PATHS)) {
          expect.error(await sign(ctx, intern.id, body, at), INVALID, `${at} without a digest`);
        }
      }
    }),
  },
  'sign/route-method': {
    title: 'The method of a route is one that the profile allows, as it is written there; anything else is 400.',
    needs: ['write', 'oauth_token'],
    async run(ctx) {
      const allowed: readonly unknown[] = ctx.profile.route_methods;
      const wrong = METHODS.filter((one) => !allowed.includes(one));
      await badRoutes(ctx, allowed, wrong, (method) => ({ method, path: '/api/invoke' }));
    },
  },
  'sign/route-path': {
    title:
      'The path of a route starts with one slash, percent-encoded, without origin, query and fragment, else it is 400.',
    ...onStopped(['oauth_token'], async (ctx, intern) => {
      await ctx.each('paths', BAD_ROUTE_PATHS, async (path) => {
        const json = { bodySha256: DIGEST, route: { method: 'POST', path } };
        expect.error(await sign(ctx, intern.id, json), INVALID, `a route with path ${JSON.stringify(path)}`);
      });
      for (const path of ctx.sample(WITH_MORE, 3)) {
        const json = { bodySha256: DIGEST, route: { method: 'POST', path } };
        expect.error(await sign(ctx, intern.id, json), INVALID, `a route with path ${path}`);
      }
      await ctx.property('valid paths', routePath(), async (path) => {
        const json = { bodySha256: DIGEST, route: route(path) };
        expect.status(await sign(ctx, intern.id, json), expect.ACCEPTED, `a route with path ${path}`);
      });
    }),
  },
  'sign/path-as-sent': {
    title: 'The path is signed as it was sent: case, escapes, dots and doubled slashes within are left as they are.',
    ...onStopped(['oauth_token', 'public_keys'], async (ctx, intern) => {
      const paths = ['/A/b', '/a/../b', '/a/./b', '/a//b', '/a/', '/%41', '/a%2Fb', '/a%2fb', '/a+b', "/a'(b)"];
      await ctx.each('paths', paths, async (path) => {
        const json = { bodySha256: DIGEST, route: route(path) };
        const proof = proofOf(ctx, await sign(ctx, intern.id, json), true, `the proof for ${path}`);
        await holds(ctx, proof, { internId: intern.id, ...json }, `the proof for ${path}`);
      });
    }),
  },
  'sign/unknown-fields': {
    title: 'Other fields are ignored, in the route too.',
    maxRuns: 12,
    ...onStopped(['oauth_token', 'public_keys'], async (ctx, intern) => {
      const key = fc.string({ minLength: 1, maxLength: 8 }).filter((name) => !['bodySha256', 'route'].includes(name));
      const more = fc.dictionary(key, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2, noNullPrototype: true });
      await ctx.property('fields', more, more, async (outer, inner) => {
        const { method: _, path: __, ...beside } = inner;
        const named = { ...beside, ...route('/api/invoke') };
        const answer = await sign(ctx, intern.id, { ...outer, bodySha256: DIGEST, route: named });
        const proof = proofOf(ctx, answer, true, 'a proof with other fields in the request');
        await holds(ctx, proof, { internId: intern.id, bodySha256: DIGEST, route: route('/api/invoke') });
        const plain = await sign(ctx, intern.id, { ...outer, bodySha256: DIGEST });
        proofOf(ctx, plain, false, 'a proof without a route');
      });
    }),
  },
  'sign/nonces-never-repeat': {
    requirement: 'SIGN-7',
    title:
      'No two proofs have the same nonce: of one request, of many at once, of other interns, callers and the alias.',
    needs: ['write', 'oauth_token'],
    maxRuns: 10,
    async run(ctx) {
      const interns = [await ctx.interns.stopped(), await ctx.interns.stopped()];
      const seen = new Set<string>();
      await ctx.property('races', fc.integer({ min: 3, max: 8 }), async (n) => {
        const answers = await ctx.race(n, (index) => {
          const json = { bodySha256: DIGEST, route: route('/api/invoke') };
          return sign(ctx, interns[index % 2]?.id ?? '', json, PATHS[index % 3 === 0 ? 1 : 0]);
        });
        const nonces = answers.map((answer) => proofOf(ctx, answer, true, 'a proof').nonce ?? '');
        const again = nonces.find((nonce, at) => seen.has(nonce) || nonces.indexOf(nonce) < at);
        // All of them, also after a repeat: the next race is compared with each.
        for (const nonce of nonces) seen.add(nonce);
        ok(again === undefined, 'nonce of a proof', 'one that was never given', `one that was given before; ${again}`);
      });
    },
  },
  'sign/status-of-the-intern': {
    requirement: 'SIGN-8',
    level: 'C',
    title: "The intern's status does not matter: stopped, running, destroying.",
    needs: ['control', 'running', 'oauth_token'],
    async run(ctx) {
      const json = { bodySha256: DIGEST };
      const intern = await ctx.interns.stopped();
      expect.status(await sign(ctx, intern.id, json), expect.ACCEPTED, 'signing for a stopped intern');
      await ctx.api.provision(intern.id);
      expect.status(await sign(ctx, intern.id, json), expect.ACCEPTED, 'signing for a booting intern');
      await ctx.interns.until(intern.id, ['running']);
      expect.status(await sign(ctx, intern.id, json), expect.ACCEPTED, 'signing for a running intern');
      await ctx.api.remove(intern.id);
      expect.status(await sign(ctx, intern.id, json), expect.ACCEPTED, 'signing for a destroying intern');
      await ctx.interns.untilGone(intern.id);
      expect.status(await sign(ctx, intern.id, json), 404, 'signing for a gone intern');
    },
  },
});
