import { type Answered, type Asked, bodyOf, canonical } from './exchange.js';
import type { InternFacts, RecordFields, Who } from './intern.js';
import type { OperationName } from './operations.js';
import { hashed, joined, MOST, type ModelOptions, onceInARow, Recent, type ShownValue, SKEW } from './options.js';
import { idempotencyHeaderOf } from './target.js';

/** An accepted create with a key: its body, and its intern. */
type KeyedCreate = ShownValue<{
  readonly body: unknown;
  /** A hash of the body as it was sent. */
  readonly sent: string | undefined;
  readonly id: string;
  /** When it was answered. */
  readonly at: number;
}>;

/** A hash of the body of a request, as it is sent. */
export const sentIn = ({ body }: Pick<Asked, 'body'>): string | undefined =>
  body.kind === 'some' ? hashed(`${body.size} ${body.text}`) : undefined;

const dateOf = (answered: Answered): number => Date.parse(answered.header('date') ?? '');

/** The creates of a target. Keys and bodies identify a retry, and the target's clock an old intern. */
export function createCreates(
  { ours, partial, profile }: ModelOptions,
  { isBy, personOf }: Pick<Who, 'isBy' | 'personOf'>,
) {
  const keyHeader = idempotencyHeaderOf(profile);
  const keyed = new Recent<string, KeyedCreate>(MOST);
  /**
   * The first create of each key, or of each body without a key: its number and its sender. A later one is a retry.
   */
  const firsts = new Recent<string, ShownValue<string | undefined>>(MOST);
  /** Whether a create without a key had an unknown body: it may be the first of any body. */
  let hasHidden = false;
  /** The latest time that a record has shown, on the target's clock. */
  let latest = Number.NEGATIVE_INFINITY;
  /** `latest` when each create was sent. */
  const begun = new Map<number, number>();
  /** A time on the target's clock, after the first request was sent. */
  let since: number | undefined;
  let hasOwnClock = false;

  /**
   * The part that a create shares with its retry: the key, or without a key the body. The caller does not count: one person
   * may have several credentials.
   */
  const retriedBy = onceInARow(({ body, header }: Asked): string | undefined => {
    const key = header(keyHeader);
    if (key !== undefined) return joined('key', key);
    return body.kind === 'some' && body.json !== undefined ? hashed(canonical(body.json)) : undefined;
  });
  const keyOf = (asked: Asked): string | undefined => {
    const [key, person] = [asked.header(keyHeader), personOf(asked)];
    return key === undefined || person === undefined ? undefined : joined(person, key);
  };
  return {
    /** A create is sent. */
    asks(asked: Asked) {
      begun.set(asked.number, latest);
      if (partial === true) return;
      const key = retriedBy(asked);
      if (key === undefined) hasHidden ||= asked.body.kind === 'unknown';
      else if (!firsts.has(key)) firsts.set(key, { value: personOf(asked), number: asked.number });
    },
    /** A record was shown. */
    shows(row: RecordFields) {
      for (const time of [row.created_at, row.updated_at]) {
        const at = typeof time === 'string' ? Date.parse(time) : Number.NaN;
        if (at > latest) latest = at;
      }
    },
    /** An answer came, with the time of its gateway. */
    sees(answered: Answered) {
      const date = dateOf(answered);
      if (!Number.isNaN(date)) since ??= date;
    },
    /** A create was answered with a new intern. */
    made(answered: Answered, { created_at: created }: RecordFields) {
      hasOwnClock ||= Math.abs(Date.parse(String(created)) - dateOf(answered)) > SKEW;
    },
    /** Whether the times of new records differ from `Date`: a gateway or an emulator may have its own clock. */
    get hasOwnClock(): boolean {
      return hasOwnClock;
    },
    /** A create is over. Returns the latest time that records had shown when it was sent. */
    over({ number }: Asked): number {
      const before = begun.get(number) ?? latest;
      begun.delete(number);
      return before;
    },
    /** A create was answered with an intern. */
    took(asked: Asked, id: string, at: number) {
      const key = keyOf(asked);
      if (key !== undefined && asked.body.kind !== 'unknown' && !keyed.has(key))
        keyed.set(key, { value: { body: bodyOf(asked) ?? {}, sent: sentIn(asked), id, at }, number: asked.number });
    },
    /** The accepted create of the same caller with the key of a request. */
    createBy(asked: Asked): KeyedCreate | undefined {
      const key = keyOf(asked);
      return key === undefined ? undefined : keyed.get(key);
    },
    /** Whether no earlier create asked for it, and the target's clock says that the intern is new. */
    isFirst(asked: Asked, answered: Answered, { created_at: created }: RecordFields): boolean {
      const key = retriedBy(asked);
      const mayRepeat = hasHidden && asked.header(keyHeader) === undefined;
      if (mayRepeat || key === undefined || firsts.get(key)?.number !== asked.number) return false;
      // An emulator of ours has a clock of its own, and nobody else uses it.
      if (ours === true) return true;
      const [at, now] = [Date.parse(String(created)), dateOf(answered)];
      return since !== undefined && at >= since + SKEW && at <= now + SKEW;
    },
    /** Whether a create may be the retry of one that was seen. */
    mayRetry(asked: Asked): boolean {
      const key = retriedBy(asked);
      const first = key === undefined ? undefined : firsts.get(key);
      return first === undefined || (first.number !== asked.number && isBy(asked, first.value) !== false);
    },
    restart() {
      for (const known of [keyed, firsts, begun]) known.clear();
      hasHidden = false;
      latest = Number.NEGATIVE_INFINITY;
      since = undefined;
      hasOwnClock = false;
    },
  };
}

/** The name that a create or an update asks for. */
function nameIn(asked: Asked, operation: OperationName): string | undefined {
  const name = operation === 'create' || operation === 'update' ? bodyOf(asked)?.name : undefined;
  return typeof name === 'string' ? name : undefined;
}

export function createNames() {
  /** Interns by names that they may have. */
  const called = new Recent<string, Set<InternFacts>>(MOST);
  /** Requested names: requests under way, the first refused create, and whether any request may have got it. */
  const wanted = new Recent<string, { asking: number; refused: number | undefined; given: boolean }>(MOST);
  let hasRefused = false;
  return {
    /** Interns of this traffic that may have a name, or had it. */
    called: (name: string): ReadonlySet<InternFacts> => called.get(name) ?? new Set(),
    /** An intern may have a name from now on. */
    calls(facts: InternFacts, name: unknown) {
      if (typeof name === 'string') called.set(name, (called.get(name) ?? new Set()).add(facts));
    },
    /** Drops a forgotten intern, which its names would keep in memory. */
    forgets(facts: InternFacts) {
      const name = facts.made?.body.name;
      if (typeof name === 'string') called.get(name)?.delete(facts);
    },
    /** Notes that a request for a name is sent. */
    asks(asked: Asked, operation: OperationName) {
      const name = nameIn(asked, operation);
      if (name === undefined) return;
      const { asking = 0, refused, given = false } = wanted.get(name) ?? {};
      wanted.set(name, { asking: asking + 1, refused, given });
    },
    /** Notes its answer. A taken name belongs to another intern. */
    sees(asked: Asked, operation: OperationName, took: boolean | undefined, status: number | undefined) {
      const of = wanted.get(nameIn(asked, operation) ?? '');
      if (of === undefined) return;
      of.asking -= 1;
      if (took !== false || status === 409) of.given = true;
      else if (operation === 'create') {
        of.refused ??= asked.number;
        hasRefused = true;
      }
    },
    /** Whether a create was refused a name. */
    get hasRefused() {
      return hasRefused;
    },
    /** The refused create of a name, if no other request asked for that name. */
    refused(name: unknown): number | undefined {
      const { asking = 1, given = true, refused } = wanted.get(String(name)) ?? {};
      return asking > 0 || given ? undefined : refused;
    },
    restart() {
      called.clear();
      wanted.clear();
      hasRefused = false;
    },
  };
}
