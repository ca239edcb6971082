import { createKnown } from '../../emulator/credentials/known.js';
import { isSecretName } from '../../emulator/credentials/names.js';
import * as redaction from '../../emulator/credentials/redaction.js';

const MEMBER = /"([\w-]+)"\s*:\s*"((?:[^"\\]+|\\.)*)"/g;
/** The text in the place of a secret. */
export const HIDDEN = redaction.REDACTED;

/** Characters of the shortest secret. */
const SHORTEST = 6;
/** Most secrets that are learned from answers. The newest are kept: transcripts show only recent exchanges. */
const MOST_LEARNED = 500;

/** Removes secrets from every string of a JSON-like value, and whole strings under the names of secrets. */
export const deepBy = (text: (said: string) => string, isSecret: (name: string) => boolean = () => false) =>
  function deep(value: unknown): unknown {
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value)) return value.map(deep);
    if (value instanceof RegExp) return String(value);
    if (value instanceof Uint8Array) return `${value.length} bytes`;
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [
        text(name),
        isSecret(name) && typeof one === 'string' ? HIDDEN : deep(one),
      ]),
    );
  };

/** Removes secrets from everything that a report may show, at the time of recording. */
export function createRedactor(known: readonly string[] = []) {
  const given = known.filter(({ length }) => length >= SHORTEST);
  // The first half of a cut secret is still a secret.
  const secrets = createKnown(given, { searchedFrom: SHORTEST, enough: (length) => Math.ceil(length / 2) });
  const learned = redaction.createMemory(secrets, MOST_LEARNED);
  const { redact, redactWrites } = redaction.createRedactor(secrets);
  /** Makes a value a secret from now on. */
  const learn = (secret: string) => {
    if (secret.length >= SHORTEST) learned.add(secret);
  };
  return {
    learn,
    /** Learns the credentials that a JSON text carries under their usual keys. */
    learnFrom(value: string) {
      if (!/token|key|secret|-signature/.test(value)) return;
      for (const [, name = '', said = ''] of value.matchAll(MEMBER))
        if (isSecretName(name) || /-signature(?:-v2)?$/.test(name)) learn(said);
    },
    text: redact,
    /** Redacts words of the kit: only whole credentials of the caller are removed, no learned secrets. */
    words: (value: string): string => given.reduce((clean, one) => clean.replaceAll(one, HIDDEN), value),
    pieces: redactWrites,
    deep: deepBy(redact),
    headers: (headers: Headers) =>
      Object.fromEntries([...headers].map(([name, value]) => [name, redaction.shownHeader(name, value, redact)])),
  };
}
export type Redactor = ReturnType<typeof createRedactor>;
