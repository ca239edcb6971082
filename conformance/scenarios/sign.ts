import fc from 'fast-check';
import { equal, ok } from '../model/assert.js';
import type { Answer } from '../probe/client.js';
import { internPath } from '../probe/request.js';
import { DIGEST } from '../requests/operations.js';
import { checksOf } from '../run/check.js';
import type { Ctx, SendOptions } from '../run/context.js';
import * as expect from '../run/expect.js';
import { onStopped } from './steps/interns.js';
import { holds, proofOf } from './steps/proofs.js';

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

const JSON_BODY = { bodySha256: DIGEST };

const ROUTE = { method: 'POST', path: '/api/invoke' };

/** Places in which a careless service may look for a user. */
const strangers = (ctx: Ctx, user: string) => ({
  body: { user, subject: user, sub: user, userId: user, user_id: user, [ctx.proof.user]: user },
  headers: { [ctx.proof.user]: user, 'x-user': user, 'x-svc-user': user, 'x-forwarded-user': user, from: user },
  query: { user, subject: user, [ctx.proof.user]: user },
});

/** Further names that such a place may have. */
const NAMES = ['user-id', 'remote-user', 'oauth-subject', 'on-behalf-of', 'act-as', 'email'];

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
  'sign/timestamp-is-now': {
    requirement: 'SIGN-5',
    title: 'The timestamp is the time of signing in whole Unix seconds.',
    maxRuns: 25,
    ...onStopped(['clock', 'write', 'oauth_token'], async (ctx, intern) => {
      const { api, clock, property } = ctx;
      const ms = fc.oneof(fc.constantFrom(1, 499, 500, 501, 999, 1000, 1001), fc.integer({ min: 1, max: 90_000 }));
      await property('times', ms, async (pause) => {
        await clock.advance(pause);
        const earliest = Math.floor((await clock.now()) / 1000);
        const proof = proofOf(ctx, await api.sign(intern.id, JSON_BODY, OAUTH), false, 'a proof');
        const latest = Math.floor((await clock.now()) / 1000);
        const at = Number(proof.timestamp);
        ok(at >= earliest && at <= latest, 'timestamp of a proof', `${earliest} to ${latest}`, proof.timestamp);
      });
    }),
  },
  'sign/user-by-other-names': {
    requirement: 'SIGN-6',
    title: 'A proof names no other user, under whatever name a header, the query or the body gives one.',
    ...onStopped(['oauth_token'], async (ctx, intern) => {
      const { user } = proofOf(ctx, await ctx.api.sign(intern.id, JSON_BODY, OAUTH), false, 'the plain proof');
      const other = ctx.target.peerOauthSubject ?? 'user_other';
      const named = (change: (name: string) => string) =>
        Object.fromEntries(NAMES.map((name) => [change(name), other]));
      const fields = named((name) => name.replace(/-/g, '_'));
      for (const [options, more] of [
        [{ headers: { ...named((name) => name), ...named((name) => `x-${name}`) } }, {}],
        [{ query: fields }, {}],
        [{}, fields],
      ]) {
        const answer = await ctx.api.sign(intern.id, { ...JSON_BODY, ...more }, { ...OAUTH, ...options });
        // A service that refuses such a request takes no user from it either.
        if (answer.status >= 400) continue;
        equal(proofOf(ctx, answer, false, 'a proof of a request that names a user').user, user, 'user of the proof');
      }
    }),
  },
  'sign/user-of-the-request-is-ignored': {
    requirement: 'SIGN-6',
    title: 'A user in the body, the route, a header or the query changes nothing.',
    maxRuns: 12,
    ...onStopped(['oauth_token', 'public_keys'], async (ctx, intern) => {
      const { api, property, target } = ctx;
      const { user } = proofOf(ctx, await api.sign(intern.id, JSON_BODY, OAUTH), false, 'the plain proof');
      const stranger = fc.constantFrom(target.peerOauthSubject ?? 'user_other', 'root', 'admin', intern.id);
      const places = fc.record({ body: fc.boolean(), route: fc.boolean(), headers: fc.boolean(), query: fc.boolean() });
      type Places = { readonly [place in 'body' | 'route' | 'headers' | 'query']: boolean };
      const ignored = async (name: string, at: Places): Promise<void> => {
        const given = strangers(ctx, name);
        const json = {
          ...(at.body ? given.body : {}),
          ...JSON_BODY,
          route: { ...(at.route ? given.body : {}), ...ROUTE },
        };
        const options = {
          ...(at.headers ? { headers: given.headers } : {}),
          ...(at.query ? { query: given.query } : {}),
        };
        const answer = await api.sign(intern.id, json, { ...OAUTH, ...options });
        // A service that refuses unknown fields takes no user from them either. That it ignores them is published (SIGN-3).
        if (answer.status === 400 && (at.body || at.route)) return ignored(name, { ...at, body: false, route: false });
        const proof = proofOf(ctx, answer, true, 'a proof of a request that names a user');
        equal(proof.user, user, 'user of the proof');
        await holds(ctx, proof, { internId: intern.id, bodySha256: DIGEST, route: ROUTE });
      };
      // In every run: everywhere at once.
      await ignored('user_other', { body: true, route: true, headers: true, query: true });
      await property('places', stranger, places, ignored);
    }),
  },
  'sign/server-failure': {
    requirement: 'SIGN-9',
    title: 'A failure of the server is 500 `The request could not be completed`, internal_error, retryable.',
    ...onStopped(['control', 'write', 'oauth_token'], async ({ api, control, send }, intern) => {
      const message = /^The request could not be completed/;
      const expected = { status: 500, message, reason: 'internal_error', retryable: true } as const;
      await control.fault({ operation: 'sign', status: 500, times: 2 });
      expect.error(await api.sign(intern.id, JSON_BODY, OAUTH), expected, 'a failing signature');
      const alias = { method: 'POST', path: internPath(intern.id, '/daemon-access/sign'), json: JSON_BODY, ...OAUTH };
      expect.error(await send(alias), expected, 'a failing signature by the alias');
      expect.status(await api.sign(intern.id, JSON_BODY, OAUTH), 200, 'the signature after it');
    }),
  },
});
