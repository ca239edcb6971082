import type { Adapter, AdapterPayload } from 'oidc-provider';

/** Entries of one kind kept at most; the oldest go first. The provider checks which are still valid. */
const MOST = 5_000;

/**
 * The provider's sessions, grants and tokens: in memory, apart from the emulator's store, gone with the
 * process. One storage serves one provider.
 */
export function createAdapterFactory(): (name: string) => Adapter {
  const kinds = new Map<string, Map<string, AdapterPayload>>();

  return (name) => {
    const rows = kinds.get(name) ?? new Map<string, AdapterPayload>();
    kinds.set(name, rows);
    const findBy = (key: 'uid' | 'userCode', value: string) => {
      for (const row of rows.values()) if (row[key] === value) return row;
      return undefined;
    };
    return {
      async upsert(id, payload) {
        rows.delete(id);
        rows.set(id, payload);
        for (const oldest of rows.keys()) {
          if (rows.size <= MOST) break;
          rows.delete(oldest);
        }
      },
      find: async (id) => rows.get(id),
      findByUid: async (uid) => findBy('uid', uid),
      findByUserCode: async (userCode) => findBy('userCode', userCode),
      async consume(id) {
        const row = rows.get(id);
        // Any value will do: the provider asks whether there is one.
        if (row) rows.set(id, { ...row, consumed: true });
      },
      async destroy(id) {
        rows.delete(id);
      },
      async revokeByGrantId(grantId) {
        for (const kind of kinds.values()) {
          for (const [id, row] of kind) if (row.grantId === grantId) kind.delete(id);
        }
      },
    };
  };
}
