/** The label before a line of a run, by the kind of line. */
export const MARKS = {
  request: '→ ',
  answer: '  ← ',
  write: '  ← ',
  end: '  · ',
  disturbance: '  ⚡ ',
  print: 'prints ',
  outcome: '■ ',
} as const;

/** A line of a run that `explore` made: the page and the reports of `explore` show them alike. */
export interface TimeLineEntry {
  readonly kind: keyof typeof MARKS;
  readonly text: string;
}

/** A line of the undisturbed run beside one of the disturbed run; equal ones are in both. */
export interface Row {
  readonly left: TimeLineEntry | undefined;
  readonly right: TimeLineEntry | undefined;
  readonly equal: boolean;
}

/** How many entries are compared with each other: beyond, what follows stands side by side as it comes. */
const MOST = 400;

const sameEntry = (one: TimeLineEntry | undefined, other: TimeLineEntry | undefined): boolean =>
  one !== undefined && other !== undefined && one.kind === other.kind && one.text === other.text;

/** Two time lines side by side: what both have stands in one row, in order; what one has alone stands beside the other's. */
export function sideBySide(straight: readonly TimeLineEntry[], disturbed: readonly TimeLineEntry[]): Row[] {
  const left = straight.slice(0, MOST);
  const right = disturbed.slice(0, MOST);
  // Longest common subsequence from the end, so that it is read from the beginning.
  const lengths = Array.from({ length: left.length + 1 }, () => new Uint16Array(right.length + 1));
  const at = (row: number, column: number) => lengths[row]?.[column] ?? 0;
  for (let row = left.length - 1; row >= 0; row--)
    for (let column = right.length - 1; column >= 0; column--) {
      const line = lengths[row];
      if (line === undefined) continue;
      line[column] = sameEntry(left[row], right[column])
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1));
    }
  const rows: Row[] = [];
  let alone: { left: TimeLineEntry[]; right: TimeLineEntry[] } = { left: [], right: [] };
  const close = () => {
    for (let at = 0; at < Math.max(alone.left.length, alone.right.length); at++)
      rows.push({ left: alone.left[at], right: alone.right[at], equal: false });
    alone = { left: [], right: [] };
  };
  let [row, column] = [0, 0];
  while (row < left.length || column < right.length) {
    const [one, other] = [left[row], right[column]];
    if (sameEntry(one, other)) {
      close();
      rows.push({ left: one, right: other, equal: true });
      row += 1;
      column += 1;
    } else if (one !== undefined && (other === undefined || at(row + 1, column) >= at(row, column + 1))) {
      alone.left.push(one);
      row += 1;
    } else if (other !== undefined) {
      alone.right.push(other);
      column += 1;
    }
  }
  close();
  return rows;
}

/** Rows with long stretches that are equal left out: a number says how many. `around` stay on each side. */
export function shortened(rows: readonly Row[], around = 3): (Row | number)[] {
  const near = rows.map((_, at) => rows.slice(Math.max(0, at - around), at + around + 1).some(({ equal }) => !equal));
  const out: (Row | number)[] = [];
  for (const [at, row] of rows.entries()) {
    if (near[at] || at === 0 || at === rows.length - 1) out.push(row);
    else if (typeof out.at(-1) === 'number') out.push(Number(out.pop()) + 1);
    else out.push(1);
  }
  return out;
}
