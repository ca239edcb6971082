import { isSecretHeader, isSecretName } from '../../emulator/credentials/names.js';
import { withoutNamed } from '../../emulator/credentials/redaction.js';
import { deepBy, HIDDEN, type Redactor } from '../probe/redact.js';
import { credentialName } from './exchange.js';

/** Keys whose values are credentials, or what a vault keeps. */
const isSecret = (key: string): boolean =>
  /^value$/i.test(key) || isSecretName(key) || isSecretHeader(key.toLowerCase());

/**
 * Takes credentials out of what a report may show. No credential is known here, only the names of those that were sent, so what
 * others said loses what stands where credentials do, too.
 */
export function createHiding(callers: Pick<ReadonlySet<string>, 'has'>): Pick<Redactor, 'text' | 'deep' | 'words'> {
  const words = (own: string): string =>
    own.replace(/[\w.~+/=-]{6,}/g, (word) => (callers.has(credentialName(word)) ? HIDDEN : word));
  const text = (said: string): string =>
    words(
      withoutNamed(said)
        .replace(/((?:token|secret|password|api_?key|authorization|value)"?\s*[:=]\s*"?)[^"\s,}]+/gi, `$1${HIDDEN}`)
        .replace(/\b(bearer|basic)\s+[^\s",}]+/gi, `$1 ${HIDDEN}`)
        .replace(/\b(sk|pk|key)-[\w-]{8,}/g, HIDDEN),
    );
  return { text, deep: deepBy(text, isSecret), words };
}
