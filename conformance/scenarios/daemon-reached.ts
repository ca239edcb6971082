import { fail, gist } from '../model/assert.js';
import { broken } from '../requests/chat.js';
import { type Proof, sha256 } from '../rules/proofs.js';
import { defineChecks } from '../run/check.js';
import type { Ctx } from '../run/context.js';
import * as expect from '../run/expect.js';
import { proofHeaders, proofOf } from './steps/proofs.js';

const OAUTH = { as: 'oauth_token' } as const;
const PATH = '/api/invoke';
const BODY = JSON.stringify({ input: 'Hello.' });
/** ms that a daemon has for the head of its answer. */
const PATIENCE = 5_000;
const MOMENT = 2_000;
/** Refusals in turn, two moments apart, by which a daemon is not only still starting. */
const REFUSALS = 15;
/** Other answers until a daemon counts as out of reach. */
const OTHERS = 5;

/** A daemon as a holder of its token reaches it, at the origin that the service gives. */
interface Reached {
  readonly id: string;
  prove(path?: string): Promise<Proof>;
  /** The status of the answer to a request; undefined without an answer. */
  ask(proof?: Proof, body?: string, method?: string): Promise<number | undefined>;
}

const turned = (text = '') => Buffer.from(text, 'base64').reverse().toString('base64');
const takes = (status: number | undefined): boolean => status !== undefined && status >= 200 && status < 300;
const shown = (status: number | undefined) => (status === undefined ? 'no answer' : status);

const unmet = (ctx: Ctx, note: string, got?: unknown) =>
  ctx.unmet('a daemon whose answers depend on the proof', note, got);

/**
 * Reaches the daemon of a running intern. Its service is nowhere stated, so only its acceptance of a request counts:
 * not one without a proof, but one with a proof. A daemon that does otherwise does not decide by the proof, and the check is
 * skipped.
 */
async function reached(ctx: Ctx): Promise<Reached> {
  const daemon = await attached(ctx, (await ctx.interns.running()).id);
  await ctx.twin('daemon without a proof', async () => {
    const bare = await daemon.ask();
    if (bare === undefined || takes(bare)) unmet(ctx, 'a request without a proof is answered', shown(bare));
  });
  return daemon;
}

/** Reads the daemon access of a running intern. */
async function attached(ctx: Ctx, id: string): Promise<Reached> {
  const access = await ctx.api.daemon(id, OAUTH);
  expect.status(access, 200, 'the daemon access');
  const { origin, token } = (access.json ?? {}) as { origin?: unknown; token?: unknown };
  const url = `${String(origin)}${PATH}`;
  if (typeof token !== 'string' || !/^https?:/.test(url) || !URL.canParse(url)) unmet(ctx, 'the access names none');

  return {
    id,
    async prove(path = PATH) {
      const json = { bodySha256: sha256(BODY), route: { method: 'POST', path } };
      return proofOf(ctx, await ctx.api.sign(id, json, OAUTH), true, 'the proof');
    },
    async ask(proof, body = BODY, method = 'POST') {
      const authorization = `Bearer ${String(token)}`;
      const proven = proof === undefined ? {} : proofHeaders(ctx, proof);
      const headers = { 'content-type': 'application/json', authorization, ...proven };
      let status: number | undefined;
      // A daemon that does not answer, or not from here, breaks nothing.
      await broken(async () => {
        ({ status } = await ctx.send({ method, url, as: null, headers, body, timeout: PATIENCE }));
      });
      return status;
    },
  };
}

/** Suspends and resumes a running intern. */
async function resume({ api, interns }: Ctx, id: string): Promise<void> {
  expect.done(await api.suspend(id), 'the suspend');
  await interns.untilSuspended(id);
  expect.done(await api.provision(id), 'the provision');
  await interns.until(id, ['running']);
}

/** Sends a request with a proof that the daemon takes. One that has taken a proof takes any fresh one. */
async function takenOnce(ctx: Ctx, daemon: Reached): Promise<Proof> {
  const proof = await daemon.prove();
  const status = await daemon.ask(proof);
  if (takes(status)) return proof;
  if (status === 401 || status === 403) {
    await ctx.wait(MOMENT);
    // It may only now be ready.
    if (takes(await daemon.ask(await daemon.prove()))) {
      const fresh = await daemon.prove();
      const again = await daemon.ask(fresh);
      if (takes(again)) return fresh;
      fail('a fresh proof, soon after another was taken', 'taken', gist('refused', shown(again)));
    }
  }
  return unmet(ctx, 'a request with a proof is answered', shown(status));
}

/** A daemon that has taken a proof. */
async function takenBy(ctx: Ctx): Promise<Reached> {
  const daemon = await reached(ctx);
  await takenOnce(ctx, daemon);
  return daemon;
}

/** Daemons of any service, held to what is stated of them. */
export const DAEMON_REACHED = defineChecks({
  'proof/v2-once-live': {
    requirement: 'SIGN-7',
    title: 'The daemon accepts a v2 proof once, even for concurrent requests.',
    needs: ['running', 'oauth_token'],
    async run(ctx) {
      const daemon = await reached(ctx);
      const proof = await takenOnce(ctx, daemon);
      await ctx.twin('daemon with a proof', async () => proof);
      const again = await daemon.ask(proof);
      if (takes(again)) fail('a v2 proof that the daemon took', 'refused the second time', gist('taken again', again));
      const raced = await daemon.prove();
      const taken = (await ctx.race(3, () => daemon.ask(raced))).filter(takes).length;
      if (taken > 1)
        fail('one v2 proof, three times at once', 'taken once at most', gist('taken more than once', taken));
    },
  },
  'proof/v2-once-later': {
    requirement: 'SIGN-7',
    title: 'The daemon refuses a used proof even 15 s later, and after a suspend and a resume.',
    needs: ['running', 'oauth_token', 'slow:15s'],
    async run(ctx) {
      const daemon = await reached(ctx);
      const proof = await takenOnce(ctx, daemon);
      const resumed = await takenOnce(ctx, daemon);
      await ctx.wait(15_000);
      const later = await daemon.ask(proof);
      if (takes(later)) fail('a v2 proof that the daemon took', 'refused 15 s later', gist('taken again', later));
      await resume(ctx, daemon.id);
      const after = await (await attached(ctx, daemon.id)).ask(resumed);
      if (takes(after))
        fail('a v2 proof that the daemon took', 'refused after a suspend and a resume', gist('taken again', after));
    },
  },
  'proof/taken-after-a-resume': {
    requirement: 'DAEMON-1',
    title: 'The daemon access of an intern that was suspended and resumed attaches: its daemon takes a fresh proof.',
    needs: ['running', 'oauth_token'],
    fresh: true,
    async run(ctx) {
      const { id } = await takenBy(ctx);
      await resume(ctx, id);
      let status: number | undefined;
      let refusals = 0;
      for (let others = 0; refusals < REFUSALS; ) {
        const daemon = await attached(ctx, id);
        status = await daemon.ask(await daemon.prove());
        if (takes(status)) return;
        const isRefused = status === 401 || status === 403;
        refusals = isRefused ? refusals + 1 : 0;
        others += isRefused ? 0 : 1;
        if (others === OTHERS) unmet(ctx, 'a request with a proof is answered', shown(status));
        for (let moment = 0; moment < 2; moment++) await ctx.wait(MOMENT);
      }
      // A daemon that was never suspended takes proofs still.
      await takenBy(ctx);
      fail('proofs for a minute after a suspend and a resume', 'taken', gist('refused', shown(status)));
    },
  },
  'proof/what-it-covers': {
    requirement: 'SIGN-4',
    title:
      'A daemon that requires proofs refuses a forged one, and one for another body, user, time or nonce. That uses up no valid proof.',
    needs: ['running', 'oauth_token'],
    async run(ctx) {
      const daemon = await reached(ctx);
      await ctx.twin('daemon with a proof', () => takenOnce(ctx, daemon));
      const proof = await daemon.prove();
      const forged = { ...proof, signature: turned(proof.signature), signatureV2: turned(proof.signatureV2) };
      for (const [status, what] of [
        [await daemon.ask(forged), 'a proof whose signatures are forged'],
        [
          await daemon.ask({ ...proof, signatureV2: turned(proof.signatureV2) }),
          'a proof whose v2 signature is forged',
        ],
        [await daemon.ask(proof, JSON.stringify({ input: 'Goodbye.' })), 'a proof that was made for another body'],
        [await daemon.ask({ ...proof, user: `${proof.user}-2` }), 'a proof that was made for another user'],
        [
          await daemon.ask({ ...proof, timestamp: String(Number(proof.timestamp) - 1) }),
          'a proof that was made at another time',
        ],
        [await daemon.ask({ ...proof, nonce: `${proof.nonce}0` }), 'a proof with another nonce'],
      ] as const)
        if (takes(status)) fail(what, 'refused', gist('taken', status));
      const right = await daemon.ask(proof);
      if (takes(right)) return;
      // Another daemon may have taken the twin.
      await takenOnce(ctx, daemon);
      fail('a proof that was sent wrongly before', 'taken when it is sent right', gist('refused', right));
    },
  },
  'proof/request-it-covers': {
    requirement: 'SIGN-4',
    title:
      'A daemon that requires proofs refuses one for another path or method, or without the body that it was made for.',
    needs: ['running', 'oauth_token'],
    async run(ctx) {
      const daemon = await reached(ctx);
      const bare = await daemon.ask();
      if (bare !== 401 && bare !== 403) unmet(ctx, 'a request without a proof is not refused for that', shown(bare));
      await ctx.twin('daemon with a proof', () => takenOnce(ctx, daemon));
      const [proof, other] = [await daemon.prove(), await daemon.prove(`${PATH}/x`)];
      const forged = { ...proof, signatureV2: turned(proof.signatureV2) };
      // A daemon may answer some requests without a look at their proofs.
      const refuses = (status: number | undefined, made: string) => {
        if (takes(status)) fail(`a proof that was made for another ${made}`, 'refused', gist('taken', status));
      };
      refuses(await daemon.ask(other), 'path');
      if (!takes(await daemon.ask(forged, BODY, 'PUT'))) refuses(await daemon.ask(proof, BODY, 'PUT'), 'method');
      if (!takes(await daemon.ask(undefined, ''))) refuses(await daemon.ask(proof, ''), 'body');
      const right = await daemon.ask(proof);
      if (!takes(right)) unmet(ctx, 'a request with a proof is answered', shown(right));
    },
  },
  'suspend/daemon-takes-nothing': {
    requirement: 'SUSP-1',
    title: 'After a suspend the daemon accepts no request, even with a fresh proof.',
    needs: ['running', 'oauth_token'],
    async run(ctx) {
      const daemon = await reached(ctx);
      await ctx.twin('daemon with a proof', () => takenOnce(ctx, daemon));
      expect.done(await ctx.api.suspend(daemon.id), 'the suspend');
      await ctx.interns.untilSuspended(daemon.id);
      const status = await daemon.ask(await daemon.prove());
      // A request that is only accepted may wait for the next provision.
      if (!takes(status) || status === 202) return;
      const after = expect.intern(await ctx.api.get(daemon.id), 200, 'the read of the suspended intern');
      ctx.undisturbed(after.status !== 'running', 'status after the suspend', 'not running', after.status);
      fail("a suspended intern's daemon", 'out of reach: its runtime is stopped', gist('still serving', status));
    },
  },
});
