import { dirname, resolve } from 'node:path';
import { StoreError, systemReason } from './errors.js';
import type { Files } from './files.js';

/**
 * The path of a store's file, links followed. The file need not exist yet.
 *
 * @throws StoreError `foreign` if there is something other than a regular file, `unreadable` if the system does not say
 */
export function locate(files: Files, path: string): string {
  const look = <T>(read: () => T): T => {
    try {
      return read();
    } catch (error) {
      throw new StoreError('unreadable', path, `${path}: cannot read it: ${systemReason(error)}`, { cause: error });
    }
  };
  const stats = look(() => files.statSync(path, { throwIfNoEntry: false }));
  if (stats?.isFile()) return look(() => files.realpathSync(path));
  if (stats) {
    const what = stats.isDirectory()
      ? 'a directory'
      : stats.isFIFO()
        ? 'a FIFO'
        : stats.isSocket()
          ? 'a socket'
          : 'a device';
    throw new StoreError('foreign', path, `${path}: it is ${what}, not a file; it was left as it is`);
  }
  const link = look(() => files.lstatSync(path, { throwIfNoEntry: false }));
  // Create the target of the link: replacing the link itself would lose it.
  return link?.isSymbolicLink()
    ? locate(
        files,
        resolve(
          dirname(path),
          look(() => files.readlinkSync(path)),
        ),
      )
    : path;
}
