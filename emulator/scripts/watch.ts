import { type FSWatcher, statSync, watch } from 'node:fs';
import { basename, dirname, relative, resolve, sep } from 'node:path';

/** Calls `changed` whenever a file or an entry of a directory may have changed; the result stops it. */
export type WatchFiles = (path: string, changed: () => void) => () => void;

const isDirectory = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** The nearest existing directory above `path`. */
function nearest(path: string): string {
  let at = dirname(path);
  while (!isDirectory(at) && dirname(at) !== at) at = dirname(at);
  return at;
}

/**
 * Watches through the operating system. It watches the path, not what is there now: it notices a file or directory that
 * is replaced, or removed with the directories above it and made again.
 */
export const watchFiles: WatchFiles = (given, changed) => {
  const path = resolve(given);
  let watchers: FSWatcher[] = [];
  let stopped = false;

  const close = () => {
    for (const watcher of watchers) watcher.close();
    watchers = [];
  };
  /** Calls `notify` for a directory's entry `only`, or for any. */
  const open = (directory: string, only: string | undefined, notify: () => void) => {
    const watcher = watch(directory, { persistent: false }, (_event, name) => {
      if (!stopped && (only === undefined || name === null || name === only || name === basename(directory))) notify();
    });
    watcher.on('error', notify);
    watchers.push(watcher);
  };
  const again = () => {
    if (stopped) return;
    attach();
    changed();
  };
  const attach = () => {
    // A second look notices what is made while this goes on.
    for (let attempt = 0; attempt < 10; attempt++) {
      close();
      const above = nearest(path);
      try {
        open(above, relative(above, path).split(sep)[0], again);
        if (isDirectory(path)) open(path, undefined, changed);
      } catch {
        continue;
      }
      if (nearest(path) === above && isDirectory(path) === watchers.length > 1) return;
    }
  };
  attach();
  return () => {
    stopped = true;
    close();
  };
};
