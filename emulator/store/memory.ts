import { COLLECTIONS, type CollectionName, type Rows, STATE_VERSION, type State } from '../contract/state.js';
import type { Collection, Store } from './store.js';

/** What a table tells of its changes, to be written down: a row, or the id of one that is gone. */
export type OnChange = (name: CollectionName, id: string, row: Rows[CollectionName] | null) => void;

/** The in-memory tables that every kind of store serves from. */
export function createTables(onChange: OnChange = () => {}) {
  const maps = Object.fromEntries(Object.keys(COLLECTIONS).map((name) => [name, new Map()])) as {
    [N in CollectionName]: Map<string, Rows[N]>;
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
        rows.set(row.id, row);
        onChange(name, row.id, row);
      },
      delete(id) {
        const gone = rows.delete(id);
        if (gone) onChange(name, id, null);
        return gone;
      },
    };
  };
  const tables = Object.fromEntries(Object.keys(COLLECTIONS).map((name) => [name, collection(name as CollectionName)]));
  return {
    collection: <N extends CollectionName>(name: N) => tables[name] as unknown as Collection<Rows[N]>,
    snapshot(): State {
      const rows = Object.fromEntries(Object.entries(maps).map(([name, map]) => [name, [...map.values()]]));
      return structuredClone({ format: 'intern-emulator', version: STATE_VERSION, ...rows }) as State;
    },
    /** The rows themselves, each collection to be gone through as often as one likes. */
    rows: Object.fromEntries(
      Object.entries(maps).map(([name, map]) => [name, { [Symbol.iterator]: () => map.values() }]),
    ) as unknown as { readonly [N in CollectionName]: Iterable<Rows[N]> },
    /** Replaces every row without telling `onChange`. */
    load(rows: Readonly<Record<CollectionName, Iterable<{ id: string }>>>) {
      for (const name of Object.keys(COLLECTIONS) as CollectionName[]) {
        const map = maps[name] as Map<string, unknown>;
        map.clear();
        for (const row of rows[name]) map.set(row.id, row);
      }
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
