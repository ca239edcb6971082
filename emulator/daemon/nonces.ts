import { type NonceRow, rowIdOf } from '../contract/state.js';

/** The used nonces, oldest first. */
export interface NonceRows {
  readonly size: number;
  has(id: string): boolean;
  put(row: NonceRow): void;
  delete(id: string): boolean;
  values(): Iterable<NonceRow>;
}

/** The second that the memory reaches back to, kept with the rows: it must survive a restart. */
export interface Since {
  get(): number | undefined;
  set(timestamp: number): void;
}

/** The part of a store that lets the memory of nonces outlive the process. */
export interface KeptNonces {
  readonly rows: NonceRows;
  readonly since: Since;
  /** Resolves once the puts are durable. */
  commit(): Promise<void>;
  /** The earliest time, in Unix ms, that the clock could show if the process started anew now. */
  earliest(): number;
}

const KEPT_EXPIRED = 10_000;

function createRows(): NonceRows {
  const rows = new Map<string, NonceRow>();
  return {
    get size() {
      return rows.size;
    },
    has: (id) => rows.has(id),
    put: (row) => void rows.set(row.id, row),
    delete: (id) => rows.delete(id),
    values: () => rows.values(),
  };
}

/**
 * Nonces, held in `rows` until no clock could show a time within the window of their proof. They come nearly in the
 * order of their seconds, so that forgetting looks only at the oldest, at most once a second.
 */
export function createNonces(rows: NonceRows = createRows(), since?: Since) {
  let forgotten = since?.get() ?? Number.NEGATIVE_INFINITY;
  let looked = Number.NEGATIVE_INFINITY;
  return {
    get size() {
      return rows.size;
    },
    has: (internId: string, nonce: string): boolean => rows.has(rowIdOf(internId, nonce)),
    /** Call it when the rows were replaced. */
    replaced(): void {
      forgotten = since?.get() ?? Number.NEGATIVE_INFINITY;
      looked = Number.NEGATIVE_INFINITY;
    },
    /** Marks a nonce as used; false if it was used before. `timestamp` is the proof's, in Unix seconds. */
    take(internId: string, nonce: string, timestamp: number): boolean {
      const id = rowIdOf(internId, nonce);
      if (rows.has(id)) return false;
      rows.put({ id, timestamp });
      return true;
    },
    /** Whether the memory still reaches back to proofs of that second: a forgotten nonce looks like an unused one. */
    remembers: (timestamp: number): boolean => timestamp >= forgotten,
    /**
     * Forgets proofs made before that second. Of those made before `expired`, a later second, the newest 10,000 are kept:
     * they have expired by now, but would not have for a clock that starts anew.
     */
    forgetBefore(timestamp: number, expired: number = timestamp): void {
      if (expired <= looked) return;
      looked = expired;
      let any = false;
      for (const row of rows.values()) {
        const surplus = row.timestamp < expired && rows.size > KEPT_EXPIRED;
        if (row.timestamp >= timestamp && !surplus) break;
        rows.delete(row.id);
        any = true;
      }
      if (timestamp > forgotten) forgotten = timestamp;
      if (any) since?.set(forgotten);
    },
  };
}

/** The used nonces, each for as long as a proof that carries it could still be accepted. */
export type Nonces = ReturnType<typeof createNonces>;
