import { equal, isObject, ok } from '../model/assert.js';
import type { Need } from '../model/target.js';
import type { Answer } from '../probe/client.js';
import { type Proof, sha256 } from '../rules/proofs.js';
import { checksOf } from '../run/check.js';
import type { Ctx } from '../run/context.js';
import * as expect from '../run/expect.js';
import { proofHeaders, proofOf } from './steps/proofs.js';

const PATH = '/api/invoke';

/** A running intern's daemon as a client that holds its token reaches it. */
interface Attached {
  readonly id: string;
  readonly token: string;
  sign(body: string, route?: { method: string; path: string }): Promise<Proof>;
  /** Sends a request with a proof, or with headers of one's own. */
  ask(proof: Proof, request?: { method?: string; path?: string; body?: string; headers?: Headers2 }): Promise<Answer>;
}

type Headers2 = Readonly<Record<string, string | undefined>>;

/** Attaches to a fresh running intern. */
async function attach(ctx: Ctx): Promise<Attached> {
  const { id } = await ctx.interns.running();
  const answer = await ctx.api.daemon(id, { as: 'oauth_token' });
  expect.status(answer, 200, 'the daemon access');
  const { token } = answer.json as { token: string };
  return {
    id,
    token,
    async sign(body, route) {
      const json = { bodySha256: sha256(body), ...(route === undefined ? {} : { route }) };
      return proofOf(ctx, await ctx.api.sign(id, json, { as: 'oauth_token' }), route !== undefined, 'the proof');
    },
    ask(proof, { method = 'POST', path = PATH, body = '', headers = {} } = {}) {
      const all: Headers2 = { authorization: `Bearer ${token}`, ...proofHeaders(ctx, proof), ...headers };
      const sent = Object.fromEntries(
        Object.entries(all).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
      );
      return ctx.daemon(path, { method, headers: sent, ...(body === '' ? {} : { body }) });
    },
  };
}

/** A check of the daemon of a running intern, and what it needs. */
const onAttached = (needs: readonly Need[], does: (ctx: Ctx, client: Attached) => Promise<void>) => ({
  needs,
  run: async (ctx: Ctx) => does(ctx, await attach(ctx)),
});

/** The proof that the daemon verified. */
function accepted(answer: Answer, what: string): Record<string, unknown> {
  expect.status(answer, 200, what);
  isObject(answer.json, `body of ${what}`);
  equal(answer.json.ok, true, `ok of ${what}`);
  isObject(answer.json.verified, `verified of ${what}`);
  return answer.json.verified;
}

/** Refused with this reason. */
function refused(answer: Answer, reason: string, what: string): void {
  expect.error(answer, { status: 401, reason }, what);
}

const ROUTE = { method: 'POST', path: PATH };

const NEEDS = ['control', 'running', 'oauth_token', 'daemon'] as const;

const hintOf = (json: unknown) => (json as { error?: { metadata?: { hint?: unknown } } }).error?.metadata?.hint;

export const PROOFS = checksOf('SIGN-7', {
  'proof/v2-once': {
    title: 'A v2 proof is accepted once. A request without a proof is refused.',
    ...onAttached(['running', 'oauth_token', 'daemon'], async (ctx, client) => {
      const once = await client.sign('a', { method: 'POST', path: PATH });
      accepted(await client.ask(once, { body: 'a' }), 'the first use of a v2 proof');
      for (let count = 2; count < 4; count++) {
        expect.refused(await client.ask(once, { body: 'a' }), `use ${count} of a v2 proof`);
      }
      const authorization = `Bearer ${client.token}`;
      const bare = await ctx.daemon(PATH, { headers: { authorization }, body: 'a' });
      expect.refused(bare, 'a request without a proof');
      const next = await client.sign('a', { method: 'POST', path: PATH });
      accepted(await client.ask(next, { body: 'a' }), 'a fresh v2 proof');
    }),
  },
  'proof/v1-again': {
    level: 'C',
    title: 'A v1 proof may be used again; a v2 proof that was used is nonce_reused.',
    ...onAttached(['control', 'running', 'oauth_token', 'daemon'], async (_, client) => {
      const plain = await client.sign('a');
      for (let count = 1; count < 4; count++) accepted(await client.ask(plain, { body: 'a' }), `use ${count} of v1`);
      const once = await client.sign('a', { method: 'POST', path: PATH });
      accepted(await client.ask(once, { body: 'a' }), 'the first use of a v2 proof');
      refused(await client.ask(once, { body: 'a' }), 'nonce_reused', 'the second use of a v2 proof');
    }),
  },
  'proof/refused-is-not-used-up': {
    level: 'C',
    title: 'A refusal does not use up a proof: after a wrong request, the right one is accepted.',
    ...onAttached(['control', 'running', 'oauth_token', 'daemon'], async (_, client) => {
      const proof = await client.sign('a', { method: 'POST', path: PATH });
      refused(await client.ask(proof, { body: 'b' }), 'bad_signature', 'a proof with another body');
      refused(await client.ask(proof, { body: 'a', path: '/api/other' }), 'bad_signature', 'a proof on another path');
      const wrong = { authorization: 'Bearer nobody' };
      refused(await client.ask(proof, { body: 'a', headers: wrong }), 'token_invalid', 'a proof with a wrong token');
      accepted(await client.ask(proof, { body: 'a' }), 'the proof sent right');
    }),
  },
  'proof/window': {
    level: 'C',
    title: 'A proof is accepted until 60 s after its second, and refused as proof_expired after.',
    ...onAttached(['control', 'clock', 'running', 'oauth_token', 'daemon'], async (ctx, client) => {
      const { clock } = ctx;
      for (const route of [undefined, { method: 'POST', path: PATH }]) {
        // From the beginning of a second the age is the same in seconds and in milliseconds.
        await clock.advance(1000 - ((await clock.now()) % 1000));
        const young = await client.sign('a', route);
        const old = await client.sign('a', route);
        await clock.advance(60_000);
        accepted(await client.ask(young, { body: 'a' }), 'a proof 60 s old');
        await clock.advance(1_000);
        refused(await client.ask(old, { body: 'a' }), 'proof_expired', 'a proof 61 s old');
        await clock.advance(3_600_000);
        refused(await client.ask(old, { body: 'a' }), 'proof_expired', 'a proof an hour old');
      }
    }),
  },
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
    requirement: 'EMU-8',
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
    requirement: 'EMU-8',
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
    requirement: 'EMU-8',
    title: 'The daemon verifies proofs for any route and method, over the received bytes, even if they are no text.',
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
