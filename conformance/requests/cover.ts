import type { State, Table, Value } from './value.js';

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

/** States that last, so that a row need not wait. */
const AT_REST: ReadonlySet<State> = new Set(['stopped', 'running', 'suspended', 'unknown']);

/** The columns of a table: its states, where it has any, and its parts. */
const columnsOf = ({ states, parts }: Table): readonly (readonly Cell[])[] => [
  ...(states === undefined
    ? []
    : [[...states.good.map((state) => ({ state, bad: false })), ...states.bad.map((state) => ({ state, bad: true }))]]),
  ...parts,
];

/** The row of one value from each column. Beside a bad value, a bad state does not count as the mistake. */
const rowOf = (table: Table, cells: readonly Cell[]): Row => {
  const first = cells[0];
  const state = first !== undefined && 'state' in first ? first : undefined;
  const values = (state === undefined ? cells : cells.slice(1)) as readonly Value[];
  return { table, state: state?.state, badState: state?.bad === true && !values.some(isBad), values };
};

/** The bad value that replaces the good ones of a column if the target lacks them all. */
const insteadOf = (column: readonly Cell[]): readonly Cell[] =>
  [column.find((cell) => 'needs' in cell) ?? column[0]].filter((cell) => cell !== undefined);

/**
 * Rows in which every value of a table meets every good value of the other columns at least once. A row has at most one bad
 * value, with two exceptions: a value with `whatever` meets a bad value of each other column, and a
 * body that is no JSON object; and a refused caller meets any state that lasts, or all if it sees no intern. Each refused caller also meets a good state, in which only the caller is wrong.
 *
 * Rows come in passes, each row once. The first pass has each value: good ones before bad ones, and bad ones beside the
 * plainest contents. A refused caller has any good contents.
 *
 * A target may lack all good values of a column, such as callers who may sign. A bad value, if possible with a credential, then
 * replaces them, so that refusals are still seen.
 *
 * @param pairs whether each two kinds of mistakes meet, too
 */
export function cover(table: Table, random: () => number, pairs = false): readonly (readonly Row[])[] {
  const columns = columnsOf(table);
  const best = columns.map((column) => column.filter((cell) => !isBad(cell)));
  const lacks = best.findIndex((column) => column.length === 0);
  const good = columns.map((column, at) => (best[at]?.length === 0 ? insteadOf(column) : (best[at] ?? [])));
  if (good.some((column) => column.length === 0)) return [];
  const starts = good.map((column) => Math.floor(random() * column.length));
  /** A good value of a column, each in its turn. */
  const turn = (at: number, step: number): Cell => {
    const column = good[at] ?? [];
    return column[((starts[at] ?? 0) + step) % column.length] as Cell;
  };
  const [callers, contents] = table.parts;
  /** A good value beside a bad one: a state that lasts, the plainest contents, any other. */
  const beside = (at: number, step: number): Cell => {
    const lasting = at === 0 ? (good[0] ?? []).filter((cell) => 'state' in cell && AT_REST.has(cell.state)) : [];
    if (lasting.length > 0) return lasting[((starts[0] ?? 0) + step) % lasting.length] as Cell;
    return (columns[at] === contents && good[at]?.[0]) || turn(at, step);
  };
  const rests = (columns[0] ?? []).filter((cell) => 'state' in cell && AT_REST.has(cell.state));
  const draws = columns.map(() => random());
  const firstState = Math.floor(random() * rests.length);
  /**
   * The states for a refused caller: the next one that lasts. A bad one is replaced by a good one, or gets a row beside it. A
   * caller who sees no intern meets them all, because the state must not show.
   */
  const statesFor = (nth: number, wrong: Cell, pass: number): readonly (Cell | undefined)[] => {
    if (pass === 0 && 'blind' in wrong && rests.length > 0) return rests;
    const at = nth + firstState;
    const state = callers?.includes(wrong as Value) === true ? rests[at % rests.length] : undefined;
    if (state === undefined || !isBad(state) || 'whatever' in wrong) return [state];
    return at % 2 === 0 ? [undefined] : [state, undefined];
  };
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
          const wrong = other === at ? [] : others.filter((one): one is Value => isBad(one) && !('state' in one));
          // A service may read the JSON of a body before it knows the caller.
          const unread = wrong.filter(({ kind }) => kind === 'no object');
          const seconds = [wrong, others === contents ? unread : []].flatMap(
            (some) => some[Math.floor((draws[other] ?? 0) * some.length + nth) % some.length] ?? [],
          );
          return [...new Set(seconds)].map((second) =>
            columns.map((_, one) => (one === at ? cell : one === other ? second : beside(one, nth))),
          );
        }),
      ),
  );
  /** The first mistake of each kind in a column. */
  const kinds = columns.map((column) => [
    ...new Map(
      column.filter(isBad).flatMap((cell) => {
        const kind = 'state' in cell ? cell.state : (cell.kind ?? (cell.whatever && cell.name));
        return kind === undefined ? [] : [[kind, cell] as const];
      }),
    ).values(),
  ]);
  const two = kinds.flatMap((ones, at) =>
    kinds.flatMap((others, other) =>
      !pairs || other <= at
        ? []
        : ones.flatMap((one) =>
            others.map((second) =>
              columns.map((_, nth) => (nth === at ? one : nth === other ? second : beside(nth, 0))),
            ),
          ),
    ),
  );
  return Array.from({ length: most + 1 }, (_, pass) =>
    [
      ...Array.from({ length: most }, (_, count) => columns.map((_, at) => turn(at, count + pass * at))),
      // A value with `whatever` would hide any other mistake.
      ...columns.slice(0, lacks < 0 ? undefined : lacks + 1).flatMap((column, at) =>
        column.filter(isBad).flatMap((wrong, nth) =>
          statesFor(pass + nth, wrong, pass).map((state, row) =>
            columns.map((_, other) => {
              if (other === at) return wrong;
              if (other === 0 && state !== undefined) return state;
              return pass === 0 && column !== callers ? beside(other, nth) : turn(other, pass + nth + row);
            }),
          ),
        ),
      ),
      ...(pass === 0 ? [...twice, ...two] : []),
    ]
      .filter(isNew)
      .map((cells) => rowOf(table, cells)),
  );
}
