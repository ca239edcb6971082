import { constants } from 'node:fs';
import { NO_LINK } from '../contract/replace-file.js';
import type { CollectionName } from '../contract/state.js';
import { crc32 } from './crc32.js';
import { Damage, Foreign } from './errors.js';
import { type Files, writeAll } from './files.js';
import type { PathState } from './hold.js';

/** A change of a row: its new value, or the id of a deleted one. */
export type LoggedChange = ['put', CollectionName, { id: string }] | ['delete', CollectionName, string];

/** Changes that were written together. Commits are numbered from 1 without a gap, over the whole life of a store. */
export interface LogEntry {
  commit: number;
  changes: LoggedChange[];
}

const HEAD_START = '{"crc":"';
const HEAD = '{"crc":"00000000",';

const checksum = (text: string | Uint8Array) => crc32(text).toString(16).padStart(8, '0');

/** One line of the log: JSON, whose first member is the checksum of the bytes that follow it. */
export function encodeEntry({ commit, changes }: LogEntry): Buffer {
  const rest = `"commit":${commit},"changes":${JSON.stringify(changes)}}`;
  return Buffer.from(`{"crc":"${checksum(rest)}",${rest}\n`);
}

function decodeEntry(line: Buffer): LogEntry | undefined {
  const head = line.toString('latin1', 0, HEAD.length);
  if (!/^\{"crc":"[0-9a-f]{8}",$/.test(head)) return undefined;
  const rest = line.subarray(HEAD.length);
  if (checksum(rest) !== head.slice(8, 16)) return undefined;
  return JSON.parse(line.toString()) as LogEntry;
}

/** Throws if a file is not a log of ours. A log that was cut off, or never reached the disk, is one. */
export function checkOurs(file: string, bytes: Buffer): void {
  const start = bytes.toString('latin1', 0, HEAD_START.length);
  if (HEAD_START.startsWith(start) || bytes.every((byte) => byte === 0)) return;
  throw new Foreign(file, 'it is not a log of intern-emulator, but is where the log of the store belongs');
}

/**
 * The entries of a log that come after commit `after`, and how many bytes of it to keep. A last line without its end is
 * what a process killed while writing leaves behind. It was never acknowledged, and is skipped. Any other line that is
 * not as it was written is damage.
 */
export function readLog(file: string, bytes: Buffer, after: number): { entries: LogEntry[]; whole: number } {
  checkOurs(file, bytes);
  const entries: LogEntry[] = [];
  let whole = 0;
  let previous: number | undefined;
  for (let line = 1; whole < bytes.length; line++) {
    const end = bytes.indexOf(0x0a, whole);
    if (end === -1) break;
    const entry = decodeEntry(bytes.subarray(whole, end));
    if (!entry) throw new Damage(file, `line ${line} is not as it was written (its checksum does not match)`);
    const expected = previous === undefined ? Math.min(entry.commit, after + 1) : previous + 1;
    if (entry.commit !== expected) {
      throw new Damage(file, `line ${line} holds commit ${entry.commit} where commit ${expected} was expected`);
    }
    previous = entry.commit;
    if (entry.commit > after) entries.push(entry);
    whole = end + 1;
  }
  // Entries that the snapshot already holds are useless, and would leave a gap before the next.
  return { entries, whole: entries.length === 0 ? 0 : whole };
}

/** Opens the log at `file` for appending behind its first `whole` bytes. `fsync` waits for the disk with each entry. */
export function createLogWriter(files: Files, file: string, whole: number, fsync: boolean) {
  const fd = files.openSync(file, constants.O_RDWR | constants.O_CREAT | NO_LINK, 0o600);
  let size = whole;
  /** Whether there may be bytes behind the last whole entry. */
  let torn = true;
  const trim = () => {
    if (torn) files.ftruncateSync(fd, size);
    torn = false;
  };
  /** Bytes that could not be cut off now are cut before the next entry is written; they were reported as failed. */
  const tryTrim = () => {
    try {
      trim();
    } catch {}
  };
  trim();
  return {
    /** Bytes of whole entries in the file. */
    get size() {
      return size;
    },
    /** Hands an entry to the operating system: all of it, or nothing if it throws. */
    append(entry: LogEntry): void {
      trim();
      torn = true;
      try {
        const end = writeAll(files, fd, encodeEntry(entry), size);
        if (fsync) files.fdatasyncSync(fd);
        size = end;
      } catch (error) {
        tryTrim();
        throw error;
      }
      torn = false;
    },
    clear(): void {
      size = 0;
      torn = true;
      tryTrim();
    },
    place(): PathState {
      const now = files.statSync(file, { throwIfNoEntry: false });
      if (now === undefined) return 'gone';
      const own = files.fstatSync(fd);
      return now.ino === own.ino && now.dev === own.dev ? 'kept' : 'replaced';
    },
    close: (): void => files.closeSync(fd),
  };
}

/** The end of a log, open for writing. */
export type LogWriter = ReturnType<typeof createLogWriter>;
