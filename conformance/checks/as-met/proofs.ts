import { fail } from '../../framework/assert.js';
import { checksOf } from '../../framework/check.js';
import type { Ctx } from '../../framework/context.js';
import * as expect from '../../framework/expect.js';
import { proofHeadersOf } from '../../framework/profile.js';
import type { Asked, Met, Watched } from '../../framework/watch.js';
import { isRow, isSigning, nameOf } from '../../helpers/met.js';
import { DIGEST, operation, request } from '../../helpers/operations.js';
import { proofOf } from '../../helpers/proofs.js';

/**
 * "The response carries `Cache-Control: no-store`. Each reveal is logged by caller and intern." The path of the alias is
 * published: what is unknown there, and was just revealed by the operation, is a missing alias.
 */
const access = ({ profile }: Watched) => {
  /** Callers and interns whose access was revealed, until something else is asked of the intern. */
  const revealed = new Set<string>();
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

/** The daemon and a proof with and without a route, by the operation and its alias. */
async function meet(ctx: Ctx): Promise<void> {
  const { id } = await ctx.interns.running();
  const [method] = ctx.profile.route_methods;
  for (const name of ['daemon', 'daemon alias', 'sign', 'sign alias'])
    await ctx.send(request(ctx, operation(name), id));
  for (const name of ['sign', 'sign alias']) {
    const json = { bodySha256: DIGEST, route: { method, path: '/api/invoke' } };
    await ctx.send(request(ctx, operation(name), id, { json }));
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
  'as-met/daemon-access': {
    requirement: 'DAEMON-1',
    title: 'Every daemon access that the run met is stored nowhere, by the alias too.',
    needs: [],
    watch: access,
    run: meet,
  },
});
