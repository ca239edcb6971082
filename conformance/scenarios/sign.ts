import fc from 'fast-check';
import { routePath } from '../arbitraries/route-path.js';
import { ok } from '../framework/assert.js';
import { checksOf } from '../framework/check.js';
import type { Ctx, SendOptions } from '../framework/context.js';
import { onStopped } from '../helpers/interns.js';
import { DIGEST } from '../helpers/operations.js';
import { holds, proofOf } from '../helpers/proofs.js';
import type { Answer } from '../probe/client.js';
import { internPath } from '../probe/request.js';

const HEX = fc.constantFrom(...'0123456789abcdef');

/** A well-formed digest: 64 lower-case hexadecimal digits. */
const digest = fc.string({ unit: HEX, minLength: 64, maxLength: 64 });

const OAUTH = { as: 'oauth_token' } as const;
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

export const SIGN = checksOf('SIGN-3', {
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
      await ctx.property('requests', digest, path, where, verifies);
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
});
