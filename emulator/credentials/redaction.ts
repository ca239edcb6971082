import { SEARCHED_FROM } from './beginnings.js';
import { createKnown, type Known, type Search } from './known.js';
import { secretPairs, secretsIn } from './named.js';
import { isSecretHeader } from './names.js';
import { merged, replaced, type Span } from './spans.js';
import { begunIn, spelledIn } from './spellings.js';

/**
 * The shape of every credential an emulator makes (`Random.token` with one of these prefixes). It is known without a
 * list.
 */
export const OWN_KEY_PREFIX = 'emu-ikey-';
export const DAEMON_TOKEN_PREFIX = 'emu-dtok-';

/**
 * Credentials that are known by their shape: what an emulator makes, the signatures of proofs (64 bytes in Base64), and
 * signed tokens (JWT). They need no list, so none grows.
 */
const SHAPED = [
  /emu-(?:ikey|dtok)-[A-Za-z0-9_-]{32}/,
  /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{85}[AQgw]==/,
  // Without a bound, a long run is walked from each `eyJ` in it.
  /eyJ[\w-]{8,512}\.[\w-]+\.[\w-]+/,
].map((shape) => shape.source);
const BEGINNINGS = [OWN_KEY_PREFIX, DAEMON_TOKEN_PREFIX, 'eyJhbGci', 'eyJ0eXAi'];
/** A run that is long enough for the Base64 of a signature. */
const SIGNATURE_IN_BASE64 = /[A-Za-z0-9+/]{112}/;
const BY_SHAPE = new RegExp(`^(?:${SHAPED.join('|')})$`);
const SHAPES = new RegExp(SHAPED.join('|'), 'g');

/** The beginnings of credentials that are known by their shape, at the end of a text. */
const BEGUN =
  /(?:emu-(?:ikey|dtok)-[A-Za-z0-9_-]{0,31}|eyJ[\w-]{0,512}(?:\.[\w-]*){0,2}|(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{64,86}=?)$/;
export const REDACTED = '[redacted]';

/**
 * How many login tokens are remembered for redaction: as many as the journal has entries, since each entry brings one
 * at most.
 */
const MOST_LOGIN_TOKENS = 1_000;

/** Secrets are remembered by digests of their pieces, each of so many characters, without a limit of their number. */
const SECRET_PIECE = 256;

/**
 * A value in pieces, of which each is a secret. The last reaches back: none is so short that it looks like a word. A
 * shorter value is redacted where it is known to be, and nowhere else.
 */
function* piecesOf(value: string): Generator<string> {
  if (value.length < SEARCHED_FROM) return;
  for (let at = 0; at < value.length; at += SECRET_PIECE)
    yield value.slice(Math.min(at, value.length - SEARCHED_FROM), at + SECRET_PIECE);
}

/** A header as it is shown. A header that carries a credential shows its scheme alone. */
export const shownHeader = (name: string, value: string, redact: (text: string) => string): string =>
  isSecretHeader(name) ? `${/^bearer\s/i.exec(value)?.[0] ?? ''}${REDACTED}` : redact(value);

/** The keys whose strings are pieces of one text over the events of a stream: one credential may come in several of them. */
export const DELTA: ReadonlySet<string> = new Set(['content', 'reasoning', 'arguments']);

/**
 * Takes out of texts what is searched for: as it is, in JSON escapes (`\u0065`), percent-encoded, and in Base64.
 *
 * @param begun where the end of a text may be the beginning of something, which the next write may complete
 */
export function createRedactor(search: Search, begun?: Known['begun']) {
  function* spansIn(text: string, more = false): Generator<Span> {
    for (const { start, end } of spelledIn(text, search)) yield { start, end, shown: REDACTED };
    const cut = more && begun ? begunIn(text, begun) : undefined;
    if (cut) yield { start: cut.start, end: text.length, shown: REDACTED };
  }
  /** The spans of a credential that came in several events of a stream: shown once, where it begins. */
  function* spansAcross(text: string, more: boolean): Generator<Span> {
    for (const channel of DELTA) {
      const pieces: { start: number; from: number; length: number }[] = [];
      let put = '';
      for (const match of text.matchAll(new RegExp(`"${channel}":"((?:[^"\\\\]|\\\\.)*)"`, 'g'))) {
        const [whole, said = ''] = match;
        pieces.push({ start: match.index + whole.length - 1 - said.length, from: put.length, length: said.length });
        put += said;
      }
      if (pieces.length < 2) continue;
      for (const { start, end } of spansIn(put, more)) {
        for (const piece of pieces) {
          const first = Math.max(start, piece.from);
          const last = Math.min(end, piece.from + piece.length);
          if (first >= last) continue;
          const offset = piece.start - piece.from;
          yield { start: first + offset, end: last + offset, shown: first === start ? REDACTED : '' };
        }
      }
    }
  }
  return {
    redact: (text: string): string => replaced([text], merged(spansIn(text))).join(''),
    /**
     * Redacts the writes of a stream together, so that it finds a credential that was split over two of them, or over
     * events. If `more` may follow, the end is redacted if it may be the beginning of one.
     */
    redactWrites(writes: readonly string[], more = false): string[] {
      const text = writes.join('');
      return replaced(writes, merged([...spansIn(text, more), ...spansAcross(text, more)]));
    },
  };
}

/** Takes one value out of texts, in every spelling; a short one only where it is a whole text. */
export function withoutValue(value: string): (text: string) => string {
  const { redact } = createRedactor(createKnown(piecesOf(value)));
  return (text) => (text === value ? REDACTED : redact(text));
}

/** Takes the values under the names of credentials out of a text. */
export function withoutNamed(text: string): string {
  const named = createKnown(secretsIn(text));
  return named.size === 0 ? text : createRedactor(named).redact(text);
}

/** Adds values to those that are searched for, and forgets the oldest where there are too many. */
export function createMemory(known: Known, most: number) {
  const held = new Set<string>();
  return {
    add(value: string): void {
      if (known.has(value)) return;
      known.add(value);
      held.add(value);
      const [oldest = ''] = held;
      if (held.size > most && held.delete(oldest)) known.delete(oldest);
    },
    /** Never forgets a value that it holds. */
    keep: (value: string): boolean => held.delete(value),
  };
}

/**
 * Redacts credentials in texts (AUTH-9): every seeded one and the newest tokens of logins by value, the rest by shape, and
 * those of others by the names of parameters.
 */
export function createRedaction() {
  const known = createKnown([], { searchedFrom: 1 });
  const loginTokens = createMemory(known, MOST_LOGIN_TOKENS);
  for (const beginning of BEGINNINGS) known.hint(beginning);
  const search: Search = {
    // Shapes may be anywhere.
    mayHold: () => true,
    mayHoldInBase64: (run) => known.mayHoldInBase64(run) || SIGNATURE_IN_BASE64.test(run),
    get longest() {
      return Math.max(known.longest, SECRET_PIECE);
    },
    *find(text) {
      yield* known.find(text);
      for (const { 0: value, index } of text.matchAll(SHAPES)) yield { index, length: value.length, value };
      yield* secretPairs(text);
    },
  };
  /** Finds the beginning of a credential at the end of a text: the next write may complete it. */
  const begun: Known['begun'] = (text) => {
    const shape = BEGUN.exec(text.slice(-4_096));
    const value = known.begun(text);
    const index = Math.min(shape ? text.length - shape[0].length : text.length, value?.index ?? text.length);
    return index < text.length ? { index, value: '' } : undefined;
  };

  return {
    /** Adds a credential to redact permanently. */
    add(secret: string): void {
      if (!BY_SHAPE.test(secret)) known.add(secret);
      loginTokens.keep(secret);
    },
    /** Adds a token of a login to redact, replacing the oldest if there are too many. */
    addLoginToken(token: string): void {
      if (!BY_SHAPE.test(token)) loginTokens.add(token);
    },
    /** Adds the value of a secret to redact (VAULT-2), permanently. */
    addVaultSecret(value: string): void {
      for (const piece of piecesOf(value)) if (!BY_SHAPE.test(piece)) known.addDigest(piece);
    },
    ...createRedactor(search, begun),
    /** How many credentials are known by value. */
    get size(): number {
      return known.size;
    },
  };
}

export type Redaction = ReturnType<typeof createRedaction>;
