import fc from 'fast-check';
import { ok } from '../framework/assert.js';
import { checksOf } from '../framework/check.js';
import type { Ctx, SendOptions } from '../framework/context.js';
import { onStopped } from '../helpers/interns.js';
import { DIGEST } from '../helpers/operations.js';
import { holds, proofOf } from '../helpers/proofs.js';
import type { Answer } from '../probe/client.js';
import { internPath } from '../probe/request.js';

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

export const SIGN = checksOf('SIGN-3', {
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
