/** A write as a function: from the possible values before it to those after it. */
type Effect<T> = (before: ReadonlySet<T>) => readonly T[];

/**
 * The values that something may have. A request under way widens them, an answer narrows them. Requests that overlap may have
 * taken effect in either order, and a read may have been answered at any time while it was under way.
 */
export interface Possible<T> {
  /**
   * The values that it may have had since `from`, without the effect of the request `but`. Undefined: nothing is known.
   */
  since(from: number, but?: number): ReadonlySet<T> | undefined;
  /** The exchanges that establish the values: the last write, or the first read, and the last reads. */
  readonly because: readonly number[];
  /** A write is sent. */
  asks(number: number, effect: Effect<T>): void;
  /** A write was answered. `took`: whether it took effect; undefined: unknown. */
  answered(number: number, took: boolean | undefined, at: number): void;
  /** A read that was sent at `from` shows one of these values. */
  narrow(values: readonly T[], number: number, at: number, from: number): void;
  /** Nothing is known any more. */
  forget(at: number): void;
}

type Writes<T> = ReadonlyMap<number, { readonly effect: Effect<T> }>;

const NONE: ReadonlyMap<number, never> = new Map<number, never>();

/** Earlier values that are kept. Reads are short, so a few suffice. */
const KEPT = 16;

function widened<T>(from: ReadonlySet<T>, writes: Writes<T>, but: number | undefined): ReadonlySet<T> {
  let all = from;
  for (const [number, { effect }] of writes) if (number !== but) all = new Set([...all, ...effect(all)]);
  return all;
}

/** Fields are made on demand, because a target has thousands of interns with five of these each. */
class Values<T> implements Possible<T> {
  because: readonly number[];
  private base: ReadonlySet<T> | undefined;
  private pending: Map<number, { effect: Effect<T>; overlapped: boolean }> | undefined;
  /** Earlier values, each with the time until which it held. */
  private past: { until: number; base: ReadonlySet<T> | undefined; writes: Writes<T> }[] | undefined;
  /** When the last write ended. */
  private ended = Number.NEGATIVE_INFINITY;

  constructor(first: readonly T[] | undefined, number: number | undefined) {
    this.base = first === undefined ? undefined : new Set(first);
    this.because = number === undefined ? [] : [number];
  }

  private set(values: ReadonlySet<T> | undefined, at: number): void {
    this.past ??= [];
    this.past.push({ until: at, base: this.base, writes: this.pending === undefined ? NONE : new Map(this.pending) });
    if (this.past.length > KEPT) this.past.shift();
    this.base = values;
  }

  since(from: number, but?: number): ReadonlySet<T> | undefined {
    const past = this.past?.filter(({ until }) => until > from) ?? [];
    if (this.pending === undefined && past.length === 0) return this.base;
    const all = new Set<T>();
    for (const one of [{ base: this.base, writes: this.pending ?? NONE }, ...past]) {
      if (one.base === undefined) return undefined;
      for (const value of widened(one.base, one.writes, but)) all.add(value);
    }
    return all;
  }

  asks(asking: number, effect: Effect<T>): void {
    this.pending ??= new Map();
    for (const other of this.pending.values()) other.overlapped = true;
    this.pending.set(asking, { effect, overlapped: this.pending.size > 0 });
  }

  answered(asking: number, took: boolean | undefined, at: number): void {
    const write = this.pending?.get(asking);
    if (write === undefined) return;
    const before = this.base;
    this.set(before, at);
    this.pending?.delete(asking);
    if (this.pending?.size === 0) this.pending = undefined;
    this.ended = Math.max(this.ended, at);
    if (took === false || (before === undefined && took === undefined)) return;
    const after = write.effect(before ?? new Set());
    const isSure = took === true && !write.overlapped;
    this.base = new Set(isSure ? after : [...(before ?? []), ...after]);
    this.because = isSure ? [asking] : [asking, ...this.because].slice(0, 4);
  }

  narrow(values: readonly T[], reading: number, at: number, from: number): void {
    // The read may have come before or after a write that it overlaps.
    if (this.pending !== undefined || from <= this.ended) return;
    const { base } = this;
    if (base === undefined) {
      this.set(new Set(values), at);
      this.because = [reading];
      return;
    }
    const left = values.filter((value) => base.has(value));
    // A value that contradicts all that is known is a finding, and teaches nothing.
    if (left.length === 0) return;
    if (left.length < base.size) this.set(new Set(left), at);
    if (this.because.includes(reading)) return;
    const [write, ...reads] = this.because;
    this.because = [...(write === undefined ? [] : [write]), ...reads.slice(-2), reading];
  }

  forget(at: number): void {
    this.set(undefined, at);
    this.because = [];
  }
}

export const possible = <T>(first?: readonly T[], number?: number): Possible<T> => new Values(first, number);
