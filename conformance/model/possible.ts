/** A write as a function: from the possible values before it to those after it. */
type Effect<T> = (before: ReadonlySet<T>) => readonly T[];

/**
 * The values that something may have. A request under way widens them, an answer narrows them. Requests that overlap may have
 * taken effect in either order, and a read may have been answered at any time while it was under way.
 */
export interface Possible<T> {
  /**
   * Values that it may have had at some time since `from`, or now, whatever the request `but` does to it. Undefined: nothing
   * is known.
   */
  since(from: number, but?: number): ReadonlySet<T> | undefined;
  /** Numbers of the exchanges that say so. */
  readonly because: readonly number[];
  /** A write leaves. */
  asks(number: number, effect: Effect<T>): void;
  /** It was accepted, or refused; undefined: nobody knows. */
  answered(number: number, took: boolean | undefined, at: number): void;
  /** A read that left at `from` shows that it has one of these values. */
  narrow(values: readonly T[], number: number, at: number, from: number): void;
  /** Nothing is known any more. */
  forget(at: number): void;
}

const NONE: ReadonlyMap<number, never> = new Map<number, never>();

/** Moments that are kept: a read is under way for a short time. */
const KEPT = 16;

export function possible<T>(first?: readonly T[], number?: number): Possible<T> {
  let base: ReadonlySet<T> | undefined = first === undefined ? undefined : new Set(first);
  let because: number[] = number === undefined ? [] : [number];
  type Writes = ReadonlyMap<number, { readonly effect: Effect<T> }>;
  const pending = new Map<number, { effect: Effect<T>; overlapped: boolean }>();
  /** Earlier values, each with the time until which it held. */
  const past: { until: number; base: ReadonlySet<T> | undefined; writes: Writes }[] = [];

  const widened = (from: ReadonlySet<T>, writes: Writes, but: number | undefined): ReadonlySet<T> => {
    let all = from;
    for (const [number, { effect }] of writes) if (number !== but) all = new Set([...all, ...effect(all)]);
    return all;
  };
  /** When the last write ended. */
  let ended = Number.NEGATIVE_INFINITY;
  const set = (values: ReadonlySet<T> | undefined, at: number) => {
    past.push({ until: at, base, writes: pending.size === 0 ? NONE : new Map(pending) });
    if (past.length > KEPT) past.shift();
    base = values;
  };

  return {
    since(from, but) {
      const all = new Set<T>();
      for (const one of [{ base, writes: pending }, ...past.filter(({ until }) => until > from)]) {
        if (one.base === undefined) return undefined;
        for (const value of widened(one.base, one.writes, but)) all.add(value);
      }
      return all;
    },
    get because() {
      return because;
    },
    asks(asking, effect) {
      for (const other of pending.values()) other.overlapped = true;
      pending.set(asking, { effect, overlapped: pending.size > 0 });
    },
    answered(asking, took, at) {
      const write = pending.get(asking);
      if (write === undefined) return;
      const before = base;
      set(base, at);
      pending.delete(asking);
      ended = Math.max(ended, at);
      if (took === false || (before === undefined && took === undefined)) return;
      const after = write.effect(before ?? new Set());
      base = new Set(took === true && !write.overlapped ? after : [...(before ?? []), ...after]);
      because = took === true && !write.overlapped ? [asking] : [...because, asking].slice(-4);
    },
    narrow(values, reading, at, from) {
      // The read may have come before or after a write that it overlaps.
      if (pending.size > 0 || from <= ended) return;
      if (base === undefined) {
        set(new Set(values), at);
        because = [reading];
        return;
      }
      const left = values.filter((value) => base?.has(value));
      // A value that contradicts all that is known is a finding, and teaches nothing.
      if (left.length === 0) return;
      // What is known already is not kept once more: a target has thousands of interns.
      if (left.length < base.size) set(new Set(left), at);
      if (!because.includes(reading)) because = [...because.slice(-3), reading];
    },
    forget(at) {
      set(undefined, at);
      because = [];
    },
  };
}
