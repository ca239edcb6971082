import { Finding } from '../framework/assert.js';

export type NoAnswerKind = 'timeout' | 'refused' | 'dns' | 'certificate' | 'dropped' | 'too long' | 'other';

/** There was no answer, or it broke off. A finding: a valid request has to be answered. */
export class NoAnswer extends Finding {
  constructor(
    readonly kind: NoAnswerKind,
    request: string,
    detail: string,
  ) {
    super({ what: request, expected: 'an HTTP answer', actual: `${kind}: ${detail}` });
  }

  /** Nobody was there to answer: what was sent has nothing to do with it. */
  get unreached(): boolean {
    return this.kind === 'refused' || this.kind === 'dns';
  }
}

/** What kept an answer from coming, out of what `fetch` threw. */
export function kindOf(error: unknown): { kind: NoAnswerKind; detail: string } {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : '';
  const detail = cause instanceof Error ? cause.message || code || cause.name : String(cause);
  if (/ENOTFOUND|EAI_AGAIN/.test(code)) return { kind: 'dns', detail };
  if (/ECONNREFUSED|EHOSTUNREACH|ENETUNREACH/.test(code)) return { kind: 'refused', detail };
  if (/CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code) || /certificate/i.test(detail)) {
    return {
      kind: 'certificate',
      detail: `${detail}; for a certificate authority of your own set NODE_EXTRA_CA_CERTS to its PEM file`,
    };
  }
  if (/TIMEOUT/.test(code)) return { kind: 'timeout', detail };
  if (/ECONNRESET|EPIPE|UND_ERR_SOCKET|HPE_/.test(code)) return { kind: 'dropped', detail };
  return { kind: 'other', detail };
}
