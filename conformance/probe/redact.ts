import { createSecrets, type Span } from './spellings.js';

/** Keys whose string values are credentials anywhere in a JSON answer. */
const SECRET_KEYS =
  /"(token|[a-z-]+-signature(?:-v2)?|api_key|[a-z_]+_(?:api_)?key|[a-z_]*token|access_token|refresh_token)"\s*:\s*"((?:[^"\\]|\\.){6,})"/g;
const HIDDEN = '[redacted]';
const SECRET_HEADERS = new Set(['authorization', 'proxy-authorization', 'cookie', 'set-cookie', 'x-emulator-token']);

/** Secrets that are learned from answers at most, newest first: transcripts show only what is recent. */
const MOST_LEARNED = 500;

function hidden(text: string, spans: readonly Span[]): string {
  let clean = '';
  let done = 0;
  for (const [from, to] of spans) {
    clean += text.slice(done, from) + HIDDEN;
    done = to;
  }
  return clean + text.slice(done);
}

/** Redacts secrets in everything that a report could show, as it is recorded. */
export function createRedactor(known: readonly string[] = []) {
  const secrets = createSecrets(known);

  /** Makes a value a secret from now on. */
  const learn = (secret: string) => {
    secrets.add(secret);
    if (secrets.all.size <= known.length + MOST_LEARNED) return;
    for (const oldest of secrets.all) {
      if (known.includes(oldest)) continue;
      secrets.remove(oldest);
      break;
    }
  };
  const text = (value: string) => hidden(value, secrets.spansIn(value));

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
      known.reduce((clean, one) => (one.length < 6 ? clean : clean.replaceAll(one, HIDDEN)), value),
    /** Redacts a text that came in pieces, keeping the pieces. */
    pieces(texts: readonly string[]): string[] {
      const whole = texts.join('');
      const spans = secrets.spansIn(whole);
      if (spans.length === 0) return [...texts];
      let start = 0;
      return texts.map((piece) => {
        const end = start + piece.length;
        let clean = '';
        let at = start;
        for (const [from, to] of spans) {
          if (to <= start || from >= end) continue;
          clean += whole.slice(at, Math.max(at, from));
          if (from >= start) clean += HIDDEN;
          at = Math.min(end, to);
        }
        clean += whole.slice(at, end);
        start = end;
        return clean;
      });
    },
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
