/** The last word of the names that credentials are sent under. */
const SECRET_WORD =
  /^(?:api)?(?:keys?|tokens?|secrets?|passwords?|passwd|passphrase|pwd|credentials?|authorization|bearer|jwt)$/;
/** The same, joined with the word before it. */
const SECRET_COMPOUND =
  /^\w*(?:access|account|api|auth|bearer|client|daemon|id|login|master|private|refresh|secret|service|session|signing|user)(?:keys?|tokens?|secrets?)$/;
/** Other names that give access, whole. */
const SECRET_NAME =
  /^(?:(?:auth|authorization|device|user|verification) code|code verifier|(?:client )?assertion|saml ?response|(?:auth|session) cookies?|otp)$/;
/** Names that end as they do, and give none. */
const PLAIN_NAME = /^public |(?:^| )idempotency key$/;
/** Parameters of a query or a form that give access. */
const SECRET_PARAMETER = /^(?:code|sig|signature|ticket)$/;

/** The words of a name, in lower case: `accessToken`, `access_token` and `Access-Token` have the same. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map((word) => word.replace(/\d+$/, ''))
    .filter((word) => word !== '');

/** No name of a credential is longer. */
const LONGEST_NAME = 100;

/** Earlier results for names: the same few come again with each event of a stream. */
const judged = new Map<string, boolean>();
const MOST_JUDGED = 1_000;

/** Whether people send credentials under this name: in camel, snake or kebab case, alone or as the end of a name. */
export function isSecretName(name: string): boolean {
  if (name.length > LONGEST_NAME) return false;
  const before = judged.get(name);
  if (before !== undefined) return before;
  const words = wordsOf(name);
  const last = words.at(-1) ?? '';
  const all = words.join(' ');
  const is = (SECRET_WORD.test(last) || SECRET_COMPOUND.test(last) || SECRET_NAME.test(all)) && !PLAIN_NAME.test(all);
  if (judged.size >= MOST_JUDGED) judged.clear();
  judged.set(name, is);
  return is;
}

/** The same for a parameter of a query or a form, whose name may have parts: `credentials[0].value`. */
export function isSecretParameter(name: string): boolean {
  if (name.length > LONGEST_NAME) return false;
  const parts = name.split(/[.[\]]+/).filter((part) => part !== '');
  return parts.some(isSecretName) || parts.some((part) => SECRET_PARAMETER.test(wordsOf(part).join(' ')));
}

/** Whether a header holds a credential, or a proof: its name has such a word anywhere. An idempotency key gives no access. */
export const isSecretHeader = (name: string): boolean =>
  /^(?:set-)?cookie$|-signature(?:-v2)?$/.test(name) ||
  (!/(?:^|-)idempotency-key$/.test(name) && wordsOf(name).some(isSecretName));
