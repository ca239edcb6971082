import type { State, Table, Value } from './rows.js';

/** A request by its parts: a value of each, and the state of the intern that it names. */
export interface Row {
  readonly table: Table;
  readonly state: State | undefined;
  /** Whether the state is the mistake of the request. */
  readonly badState: boolean;
  readonly values: readonly Value[];
}

/** Whether a row has no mistake. */
export const isGood = ({ badState, values }: Row): boolean => !badState && values.every(({ bad }) => bad !== true);

type Cell = { readonly state: State; readonly bad: boolean } | Value;
const isBad = (cell: Cell): boolean => cell.bad === true;

/** States in which an intern stays, so that a row need not wait. */
const AT_REST: ReadonlySet<State> = new Set(['stopped', 'running', 'suspended']);

/** The columns of a table: its states, where it has any, and its parts. */
const columnsOf = ({ states, parts }: Table): readonly (readonly Cell[])[] => [
  ...(states === undefined
    ? []
    : [[...states.good.map((state) => ({ state, bad: false })), ...states.bad.map((state) => ({ state, bad: true }))]]),
  ...parts,
];

/** The row of a value from each column. A bad state beside a bad value does not count as the mistake. */
const rowOf = (table: Table, cells: readonly Cell[]): Row => {
  const first = cells[0];
  const state = first !== undefined && 'state' in first ? first : undefined;
  const values = (state === undefined ? cells : cells.slice(1)) as readonly Value[];
  return { table, state: state?.state, badState: state?.bad === true && !values.some(isBad), values };
};

/** The value that takes the place of the good ones of a column, where a target lacks them all. */
const insteadOf = (column: readonly Cell[]): readonly Cell[] =>
  [column.find((cell) => 'needs' in cell) ?? column[0]].filter((cell) => cell !== undefined);

/**
 * Rows in which every value of a table meets every good value of the other columns at least once. A bad value always stands
 * among good ones. Two exceptions: a value with `whatever` meets a bad value of each other column,
 * and a refused caller meets interns in any state.
 * Rows come in passes. The first has each value once, good ones before bad ones, and bad ones beside the plainest contents. No
 * row comes twice.
 * A target may lack all good values of a column, as of callers who may sign. A bad one then takes their place, with a credential where
 * there is any: who is refused, and how, shows all the same.
 */
export function cover(table: Table, random: () => number): readonly (readonly Row[])[] {
  const columns = columnsOf(table);
  const best = columns.map((column) => column.filter((cell) => !isBad(cell)));
  const lacks = best.findIndex((column) => column.length === 0);
  const good = columns.map((column, at) => (best[at]?.length === 0 ? insteadOf(column) : (best[at] ?? [])));
  if (good.some((column) => column.length === 0)) return [];
  const starts = good.map((column) => Math.floor(random() * column.length));
  /** A good value of a column; all of them come in turn. */
  const turn = (at: number, step: number): Cell => {
    const column = good[at] ?? [];
    return column[((starts[at] ?? 0) + step) % column.length] as Cell;
  };
  const [callers, contents] = table.parts;
  const beside = (at: number, step: number): Cell => (columns[at] === contents && good[at]?.[0]) || turn(at, step);
  const rests = (columns[0] ?? []).filter((cell) => 'state' in cell && AT_REST.has(cell.state));
  /** The state for a refused caller, which is a different one for each. */
  const forCaller = (at: number, nth: number, wrong: Cell): Cell | undefined =>
    at === 0 && rests.length > 0 && callers?.includes(wrong as Value) ? rests[nth % rests.length] : undefined;
  const most = Math.max(...good.map((column) => column.length));
  const before = new Set<string>();
  const isNew = (cells: readonly Cell[]): boolean => {
    const key = cells.map((cell, at) => columns[at]?.indexOf(cell)).join();
    return !before.has(key) && before.add(key) !== undefined;
  };
  /** Rows with two bad values, of which the first decides. */
  const twice = columns.flatMap((column, at) =>
    column
      .filter((cell) => 'whatever' in cell)
      .flatMap((cell, nth) =>
        columns.flatMap((others, other) => {
          const wrong = other === at ? [] : others.filter(isBad);
          const second = wrong[((starts[other] ?? 0) + nth) % wrong.length];
          return second === undefined || 'state' in second
            ? []
            : [columns.map((_, one) => (one === at ? cell : one === other ? second : beside(one, nth)))];
        }),
      ),
  );
  return Array.from({ length: most + 1 }, (_, pass) =>
    [
      ...Array.from({ length: most }, (_, count) => columns.map((_, at) => turn(at, count + pass * at))),
      // Behind a value that is bad for all, nothing else that is wrong would show.
      ...columns
        .slice(0, lacks < 0 ? undefined : lacks + 1)
        .flatMap((column, at) =>
          column
            .filter(isBad)
            .map((wrong, nth) =>
              columns.map((_, other) =>
                other === at
                  ? wrong
                  : (forCaller(other, pass + nth, wrong) ??
                    (pass === 0 ? beside(other, nth) : turn(other, pass + nth))),
              ),
            ),
        ),
      ...(pass === 0 ? twice : []),
    ]
      .filter(isNew)
      .map((cells) => rowOf(table, cells)),
  );
}
