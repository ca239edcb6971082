import { inWords } from '../../emulator/contract/system-error.js';

type NoAnswerKind =
  | 'timeout'
  | 'refused'
  | 'dns'
  | 'proxy'
  | 'port'
  | 'certificate'
  | 'tls'
  | 'dropped'
  | 'too long'
  | 'too deep'
  | 'other';

/** Why no answer came. `hung` and `crashed`: a client under test. */
export interface NoAnswerGot {
  readonly kind: NoAnswerKind | 'hung' | 'crashed';
  readonly detail: string;
}

/** Thrown if no answer came, or it broke off. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  readonly got: NoAnswerGot;
  constructor(
    kind: NoAnswerKind,
    readonly request: string,
    detail: string,
  ) {
    super(`${request}: ${kind}: ${detail}`);
    this.got = { kind, detail };
  }
}

/** Why no answer came; undefined for any other error. */
export const whyNoAnswer = (error: unknown): NoAnswerGot | undefined =>
  error instanceof NoAnswer ? error.got : undefined;

const CA = 'for a certificate authority of your own set NODE_EXTRA_CA_CERTS to its PEM file';

/** The reason why no answer came, from the error of `fetch`: in one line. */
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
  // Before certificates are exchanged, OpenSSL's message is a line of its source. Its name for an
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
  if (detail === 'bad port') return { kind: 'port', detail: inWords(cause) };
  return { kind: 'other', detail };
}
