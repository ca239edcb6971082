/** The memory that a recorder may use, in bytes: for one exchange, and for all unwritten ones together. */
export interface Limits {
  readonly each: number;
  readonly all: number;
}

/** The default for the bytes of an exchange that are kept. */
export const DEFAULT_LIMIT = 64 * 1_048_576;
/** The number of exchanges of full size that fit into memory. */
const AT_ONCE = 4;

/** The limits of a proxy whose exchanges may have `limit` bytes. */
export const limitsBy = (limit: number): Limits => ({ each: limit, all: limit * AT_ONCE });

/** Bytes of memory that a write takes besides its content. */
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

/** The part of the shared memory that one exchange holds until it is written. */
export class Share {
  #taken = 0;
  constructor(readonly room: Room) {}

  /** Takes memory. Returns the reason if there is too little, else undefined. */
  take(size: number): string | undefined {
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

/** The first writes of one side of an exchange, as many as memory allows. */
export class Capture {
  readonly writes: CapturedWrite[] = [];
  /** The number of bytes that came, kept or not. */
  length = 0;
  /** Why the rest was not kept. */
  cut: string | undefined;

  constructor(private readonly share: Share) {}

  add(at: number, bytes: Uint8Array): void {
    this.length += bytes.length;
    this.cut ??= this.share.take(bytes.length + OVERHEAD);
    if (this.cut === undefined) this.writes.push({ at, bytes });
  }

  get bytes(): Buffer {
    return Buffer.concat(this.writes.map((write) => write.bytes));
  }
}
