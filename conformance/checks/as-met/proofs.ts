import { equal, fail, ok } from '../../framework/assert.js';
import { checksOf } from '../../framework/check.js';
import type { Ctx } from '../../framework/context.js';
import * as expect from '../../framework/expect.js';
import { proofHeadersOf } from '../../framework/profile.js';
import type { Asked, Met, Watched } from '../../framework/watch.js';
import { isRow, isSigning, nameOf } from '../../helpers/met.js';
import { DIGEST, operation, request } from '../../helpers/operations.js';
import { broken, type Proof, type ProofSubject, proofOf, SIGNATURE } from '../../helpers/proofs.js';
import type { As } from '../../probe/request.js';

/**
 * "The response carries `Cache-Control: no-store`. Each reveal is logged by caller and intern." The path of the alias is
 * published: what is unknown there, and was just revealed by the operation, is a missing alias.
 */
const access = ({ profile }: Watched) => {
  /** Callers and interns whose access was revealed, until something else is asked of the intern. */
  const revealed = new Set<string>();
  /** The texts that it carries at its own address. */
  let keys: readonly string[] = [];
  const key = ({ as, id }: Asked) => `${JSON.stringify(as)} ${id}`;
  const isRead = (asked: Asked) => /^daemon( alias)?$/.test(nameOf(asked) ?? '');
  return {
    asks(asked: Asked): void {
      if (!isRead(asked)) for (const one of revealed) if (one.endsWith(` ${asked.id}`)) revealed.delete(one);
    },
    sees(met: Met): boolean {
      const { answer, operation } = met;
      if (!isRead(met)) return false;
      if (nameOf(met) !== 'daemon' && answer.status === 404 && revealed.has(key(met)) && profile.published)
        fail(operation, 'the daemon access', expect.seen(answer), {
          breaks: { requirement: 'DAEMON-3', level: 'S' },
        });
      if (answer.status >= 300) return false;
      revealed.add(key(met));
      expect.noStore(answer, operation);
      const { json } = answer;
      if (!isRow(json)) return true;
      if (nameOf(met) === 'daemon') keys = Object.keys(json).filter((name) => /origin|token/.test(name));
      // "Deprecated alias … with the same request, response and errors."
      const lacking = keys.filter((name) => !(name in json));
      equal(lacking, [], `what ${operation} lacks of the daemon access`);
      return true;
    },
  };
};

/** "The response is a JSON object whose keys are the header names that the terminal client copies onto the daemon request." */
const signed = ({ profile }: Watched) => ({
  sees(met: Met): boolean {
    const { answer, operation, send } = met;
    if (!isSigning(nameOf(met)) || answer.status >= 300) return false;
    expect.noStore(answer, `a proof of ${operation}`);
    const asked = isRow(send.json) ? Object.keys(send.json) : undefined;
    if (asked === undefined || !isRow(answer.json)) return false;
    const proof = proofHeadersOf(profile);
    const routed = proof.signatureV2 in answer.json || proof.nonce in answer.json;
    // What names a route, the profile may not know.
    if (asked.length === 1 || routed) proofOf({ proof }, answer, asked.length > 1, `a proof of ${operation}`);
    return true;
  },
});

/** A proof that was answered, for what, and to whom; undefined where the answer is none, or not of the form. */
function given({ profile }: Watched, met: Met): { as: As; proof: Proof; subject: ProofSubject } | undefined {
  const { answer, as, id, send } = met;
  if (!isSigning(nameOf(met)) || answer.status >= 300 || id === undefined) return undefined;
  if (!isRow(send.json) || !isRow(answer.json)) return undefined;
  const { bodySha256, route } = send.json;
  const { json } = answer;
  const names = proofHeadersOf(profile);
  const text = (name: string): string => (typeof json[name] === 'string' ? json[name] : '');
  const proof = { signature: text(names.signature), timestamp: text(names.timestamp), user: text(names.user) };
  if (typeof bodySha256 !== 'string' || !SIGNATURE.test(proof.signature)) return undefined;
  const subject = { internId: id, bodySha256 };
  const [signatureV2, nonce] = [text(names.signatureV2), text(names.nonce)];
  const { method, path } = isRow(route) ? route : {};
  // What names a route, the profile may not know.
  if (typeof method !== 'string' || typeof path !== 'string' || !SIGNATURE.test(signatureV2))
    return { as, proof, subject };
  return { as, proof: { ...proof, signatureV2, nonce }, subject: { ...subject, route: { method, path } } };
}

/** "Ed25519 signature over the intern id, timestamp, user and body digest." How they are joined shows in those that verify. */
const signatures = (watched: Watched) => {
  const { profile, publicKeys } = watched;
  const verified = new Set<string>();
  return {
    sees(met: Met): boolean {
      const one = publicKeys.length > 0 ? given(watched, met) : undefined;
      if (one === undefined) return false;
      const wrong = broken({ profile, target: { publicKeys } }, one.proof, one.subject);
      if (wrong?.which !== 'v1') verified.add('v1');
      if (wrong === undefined && one.subject.route !== undefined) verified.add('v2');
      if (wrong !== undefined && verified.has(wrong.which))
        fail(`${wrong.which} signature of a proof`, 'one that verifies as those of other proofs', {
          of: met.operation,
          over: new TextDecoder().decode(wrong.bytes),
        });
      return true;
    },
  };
};

/** "The single-use id to which the v2 proof is bound." */
const nonces = (watched: Watched) => {
  const all = new Set<string>();
  return {
    sees(met: Met): boolean {
      const nonce = given(watched, met)?.proof.nonce ?? '';
      if (nonce === '') return false;
      ok(!all.has(nonce), 'nonce of a proof', 'one that no other proof has', met.operation);
      all.add(nonce);
      return true;
    },
  };
};

/** "The verified OAuth subject that the proof names. It is never taken from the request." Who sends is one person. */
const signers = (watched: Watched) => {
  const users = new Map<unknown, string>();
  return {
    sees(met: Met): boolean {
      const one = given(watched, met);
      if (one === undefined || typeof one.as !== 'string') return false;
      const before = users.get(one.as) ?? one.proof.user;
      users.set(one.as, before);
      equal(one.proof.user, before, `user in a proof for ${one.as}`);
      return true;
    },
  };
};

/** The daemon and a proof with and without a route, by the operation and its alias. */
async function meet(ctx: Ctx): Promise<void> {
  const { id } = await ctx.interns.running();
  const [method] = ctx.profile.route_methods;
  for (const name of ['daemon', 'daemon alias', 'sign', 'sign alias'])
    await ctx.send(request(ctx, operation(name), id));
  for (const name of ['sign', 'sign alias']) {
    const json = { bodySha256: DIGEST, route: { method, path: '/api/Invoke' } };
    for (let times = 0; times < 2; times++) await ctx.send(request(ctx, operation(name), id, { json }));
  }
}

/** SIGN-1: the proofs and tokens that a run met. */
export const PROOFS_AS_MET = checksOf('SIGN-1', {
  'as-met/proofs': {
    title: 'Every proof that the run met has the keys and forms that its request calls for, and is stored nowhere.',
    needs: [],
    watch: signed,
    run: meet,
  },
  'as-met/signatures': {
    requirement: 'SIGN-4',
    title: 'Every signature that the run met verifies, where one of its kind does.',
    needs: [],
    watch: signatures,
    run: meet,
  },
  'as-met/nonces': {
    requirement: 'SIGN-7',
    title: 'No two proofs that the run met have the same nonce.',
    needs: [],
    watch: nonces,
    run: meet,
  },
  'as-met/signers': {
    requirement: 'SIGN-6',
    title: 'All proofs that the run met name the same user for the same token.',
    needs: [],
    watch: signers,
    run: meet,
  },
  'as-met/daemon-access': {
    requirement: 'DAEMON-1',
    title: 'Every daemon access that the run met is stored nowhere, and the same by the alias.',
    needs: [],
    watch: access,
    run: meet,
  },
});
