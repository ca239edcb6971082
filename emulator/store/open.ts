import { type FileStoreOptions, openFileStore } from './file.js';
import { createMemoryStore } from './memory.js';
import type { Store } from './store.js';

/**
 * The store in a file, or in memory without a path.
 *
 * @throws StoreError for a file that cannot be used
 */
export const openStore = (path: string | undefined, options: FileStoreOptions): Store =>
  path === undefined ? createMemoryStore() : openFileStore(path, options);
