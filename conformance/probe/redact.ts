import { createKnown } from '../../emulator/credentials/known.js';
import { merged, replaced } from '../../emulator/credentials/spans.js';
import { spelledIn } from '../../emulator/credentials/spellings.js';

/** Keys whose string values are credentials anywhere in a JSON answer. */
const SECRET_KEYS =
  /"(token|[a-z-]+-signature(?:-v2)?|api_key|[a-z_]+_(?:api_)?key|[a-z_]*token|access_token|refresh_token)"\s*:\s*"((?:[^"\\]|\\.){6,})"/g;
/** The text in the place of a secret. */
export const HIDDEN = '[redacted]';
const SECRET_HEADERS = new Set(['authorization', 'proxy-authorization', 'cookie', 'set-cookie', 'x-emulator-token']);

/** A shorter text is no secret. */
const SHORTEST = 6;
/** Secrets that are learned from answers at most, newest first: transcripts show only what is recent. */
const MOST_LEARNED = 500;

/** Redacts secrets in everything that a report could show, as it is recorded. */
export function createRedactor(known: readonly string[] = []) {
  // A secret that is cut is still a secret, down to its first half.
  const secrets = createKnown(
    known.filter(({ length }) => length >= SHORTEST),
    { searchedFrom: SHORTEST, enough: (length) => Math.ceil(length / 2) },
  );
  const learned = new Set<string>();

  /** Makes a value a secret from now on. */
  const learn = (secret: string) => {
    if (secret.length < SHORTEST || secrets.has(secret)) return;
    secrets.add(secret);
    learned.add(secret);
    const [oldest = ''] = learned;
    if (learned.size > MOST_LEARNED && learned.delete(oldest)) secrets.delete(oldest);
  };

  /** Redacts a text that came in pieces, keeping the pieces. */
  const pieces = (texts: readonly string[]): string[] => {
    const found = [...spelledIn(texts.join(''), secrets)];
    return found.length === 0 ? [...texts] : replaced(texts, merged(found.map((one) => ({ ...one, shown: HIDDEN }))));
  };
  const text = (value: string) => pieces([value]).join('');

  /** Redacts every string within a JSON-like value. */
  const deep = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value)) return value.map(deep);
    if (value instanceof RegExp) return String(value);
    if (value instanceof Uint8Array) return `${value.length} bytes`;
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [text(key), deep(entry)]));
  };

  return {
    learn,
    /** Learns the credentials that a JSON text carries under their usual keys. */
    learnFrom(value: string) {
      if (!/token|key|-signature/.test(value)) return;
      for (const found of value.matchAll(SECRET_KEYS)) {
        const key = found[1] ?? '';
        if (key === 'idempotency_key' || key.startsWith('public_')) continue;
        if (found[2] !== undefined) learn(found[2]);
      }
    },
    text,
    /** The kit's own words: nothing that was learnt is taken out of them, only a credential of the caller that stands there whole. */
    words: (value: string): string =>
      known.reduce((clean, one) => (one.length < SHORTEST ? clean : clean.replaceAll(one, HIDDEN)), value),
    pieces,
    headers(headers: Headers) {
      const clean: Record<string, string> = {};
      headers.forEach((value, name) => {
        if (!SECRET_HEADERS.has(name) && !/-signature(-v2)?$/.test(name)) clean[name] = text(value);
        else clean[name] = /^bearer\s/i.test(value) ? `Bearer ${HIDDEN}` : HIDDEN;
      });
      return clean;
    },
    deep,
  };
}
export type Redactor = ReturnType<typeof createRedactor>;
