import { createDigests } from '../credentials/digests.js';
import { begunAtEnd, createSearch, readings, type Search, type Shapes, spelledIn } from '../credentials/spellings.js';

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
  /eyJ[\w-]{8,}\.[\w-]+\.[\w-]+/,
].map((shape) => shape.source);
const BY_SHAPE = new RegExp(`^(?:${SHAPED.join('|')})$`);
const SHAPES: Shapes = {
  wanted: SHAPED,
  beginnings: [OWN_KEY_PREFIX, DAEMON_TOKEN_PREFIX, 'eyJhbGci', 'eyJ0eXAi'],
  // A run that is long enough for the Base64 of a signature is read whatever it looks like.
  base64: '[A-Za-z0-9+/]{112}',
};

/** The beginnings of credentials that are known by their shape, at the end of a text. */
const BEGUN =
  /(?:emu-(?:ikey|dtok)-[A-Za-z0-9_-]{0,31}|eyJ[\w-]*(?:\.[\w-]*){0,2}|(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{64,86}=?)$/;
/** The first characters of a credential that are not yet a secret. */
const LEAST_BEGUN = 4;

export const REDACTED = '[redacted]';

/**
 * How many login tokens are remembered for redaction: as many as the journal has entries, since each entry brings one
 * at most.
 */
const MOST_LOGIN_TOKENS = 1_000;

/**
 * How many characters of the values of secrets are remembered as text, the newest, in pieces of this size. Of older ones
 * digests are remembered, without a limit: one would uncover what it forgets.
 */
const MOST_SECRET_TEXT = 131_072;
const SECRET_PIECE = 256;
/** A shorter value appears in the middle of words: it is redacted where it is known to be, and nowhere else. */
const LEAST_SECRET = 8;

/** Searching for so many values beside the others is always cheaper than putting all of them together anew. */
const FEW = 32;

/** A value in pieces, of which each is a secret. The last reaches back: none is so short that it looks like a word. */
function* piecesOf(value: string): Generator<string> {
  if (value.length < LEAST_SECRET) return;
  for (let at = 0; at < value.length; at += SECRET_PIECE)
    yield value.slice(Math.min(at, value.length - LEAST_SECRET), at + SECRET_PIECE);
}

/** Takes one value out of texts, in every spelling; a short one only where it is a whole text. */
export function withoutValue(value: string): (text: string) => string {
  const search = createSearch(piecesOf(value));
  return (text) => {
    if (text === value) return REDACTED;
    let clean = '';
    let last = 0;
    for (const { start, end } of [...spelledIn(text, search)].sort((a, b) => a.start - b.start)) {
      if (end <= last) continue;
      if (start >= last) clean += text.slice(last, start) + REDACTED;
      last = end;
    }
    return clean + text.slice(last);
  };
}

/** A part of a text that is shown as something else. */
interface Span {
  readonly start: number;
  readonly end: number;
  readonly shown: string;
}

/** The texts of a stream that a reader joins again: one credential may come in several of them. */
const CHANNELS = ['content', 'reasoning', 'arguments'] as const;

/**
 * Redacts credentials in texts (AUTH-9): every seeded one and the newest tokens of logins by value, the rest by shape.
 * It finds them as they are, in JSON escapes (`\u0065`), percent-encoded, and in Base64.
 */
export function createRedaction() {
  const secrets = new Set<string>();
  const loginTokens = new Set<string>();
  /** Pieces of the values of secrets, oldest first. */
  const vaultSecrets = new Set<string>();
  let vaultText = 0;
  const digests = createDigests();
  const byValue = () => [...secrets, ...loginTokens, ...vaultSecrets];
  // One search for most values, and one for those since: making one takes longer than most texts take to read.
  let most: Search | undefined;
  let since: Search | undefined;
  const added = new Set<string>();

  const wanted = (value: string) => {
    added.add(value);
    since = undefined;
    if (added.size > Math.max(FEW, (secrets.size + loginTokens.size + vaultSecrets.size) / 4)) most = undefined;
  };
  const searches = (): readonly Search[] => {
    if (!most) {
      most = createSearch(byValue(), SHAPES);
      added.clear();
    }
    if (added.size > 0) since ??= createSearch(added, SHAPES);
    return [most, ...(added.size > 0 && since ? [since] : []), ...(digests.size > 0 ? [digests] : [])];
  };

  const spansOf = function* (text: string): Generator<Span> {
    for (const search of searches())
      for (const { start, end } of spelledIn(text, search)) yield { start, end, shown: REDACTED };
  };

  /** The end of a text that may be the beginning of a credential, which the next write may complete. */
  const spansBegun = function* (text: string): Generator<Span> {
    for (const read of readings(text)) {
      const length = read.text.length;
      const shape = BEGUN.exec(read.text.slice(-4_096));
      const value = begunAtEnd(read.text, byValue(), LEAST_BEGUN);
      const old = digests.begunAt(read.text);
      const begun = Math.max(
        shape ? shape[0].length : 0,
        value ? length - value.start : 0,
        old === undefined ? 0 : length - old,
      );
      if (begun > 0) yield { start: read.at(length - begun), end: text.length, shown: REDACTED };
    }
  };
  const spansIn = function* (text: string, more: boolean): Generator<Span> {
    yield* spansOf(text);
    if (more) yield* spansBegun(text);
  };

  /** The spans of a credential that came in several events of a stream: shown once, where it begins. */
  const spansAcross = function* (text: string, more: boolean): Generator<Span> {
    for (const channel of CHANNELS) {
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
  };

  /** Spans in order and without overlap. */
  const merge = (spans: Iterable<Span>): Span[] => {
    const merged: Span[] = [];
    for (const span of [...spans].sort((a, b) => a.start - b.start || b.end - a.end)) {
      const last = merged.at(-1);
      if (!last || span.start >= last.end) merged.push(span);
      else merged[merged.length - 1] = { ...last, end: Math.max(last.end, span.end), shown: last.shown || span.shown };
    }
    return merged;
  };

  return {
    /** Adds a credential to redact permanently. */
    add(secret: string): void {
      if (secret === '' || BY_SHAPE.test(secret) || secrets.has(secret)) return;
      secrets.add(secret);
      wanted(secret);
    },
    /** Adds a token of a login to redact, replacing the oldest if there are too many. */
    addLoginToken(token: string): void {
      if (BY_SHAPE.test(token) || secrets.has(token) || loginTokens.has(token)) return;
      loginTokens.add(token);
      for (const oldest of loginTokens) {
        if (loginTokens.size <= MOST_LOGIN_TOKENS) break;
        loginTokens.delete(oldest);
      }
      wanted(token);
    },
    /** Adds the value of a secret to redact (VAULT-2), permanently. */
    addVaultSecret(value: string): void {
      for (const piece of piecesOf(value)) {
        if (BY_SHAPE.test(piece) || secrets.has(piece)) continue;
        vaultText += vaultSecrets.delete(piece) ? 0 : piece.length;
        vaultSecrets.add(piece);
        wanted(piece);
      }
      for (const oldest of vaultSecrets) {
        if (vaultText <= MOST_SECRET_TEXT) break;
        vaultSecrets.delete(oldest);
        digests.add(oldest);
        vaultText -= oldest.length;
      }
    },
    redact(text: string): string {
      let clean = '';
      let last = 0;
      for (const { start, end, shown } of merge(spansOf(text))) {
        clean += text.slice(last, start) + shown;
        last = end;
      }
      return last === 0 ? text : clean + text.slice(last);
    },
    /**
     * Redacts the writes of a stream together, so that it finds a credential that was split over two of them, or over
     * events. If `more` may follow, the end is redacted if it may be the beginning of one.
     */
    redactWrites(writes: readonly string[], more = false): string[] {
      const text = writes.join('');
      const spans = merge([...spansIn(text, more), ...spansAcross(text, more)]);
      if (spans.length === 0) return [...writes];
      let offset = 0;
      let next = 0;
      return writes.map((write) => {
        const end = offset + write.length;
        let clean = '';
        let at = offset;
        for (let span = spans[next]; span && span.start < end; span = spans[next]) {
          clean += text.slice(at, Math.max(at, span.start));
          if (span.start >= offset) clean += span.shown;
          at = Math.min(end, span.end);
          if (span.end > end) break;
          next++;
        }
        clean += text.slice(at, end);
        offset = end;
        return clean;
      });
    },
    /** How many credentials are known by value. */
    get size(): number {
      return secrets.size + loginTokens.size + vaultSecrets.size + digests.size;
    },
  };
}

export type Redaction = ReturnType<typeof createRedaction>;
