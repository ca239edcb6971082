interface GrowingDeps<Whole, Piece> {
  read(): Promise<Whole>;
  /** The number of the piece that comes next. */
  next(whole: Whole): number;
  grow(whole: Whole, piece: Piece): Whole;
  show(whole: Whole): void;
  failed?(error: Error): void;
}

/** Something that is read whole, and then grows by numbered pieces that come one by one. */
export function createGrowing<Whole, Piece>({ read, next, grow, show, failed }: GrowingDeps<Whole, Piece>) {
  let whole: Whole | undefined;
  let reading = false;
  let over = false;
  /** The last piece that came while it was read; without end if all that is read may be old. */
  let heard = -1;
  const set = (value: Whole) => {
    if (over) return;
    whole = value;
    show(value);
  };
  const load = () => {
    if (reading) {
      heard = Number.POSITIVE_INFINITY;
      return;
    }
    reading = true;
    heard = -1;
    read()
      .then(
        (value) => {
          if (heard !== Number.POSITIVE_INFINITY) set(value);
        },
        (error: Error) => {
          if (!over) failed?.(error);
        },
      )
      .then(() => {
        reading = false;
        // Some came before the answer did, and were made after it.
        if (!over && (heard === Number.POSITIVE_INFINITY || (whole !== undefined && heard >= next(whole)))) load();
      });
  };
  return {
    load,
    /** Takes all of it as it came otherwise: an answer in progress may be older. */
    replace(value: Whole) {
      set(value);
      if (reading) load();
    },
    /** Adds a piece; if some before it are missing, all is read again. */
    add(n: number, piece: Piece) {
      if (reading) heard = Math.max(heard, n);
      else if (whole !== undefined && n === next(whole)) set(grow(whole, piece));
      else if (whole !== undefined && n > next(whole)) load();
    },
    end() {
      over = true;
    },
  };
}
