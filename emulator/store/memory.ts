import { COLLECTIONS, type CollectionName, type Rows, STATE_VERSION, type State } from '../contract/state.js';
import { COUNTED, NEWEST_KEPT } from './limits.js';
import type { Collection, Store } from './store.js';

/** A change of a row: its earlier value, undefined if it did not exist. Its present value is in the table. */
export interface StoredChange {
  readonly collection: CollectionName;
  readonly id: string;
  readonly before: Rows[CollectionName] | undefined;
  /** Whether the row was deleted. */
  readonly gone: boolean;
}

const NAMES = Object.keys(COLLECTIONS) as CollectionName[];

type RowSets = Readonly<Record<CollectionName, Iterable<{ id: string }>>>;

/** The in-memory tables behind every kind of store. `onChange` is called with each change of a row. */
export function createTables(onChange: (change: StoredChange) => void = () => {}) {
  const maps = Object.fromEntries(NAMES.map((name) => [name, new Map()])) as {
    [N in CollectionName]: Map<string, Rows[N]>;
  };
  /** Ids of the rows that count in the bounded collections, oldest first. */
  const counted = Object.fromEntries(Object.keys(COUNTED).map((name) => [name, new Set<string>()])) as {
    [N in CollectionName]?: Set<string>;
  };

  const tableOf = (name: CollectionName) => maps[name] as Map<string, Rows[CollectionName]>;
  const set = (name: CollectionName, row: Rows[CollectionName]) => {
    tableOf(name).set(row.id, row);
    if ((COUNTED[name] as ((row: unknown) => boolean) | undefined)?.(row)) counted[name]?.add(row.id);
    else counted[name]?.delete(row.id);
  };
  const remove = (name: CollectionName, id: string): boolean => {
    counted[name]?.delete(id);
    return tableOf(name).delete(id);
  };
  const change = (name: CollectionName, id: string, work: () => void) => {
    const before = tableOf(name).get(id);
    work();
    onChange({ collection: name, id, before, gone: !tableOf(name).has(id) });
  };
  const trim = (name: CollectionName) => {
    for (const oldest of counted[name] ?? []) {
      if ((counted[name]?.size ?? 0) <= NEWEST_KEPT) return;
      change(name, oldest, () => remove(name, oldest));
    }
  };

  const collection = <N extends CollectionName>(name: N): Collection<Rows[N]> => {
    const rows = maps[name] as Map<string, Rows[N]>;
    return {
      get size() {
        return rows.size;
      },
      get: (id) => rows.get(id),
      has: (id) => rows.has(id),
      values: () => rows.values(),
      put(row) {
        change(name, row.id, () => set(name, row));
        trim(name);
      },
      delete(id) {
        const found = rows.has(id);
        if (found) change(name, id, () => remove(name, id));
        return found;
      },
    };
  };
  const tables = Object.fromEntries(NAMES.map((name) => [name, collection(name)]));
  const keep = () => Object.fromEntries(NAMES.map((name) => [name, [...tableOf(name).values()]]));
  return {
    collection: <N extends CollectionName>(name: N) => tables[name] as unknown as Collection<Rows[N]>,
    /** The rows as they are now. They are values, shared and never changed: later changes put others in their place. */
    snapshot: (): State => ({ format: 'intern-emulator', version: STATE_VERSION, ...keep() }) as unknown as State,
    /** The rows themselves; each collection can be iterated repeatedly. */
    rows: Object.fromEntries(
      Object.entries(maps).map(([name, map]) => [name, { [Symbol.iterator]: () => map.values() }]),
    ) as unknown as { readonly [N in CollectionName]: Iterable<Rows[N]> },
    /** Replaces every row without calling `onChange`, except for the rows beyond the bound. */
    load(rows: RowSets) {
      for (const name of NAMES) {
        tableOf(name).clear();
        counted[name]?.clear();
        for (const row of rows[name]) set(name, row as Rows[CollectionName]);
        trim(name);
      }
    },
    /** Restores the value of a row before a change. */
    undo({ collection: name, id, before }: Pick<StoredChange, 'collection' | 'id' | 'before'>) {
      if (before === undefined) remove(name, id);
      else set(name, before);
    },
  };
}

/** A store that forgets everything when the process ends. */
export function createMemoryStore(): Store {
  const tables = createTables();
  return {
    collection: tables.collection,
    commit: () => Promise.resolve(),
    snapshot: tables.snapshot,
    async replace(state) {
      tables.load(state);
    },
    close: () => Promise.resolve(),
  };
}
