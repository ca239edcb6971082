import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The files that this process holds open in a folder: the paths of its descriptors, and its watched folders (Linux). */
export function heldOpen(folder: string): string[] {
  const inside = ['.', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })].map((name) => join(folder, name));
  const inodes = new Map(inside.map((path) => [statSync(path).ino.toString(16), path]));
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${descriptor}`);
      if (path.startsWith(folder)) return [path];
      if (!path.includes('inotify')) return [];
      const watches = readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8').matchAll(
        /^inotify .*? ino:([0-9a-f]+)/gm,
      );
      return [...watches].flatMap(([, inode = '']) => inodes.get(inode) ?? []);
    } catch {
      // The descriptor that the folder itself was read with is gone.
      return [];
    }
  });
}
