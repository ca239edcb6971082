import { createKnown } from '../../emulator/credentials/known.js';
import { isSecretName } from '../../emulator/credentials/names.js';
import * as redaction from '../../emulator/credentials/redaction.js';

const MEMBER = /"([\w-]+)"\s*:\s*"((?:[^"\\]+|\\.)*)"/g;
/** The text in the place of a secret. */
export const HIDDEN = redaction.REDACTED;

/** A shorter text is no secret. */
const SHORTEST = 6;
/** Secrets that are learned from answers at most, newest first: transcripts show only what is recent. */
const MOST_LEARNED = 500;

/** Takes secrets out of every string within a JSON-like value, and the strings under their names whole. */
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

/** Redacts secrets in everything that a report could show, as it is recorded. */
export function createRedactor(known: readonly string[] = []) {
  const given = known.filter(({ length }) => length >= SHORTEST);
  // A secret that is cut is still a secret, down to its first half.
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
    /** The kit's own words: nothing that was learnt is taken out of them, only a credential of the caller that stands there whole. */
    words: (value: string): string => given.reduce((clean, one) => clean.replaceAll(one, HIDDEN), value),
    pieces: redactWrites,
    deep: deepBy(redact),
    headers: (headers: Headers) =>
      Object.fromEntries([...headers].map(([name, value]) => [name, redaction.shownHeader(name, value, redact)])),
  };
}
export type Redactor = ReturnType<typeof createRedactor>;
