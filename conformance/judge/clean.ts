import { secretKeys } from '../helpers/secret-keys.js';
import { isRow } from '../model/intern.js';
import type { Breach } from '../rules/rule.js';
import { credentialName } from './exchange.js';

const HIDDEN = '[hidden]';

/** Keys whose values are credentials, or what a vault keeps. */
const isSecret = (key: string): boolean =>
  /^(value|authorization|cookie|set-cookie)$/i.test(key) || secretKeys({ [key]: 'x' }).length > 0;

/** Text without the credentials that it shows: those that were sent, and what stands where credentials do. */
function cleanText(text: string, callers: Pick<ReadonlySet<string>, 'has'>): string {
  return text
    .replace(/("?(?:\w*token|\w*secret|password|api_?key|authorization|value)"?\s*[:=]\s*"?)[^"\s,}]+/gi, `$1${HIDDEN}`)
    .replace(/\b(bearer|basic)\s+[^\s",}]+/gi, `$1 ${HIDDEN}`)
    .replace(/\b(sk|pk|key)-[\w-]{8,}/g, HIDDEN)
    .replace(/[\w.~+/=-]{6,}/g, (word) => (callers.has(credentialName(word)) ? HIDDEN : word));
}

function clean(value: unknown, callers: Pick<ReadonlySet<string>, 'has'>): unknown {
  if (typeof value === 'string') return cleanText(value, callers);
  if (Array.isArray(value)) return value.map((one) => clean(one, callers));
  if (!isRow(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      cleanText(key, callers),
      isSecret(key) && typeof one === 'string' ? HIDDEN : clean(one, callers),
    ]),
  );
}

/** A breach as a report may show it. */
export const cleaned = (breach: Breach, callers: Pick<ReadonlySet<string>, 'has'>): Breach => ({
  ...breach,
  expected: clean(breach.expected, callers),
  actual: clean(breach.actual, callers),
});
