import { isGood, type Row } from './cover.js';
import type { State, Table } from './value.js';

/** The state in which the request is accepted and that an intern reaches soonest. */
const soonest = ({ states }: Table): State | undefined =>
  states === undefined || states.good.includes('stopped') ? states && 'stopped' : states.good[0];

/** The operation, without the difference between it and its alias. */
const operationOf = ({ operation }: Table): string => operation.replace(/ alias$/, '');

/** The row with the first good value of each part. */
export const plainest = (table: Table): Row => ({
  table,
  state: undefined,
  badState: false,
  values: table.parts.flatMap((part) => part.find(({ bad }) => bad !== true) ?? []),
});

/** The mistake of a row, in a word that operations share. */
function kindOf({ badState, state, values }: Row): string | undefined {
  if (badState) return state;
  const wrong = values.find(({ bad }) => bad === true);
  return wrong === undefined ? undefined : (wrong.kind ?? wrong.name);
}

/** Least operations with a mistake in common, unless the mistake has a `kind`. */
const SHARED = 3;
const isNamed = ({ values }: Row): boolean => values.some(({ bad, kind }) => bad === true && kind !== undefined);

/** Rows by their mistake, one for each operation. */
function byKind(rows: readonly Row[]): ReadonlyMap<string, readonly Row[]> {
  const kinds = new Map<string, Row[]>();
  for (const row of rows) {
    const kind = kindOf(row);
    if (kind === undefined || (row.badState && row.state !== 'unknown')) continue;
    const same = kinds.get(kind) ?? [];
    if (!same.some(({ table }) => operationOf(table) === operationOf(row.table))) kinds.set(kind, [...same, row]);
  }
  return kinds;
}

/** The order of rows: writes, reads that show them, refused ones, and ones that use up their intern. */
const place = (row: Row): number => {
  const { method, uses } = row.table;
  if (uses === true && isGood(row)) return 4;
  if (!isGood(row)) return 3;
  return ['POST', 'PUT', 'PATCH', 'GET'].indexOf(method) < 0 ? 2 : method === 'GET' ? 1 : 0;
};

/**
 * The rows that come before all others, because time may be short: each operation once, and each mistake that several
 * operations share once, in turn by another operation.
 */
export function firstRows(plans: readonly (readonly Row[])[]): readonly Row[] {
  const good = plans
    .flatMap((rows) => rows.slice(0, 1))
    .filter(isGood)
    .map(({ table }) => plainest(table));
  const shared = [...byKind(plans.flat()).values()].filter((rows) => rows.length >= SHARED || rows.some(isNamed));
  const bad = shared.flatMap((rows, at) => rows[at % rows.length] ?? []);
  return [...good, ...bad]
    .map((row) => (row.badState ? row : { ...row, state: soonest(row.table) }))
    .toSorted((one, other) => place(one) - place(other));
}
