import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';

/** Opens no link in place of a file; Windows has no such flag. */
export const NO_LINK = fs.constants.O_NOFOLLOW ?? 0;

/** The file system as far as a file is replaced, so that tests can stop a process at any step. */
export type ReplacingFiles = Pick<typeof fs, 'closeSync' | 'fdatasyncSync' | 'openSync' | 'renameSync' | 'unlinkSync'>;

/** A name beside a file that nobody can know before. */
export const nameBeside = (file: string): string => `${file}.${randomBytes(9).toString('base64url')}`;

const UNFINISHED = /\.[\w-]{12}\.tmp$/;

/** Removes what processes that were killed left of files that begin with `name`, in a folder that may be missing. */
export function removeUnfinished(folder: string, name = ''): void {
  if (!fs.lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  for (const entry of fs.readdirSync(folder))
    if (entry.startsWith(name) && UNFINISHED.test(entry)) fs.rmSync(join(folder, entry), { force: true });
}

/**
 * Writes a file whole or not at all, with the mode it shall have: `fill` writes to a new file beside it, of a name that
 * nobody can know before, which then takes the name. A link at the name is replaced, and never followed.
 *
 * @returns what `fill` returns; where that is false, the file stays as it was
 */
export function replaceFile<T>(path: string, mode: number, fill: (file: number) => T, files: ReplacingFiles = fs): T {
  const next = `${nameBeside(path)}.tmp`;
  const { O_CREAT, O_EXCL, O_WRONLY } = fs.constants;
  const file = files.openSync(next, O_CREAT | O_EXCL | O_WRONLY | NO_LINK, mode);
  try {
    let filled: T;
    try {
      filled = fill(file);
      files.fdatasyncSync(file);
    } finally {
      files.closeSync(file);
    }
    if (filled === false) files.unlinkSync(next);
    else files.renameSync(next, path);
    return filled;
  } catch (error) {
    try {
      files.unlinkSync(next);
    } catch {}
    throw error;
  }
}
