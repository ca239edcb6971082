import * as fs from 'node:fs';

/** The file system as the store uses it: one seam, so that tests can stop a process at any step of it. */
export type Files = Pick<
  typeof fs,
  | 'chmodSync'
  | 'closeSync'
  | 'existsSync'
  | 'fdatasyncSync'
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

/** Writes all of `bytes` at `position`, in as many calls as needed. Returns where they end. */
export function writeAll(files: Files, fd: number, bytes: Uint8Array, position: number): number {
  for (let done = 0; done < bytes.length; ) {
    done += files.writeSync(fd, bytes, done, bytes.length - done, position + done);
  }
  return position + bytes.length;
}
