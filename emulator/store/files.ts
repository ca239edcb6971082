import * as fs from 'node:fs';

/** The file system as the store uses it: one seam, so that tests can stop a process at any step of it. */
export type Files = Pick<
  typeof fs,
  | 'closeSync'
  | 'existsSync'
  | 'fdatasyncSync'
  | 'fstatSync'
  | 'ftruncateSync'
  | 'linkSync'
  | 'lstatSync'
  | 'openSync'
  | 'readFileSync'
  | 'readlinkSync'
  | 'realpathSync'
  | 'renameSync'
  | 'statSync'
  | 'unlinkSync'
  | 'writeFileSync'
> & { writeSync(fd: number, bytes: Uint8Array, offset: number, length: number, position: number): number };

export const realFiles: Files = fs;

/** The first name that no file has yet: `NAME-1`, `NAME-2`, …; with each of the ends. */
export function freeName(files: Files, name: string, ...ends: readonly string[]): string {
  let number = 1;
  while (ends.some((end) => files.existsSync(`${name}-${number}${end}`))) number++;
  return `${name}-${number}`;
}

/** Writes all of `bytes` at `position`, in as many calls as needed. Returns where they end. */
export function writeAll(files: Files, fd: number, bytes: Uint8Array, position: number): number {
  for (let done = 0; done < bytes.length; ) {
    done += files.writeSync(fd, bytes, done, bytes.length - done, position + done);
  }
  return position + bytes.length;
}
