import type { DaemonHint, DaemonReason } from '../contract/daemon.js';
import type { ProofHeaders } from '../contract/profile.js';
import type { ProofFieldName, ProofFields, ProofLayout, ProofVersion } from '../signing/canonical.js';

/** A header sent several times is a list. */
export type HeaderMap = Record<string, string | string[]>;

export interface Workshop {
  readonly names: ProofHeaders;
  readonly layout: ProofLayout;
  /** Unix seconds. */
  readonly now: number;
  /** Seconds. */
  readonly window: number;
  /** Seconds that may pass until the request is sent. */
  readonly delay: number;
  /** Complete and valid fields of the request, with a nonce of their own each time. */
  fresh(changes?: ProofFields): Required<ProofFields>;
  sign(version: ProofVersion, fields: ProofFields): string;
  signRaw(bytes: Buffer): string;
  /** Signs fields with a key that is not the service's. */
  signForeign(version: ProofVersion, fields: ProofFields): string;
  /** The proof headers that name `fields`, under these or valid signatures. */
  headers(fields: ProofFields, signatures?: { v1?: string; v2?: string }): HeaderMap;
  readonly otherUser: string;
  readonly otherInternId: string;
  digest(text: string): string;
}

export interface Defective {
  readonly headers: HeaderMap;
  /** Proof headers of requests to send first. */
  readonly prior?: HeaderMap[];
  /** Replaces the daemon token. */
  readonly token?: string;
}

/** One way in which a proof can be wrong, and the verdict that a verifier must give. */
export interface Defect {
  readonly name: string;
  readonly description: string;
  readonly reason: DaemonReason;
  readonly hint?: DaemonHint;
  /** Undefined if the proof would be right all the same for this request. */
  make(shop: Workshop): Defective | undefined;
}

const without = (headers: HeaderMap, name: string): HeaderMap =>
  Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));

const text = (value: string | string[] | undefined): string =>
  Array.isArray(value) ? value.join(', ') : (value ?? '');

/** Signed for other values than the request has. */
export const otherValue = (
  name: string,
  description: string,
  hint: DaemonHint,
  change: (shop: Workshop, fields: ProofFields) => ProofFields,
): Defect => ({
  name,
  description,
  reason: 'bad_signature',
  hint,
  make(shop) {
    const fields = shop.fresh();
    const changes = Object.entries(change(shop, fields));
    if (changes.every(([name, value]) => fields[name as ProofFieldName] === value)) return undefined;
    const signed = { ...fields, ...Object.fromEntries(changes) };
    return { headers: shop.headers(fields, { v1: shop.sign('v1', signed), v2: shop.sign('v2', signed) }) };
  },
});

/** One of the headers left out. */
export const missing = (name: string, what: keyof ProofHeaders): Defect => ({
  name,
  description: `the header ${what === 'signatureV2' ? 'of the v2 signature' : `of the ${what}`} is not sent`,
  reason: 'proof_missing',
  make: (shop) => ({ headers: without(shop.headers(shop.fresh()), shop.names[what]) }),
});

/** One of the headers twice. */
export const duplicated = (name: string, what: keyof ProofHeaders): Defect => ({
  name,
  description: `the header of the ${what} is sent twice, with the same value`,
  reason: 'proof_malformed',
  make(shop) {
    const headers = shop.headers(shop.fresh());
    const value = text(headers[shop.names[what]]);
    return { headers: { ...headers, [shop.names[what]]: [value, value] } };
  },
});

/** The v2 signature, written differently. */
export const rewritten = (name: string, description: string, rewrite: (signature: string) => string): Defect => ({
  name,
  description,
  reason: 'proof_malformed',
  make(shop) {
    // Some signatures look the same in both alphabets: take one that does not.
    for (;;) {
      const headers = shop.headers(shop.fresh());
      const signature = text(headers[shop.names.signatureV2]);
      const changed = rewrite(signature);
      if (changed !== signature) return { headers: { ...headers, [shop.names.signatureV2]: changed } };
    }
  },
});

/** Right values under a wrong timestamp. */
export const timed = (
  name: string,
  description: string,
  reason: DaemonReason,
  timestamp: (shop: Workshop) => string,
): Defect => ({
  name,
  description,
  reason,
  make: (shop) => ({ headers: shop.headers(shop.fresh({ timestamp: timestamp(shop) })) }),
});
