import { Finding, type NoAnswerGot, type NoAnswerKind, noAnswerOf } from '../framework/finding.js';

/** There was no answer, or it broke off. A finding: a valid request must be answered. */
export function noAnswer(kind: NoAnswerKind, request: string, detail: string): Finding {
  const got: NoAnswerGot = { kind, detail };
  return new Finding({ wanted: { kind: 'answer' }, got, of: request });
}

/** Why no answer came; undefined for any other error. */
export const whyNoAnswer = (error: unknown): NoAnswerGot | undefined =>
  error instanceof Finding ? noAnswerOf(error.found) : undefined;

const CA = 'for a certificate authority of your own set NODE_EXTRA_CA_CERTS to its PEM file';

/** What kept an answer from coming, from the error of `fetch`: in one line. */
export function kindOf(error: unknown): { kind: NoAnswerKind; detail: string } {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const textOf = (key: 'code' | 'reason') =>
    typeof cause === 'object' && cause !== null && key in cause ? String((cause as Record<string, unknown>)[key]) : '';
  const code = textOf('code');
  const message = cause instanceof Error ? cause.message || code || cause.name : String(cause);
  const detail = message.trim().replace(/\s+/g, ' ');
  if (cause instanceof Error && cause.name === 'ProxyRefused') return { kind: 'proxy', detail };
  if (/ENOTFOUND|EAI_AGAIN/.test(code)) return { kind: 'dns', detail };
  if (/ECONNREFUSED|EHOSTUNREACH|ENETUNREACH/.test(code)) return { kind: 'refused', detail };
  // If the two sides do not get as far as certificates, OpenSSL's message is a line of its source. Its name for an
  // answer in plain HTTP differs between its versions.
  if (/^ERR_SSL_|^EPROTO$/.test(code)) {
    const reason = textOf('reason') || code;
    return { kind: 'tls', detail: /alert/i.test(reason) ? reason : `${reason}; is it http:// there?` };
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return { kind: 'certificate', detail };
  if (/CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code) || /certificate/i.test(detail))
    return { kind: 'certificate', detail: `${detail}; ${CA}` };
  if (/TIMEOUT/.test(code)) return { kind: 'timeout', detail };
  if (/ECONNRESET|EPIPE|UND_ERR_SOCKET|HPE_/.test(code)) return { kind: 'dropped', detail };
  return { kind: 'other', detail };
}
