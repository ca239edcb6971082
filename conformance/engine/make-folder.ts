import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder, and those above it that are missing. One by one: where a file system refuses by saying that there is no
 * such file, as /proc does, Node's own `recursive` tries for ever.
 *
 * @throws what the system says, or an Error that names the folder in which none can be made
 */
export function makeFolder(path: string): void {
  const folder = resolve(path);
  const above = dirname(folder);
  if (above !== folder && !existsSync(above)) makeFolder(above);
  try {
    mkdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new Error(`no folder can be made in ${above}`, { cause: error });
    if (code !== 'EEXIST' && !existsSync(folder)) throw error;
    if (!statSync(folder).isDirectory()) throw error;
  }
}
