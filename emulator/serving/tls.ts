import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { hostNow } from '../clock/host.js';
import type { Scope } from '../clock/scope.js';
import { createAuthority } from '../signing/authority.js';

/** The certificate and key of a TLS listener, and the file of the authority that its clients must trust. All of it is PEM. */
export interface Secured {
  readonly cert: string;
  readonly key: string;
  readonly caFile: string;
}

/** The name in an entry of `--allow-host` or in a `Host`, if a certificate can be for it. */
const nameOf = (host: string): string[] =>
  host !== '*' && URL.canParse(`https://${host}`)
    ? [new URL(`https://${host}`).hostname.replace(/^\[(.*)\]$/, '$1')]
    : [];

/** An authority made for this start, its certificate for `hosts`, and a file that is there as long as `root`. */
export function secure(hosts: readonly string[], root: Scope): Secured {
  const { ca, cert, key } = createAuthority(hostNow(), [hostname(), ...hosts].flatMap(nameOf));
  const folder = mkdtempSync(join(tmpdir(), 'intern-emulator-'));
  root.defer(() => rmSync(folder, { recursive: true, force: true }));
  const caFile = join(folder, 'ca.pem');
  writeFileSync(caFile, ca);
  return { cert, key, caFile };
}

/** The failure before a request could be read, by OpenSSL's code for it. */
const FAILURES: Record<string, string> = {
  ERR_SSL_HTTP_REQUEST: 'A client spoke HTTP where this emulator serves HTTPS (--tls).',
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA:
    'A client does not trust the authority of this emulator: give it the file in INTERN_CA_FILE.',
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
    'A client does not trust the authority of this emulator: give it the file in INTERN_CA_FILE.',
};

/** The line of the log for a connection that never became one of TLS; undefined for one that was only closed. */
export function handshakeFailed(error: NodeJS.ErrnoException): Record<string, unknown> | undefined {
  const message = FAILURES[error.code ?? ''];
  return message === undefined ? undefined : { level: 'warn', event: 'tls_failed', message };
}
