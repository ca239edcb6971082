import { equal, ok } from '../framework/assert.js';
import { checksOf } from '../framework/check.js';
import * as expect from '../framework/expect.js';
import { sha256 } from '../helpers/proofs.js';
import { accepted, onAttached, refused } from './proof-use.js';

const PATH = '/api/invoke';
const ROUTE = { method: 'POST', path: PATH };
const NEEDS = ['control', 'running', 'oauth_token', 'daemon'] as const;

const hintOf = (json: unknown) => (json as { error?: { metadata?: { hint?: unknown } } }).error?.metadata?.hint;

export const PROOF_REFUSALS = checksOf('EMU-8', {
  'proof/bound-to-its-route': {
    requirement: 'SIGN-4',
    title: 'The daemon refuses a v2 proof for another path, method or body than the request has.',
    ...onAttached(['running', 'oauth_token', 'daemon'], async (_, client) => {
      const proof = await client.sign('a', ROUTE);
      for (const other of [{ path: '/api/other' }, { path: '/' }, { method: 'PUT' }, { body: 'b' }, { body: '' }]) {
        const answer = await client.ask(proof, { body: 'a', ...other });
        ok(answer.status >= 400, `a proof used for ${JSON.stringify(other)}`, 'a refusal', expect.seen(answer));
      }
      accepted(await client.ask(proof, { body: 'a' }), 'the valid twin');
    }),
  },
  'proof/hints': {
    title: 'A bad signature comes with a hint: another digest, route or user.',
    ...onAttached([...NEEDS, 'peer_oauth_subject'], async (ctx, client) => {
      const proof = await client.sign('a', ROUTE);
      equal(hintOf((await client.ask(proof, { body: 'b' })).json), 'digest_mismatch', 'hint for another body');
      const elsewhere = await client.ask(proof, { body: 'a', path: '/api/other' });
      equal(hintOf(elsewhere.json), 'route_mismatch', 'hint for another path');
      const headers = { [ctx.proof.user]: ctx.target.peerOauthSubject };
      const plain = await client.sign('a');
      equal(hintOf((await client.ask(plain, { body: 'a', headers })).json), 'user_mismatch', 'hint for another user');
    }),
  },
  'proof/from-the-future': {
    requirement: 'SIGN-7',
    level: 'C',
    title: 'A timestamp of more than 5 s in the future is proof_from_future, before the signature is looked at.',
    ...onAttached([...NEEDS, 'clock'], async (ctx, client) => {
      const { clock } = ctx;
      await clock.advance(1000 - ((await clock.now()) % 1000));
      const proof = await client.sign('a');
      const at = (ahead: number) => ({ [ctx.proof.timestamp]: String(Number(proof.timestamp) + ahead) });
      for (const ahead of [7, 60, 86_400]) {
        const answer = await client.ask(proof, { body: 'a', headers: at(ahead) });
        refused(answer, 'proof_from_future', `a proof ${ahead} s in the future`);
      }
      refused(await client.ask(proof, { body: 'a', headers: at(4) }), 'bad_signature', 'a proof 4 s in the future');
    }),
  },
  'proof/order': {
    title: 'The daemon judges token, presence, form, time, signature and nonce in that order.',
    ...onAttached([...NEEDS, 'clock'], async (ctx, client) => {
      const names = ctx.proof;
      const used = await client.sign('a', ROUTE);
      accepted(await client.ask(used, { body: 'a' }), 'the first use');
      refused(await client.ask(used, { body: 'b' }), 'bad_signature', 'a used proof with another body');
      await ctx.clock.advance(120_000);
      const old = (headers: Record<string, string | undefined>) => client.ask(used, { body: 'b', headers });
      refused(await old({}), 'proof_expired', 'an old, used proof with another body');
      refused(await old({ [names.signature]: 'x' }), 'proof_malformed', 'the same, malformed');
      refused(await old({ [names.signature]: 'x', [names.user]: undefined }), 'proof_missing', 'the same, incomplete');
      const none = { [names.signature]: 'x', [names.user]: undefined, authorization: undefined };
      refused(await old(none), 'token_invalid', 'the same, without a token');
    }),
  },
  'proof/any-route': {
    title: 'The daemon verifies on any route and method, over the bytes it received, a body of bytes too.',
    ...onAttached(NEEDS, async (_, client) => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'GET']) {
        const body = method === 'GET' || method === 'DELETE' ? '' : '{"a":"é\u0000"}\n';
        const proof = await client.sign(body);
        const verified = accepted(
          await client.ask(proof, { method, path: '/any/route%2Fx', body }),
          `${method} any route`,
        );
        equal([verified.method, verified.path], [method, '/any/route%2Fx'], 'method and path of what was verified');
        equal(verified.body_sha256, sha256(body), 'body_sha256 of what was verified');
      }
    }),
  },
});
