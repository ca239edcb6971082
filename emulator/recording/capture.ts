/**
 * The memory that a recorder may use, in bytes: of one exchange, and of all that are in progress or wait to be written.
 */
export interface Limits {
  readonly each: number;
  readonly all: number;
}

/** How many bytes of an exchange are kept, where nothing else is asked for. */
export const DEFAULT_LIMIT = 64 * 1_048_576;
/** How many exchanges of that size are kept at one time. */
const AT_ONCE = 4;

/** The memory that a proxy uses where an exchange may have so many bytes. */
export const limitsBy = (limit: number): Limits => ({ each: limit, all: limit * AT_ONCE });

/** The overhead of a write beside its bytes. */
const OVERHEAD = 128;

/** The memory that all exchanges share. */
export class Room {
  #taken = 0;
  constructor(readonly limits: Limits) {}

  take(size: number): boolean {
    if (this.#taken + size > this.limits.all) return false;
    this.#taken += size;
    return true;
  }

  give(size: number): void {
    this.#taken -= size;
  }
}

/** How much of the shared memory one exchange holds, until it is written. */
export class Share {
  #taken = 0;
  constructor(readonly room: Room) {}

  /** Why that much more cannot be kept; undefined if it can, and is taken. */
  refusal(size: number): string | undefined {
    const { each } = this.room.limits;
    if (this.#taken + size > each) return `an exchange is kept up to ${inMegabytes(each)}`;
    if (!this.room.take(size)) return `exchanges at one time are kept up to ${inMegabytes(this.room.limits.all)}`;
    this.#taken += size;
    return undefined;
  }

  end(): void {
    this.room.give(this.#taken);
    this.#taken = 0;
  }
}

export const inMegabytes = (bytes: number) => `${Math.round(bytes / 10_485.76) / 100} MB`;

export interface CapturedWrite {
  /** ms since the request came. */
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** The writes of one side of an exchange: the beginning, as far as there is memory. */
export class Capture {
  readonly writes: CapturedWrite[] = [];
  /** How many bytes came, kept or not. */
  length = 0;
  /** Why the rest was not kept. */
  cut: string | undefined;

  constructor(private readonly share: Share) {}

  add(at: number, bytes: Uint8Array): void {
    this.length += bytes.length;
    this.cut ??= this.share.refusal(bytes.length + OVERHEAD);
    if (this.cut === undefined) this.writes.push({ at, bytes });
  }

  get bytes(): Buffer {
    return Buffer.concat(this.writes.map((write) => write.bytes));
  }
}
