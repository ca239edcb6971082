import type { IdempotencyRow } from '../../emulator/contract/state.js';
import type { CreateRequest } from '../../emulator/domain/create.js';
import type { Collection } from '../../emulator/store/store.js';
import type { Alterations } from './alterations.js';
import { inside } from './change.js';

/** Changes a create before it is done. */
export const creates = (change: (request: CreateRequest) => CreateRequest): Alterations => ({
  create: (usual) => (request) => usual(change(request)),
});

/** Changes how creates are remembered. */
export const memory = (change: (entries: Collection<IdempotencyRow>) => Collection<IdempotencyRow>): Alterations => ({
  store: (store) =>
    inside(store, 'collection', (collection) => {
      const usual = collection.bind(store);
      let changed: Collection<IdempotencyRow> | undefined;
      return ((name: 'idempotency') => {
        if (name !== 'idempotency') return usual(name);
        changed ??= change(usual(name));
        return changed;
      }) as typeof collection;
    }),
});

/** The functions of a collection, whatever object they are called on. */
export const forwarded = <R extends { id: string }>(rows: Collection<R>): Collection<R> => ({
  get size() {
    return rows.size;
  },
  get: (id) => rows.get(id),
  has: (id) => rows.has(id),
  values: () => rows.values(),
  put: (row) => rows.put(row),
  delete: (id) => rows.delete(id),
});

export const keyOf = (request: CreateRequest) => `${request.caller.id} ${request.key ?? JSON.stringify(request.body)}`;
