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
