import type { ProofHeaders } from '../../emulator/contract/profile.js';
import { isRecord } from '../probe/json.js';
import { bodyOf, type Exchange } from './exchange.js';
import type { InternFacts, RecordFields } from './intern.js';
import { isDaemon, isSigning, type Named, operationOf } from './operations.js';
import { hashed, joined, MOST, Recent, type ShownValue } from './options.js';

/** A daemon access as one text, which does not show the token. */
export const accessOf = ({ origin, token }: RecordFields): string => hashed(joined(String(origin), String(token)));

/** The daemons of interns: their origins, tokens and proofs. */
export function createDaemons(proof: ProofHeaders) {
  /** Interns by the origins and tokens of their daemons. */
  const accesses = new Recent<string, ShownValue<string>>(MOST);
  const nonces = new Recent<string, ShownValue>(MOST);
  /** The request that each signature is for. */
  const signed = new Recent<string, ShownValue<string>>(MOST);
  const signers = new Recent<string, ShownValue<string>>(MOST);
  /** The timestamp of the first proof, in seconds, and when it was made. */
  let stamped: ShownValue<{ readonly stamp: number; readonly from: number; readonly to: number }> | undefined;
  /** Routes that were signed. */
  const routes = new Set<string>();

  /** Each signature of a proof, and the fields that it signs. None for a request whose body is unknown. */
  const signaturesIn = ({ asked, answered }: Exchange): readonly (readonly [string, string])[] => {
    if (asked.body.kind === 'unknown') return [];
    const { bodySha256, route } = bodyOf(asked) ?? {};
    const json = isRecord(answered?.json) ? answered.json : {};
    const { method, path } = isRecord(route) ? route : {};
    const fields = [operationOf(asked)?.id, ...[json[proof.timestamp], json[proof.user], bodySha256].map(String)];
    return (
      [
        [json[proof.signature], joined(...fields)],
        [json[proof.signatureV2], joined(...fields, ...[json[proof.nonce], method, path].map(String))],
      ] as const
    ).flatMap(([signature, subject]) => (typeof signature === 'string' ? [[signature, subject] as const] : []));
  };
  return {
    nonces: nonces as ReadonlyMap<string, ShownValue>,
    signers: signers as ReadonlyMap<string, ShownValue<string>>,
    routes: routes as ReadonlySet<string>,
    stamped: () => stamped,
    /** The intern for which the same daemon access was answered first. */
    accessBy: (access: RecordFields): ShownValue<string> | undefined => accesses.get(accessOf(access)),
    /** A signature of this proof that another request got before. */
    signedBefore: (exchange: Exchange): ShownValue<string> | undefined =>
      signaturesIn(exchange).flatMap(([signature, subject]) => {
        const before = signed.get(hashed(signature));
        return before === undefined || before.value === subject ? [] : [before];
      })[0],
    /** An access was answered by the operation or its alias. One that was asked for before an earlier answer proves nothing. */
    reveals(
      { accesses: known, moved = 0 }: InternFacts,
      { asked, answered }: Exchange,
      direct: boolean,
      json: RecordFields,
    ) {
      const caller = String(asked.caller);
      const before = known.get(caller);
      if (asked.at < Math.max(moved, before?.at ?? 0, before?.alias?.at ?? 0)) return void known.delete(caller);
      const shown = { access: accessOf(json), number: asked.number, at: answered?.at ?? asked.at };
      const times = before?.access === shown.access ? before.times + 1 : 1;
      if (direct) known.set(caller, { ...shown, times });
      else if (before !== undefined) known.set(caller, { ...before, alias: shown });
    },
    /** An access, or a proof, was answered. */
    sees(exchange: Exchange, { operation, id }: Named, json: RecordFields) {
      const { asked } = exchange;
      const { number, caller } = asked;
      if (isDaemon(operation) && id !== undefined && !accesses.has(accessOf(json)))
        accesses.set(accessOf(json), { value: id, number });
      if (!isSigning(operation)) return;
      const route = bodyOf(asked)?.route;
      if (isRecord(route) && routes.size < MOST) routes.add(JSON.stringify(route));
      const [nonce, user] = [json[proof.nonce], json[proof.user]];
      if (typeof nonce === 'string') nonces.set(nonce, { value: id, number });
      const stamp = Number(json[proof.timestamp]);
      if (stamp > 0 && exchange.answered !== undefined)
        stamped ??= { value: { stamp, from: asked.at, to: exchange.answered.at }, number };
      for (const [signature, subject] of signaturesIn(exchange))
        if (!signed.has(hashed(signature))) signed.set(hashed(signature), { value: subject, number });
      if (typeof user === 'string' && typeof caller === 'string' && !signers.has(caller))
        signers.set(caller, { value: user, number });
    },
    restart() {
      for (const known of [accesses, nonces, signed, signers, routes]) known.clear();
      stamped = undefined;
    },
  };
}
