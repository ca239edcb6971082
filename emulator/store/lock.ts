import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { nameBeside } from '../contract/replace-file.js';
import { StoreError, systemReason } from './errors.js';
import type { Files } from './files.js';

/** The holder of a store, with enough to distinguish a live process from a dead one whose number was reused. */
interface Holder {
  pid: number;
  /** When the process started, as the system counts it; null if the system does not say. */
  started: string | null;
  host: string;
  /** The scope of process numbers: kernel and namespace; null if the system does not say. */
  space: string | null;
}

/** The facts of the host that a lock needs, besides its files. Without it, a lock of another host is known by its age alone. */
export interface LockHost {
  /** Calls `renew` again and again, `ms` apart, without keeping the process alive; the result stops it. */
  every(ms: number, renew: () => void): () => void;
  /** Waits, and blocks the process. */
  wait(ms: number): void;
}

/**
 * A held lock is renewed this often (its file's time is set). Without renewal it counts as abandoned after this long.
 */
export const RENEWED_EVERY_MS = 2_000;
export const LEFT_AFTER_MS = 10_000;

/**
 * State and start of a process (fields 3 and 22 of its stat line), if the system shows them. The start, in ticks since
 * boot, distinguishes it from others that had its number.
 */
function statOf(pid: number): { state: string | null; started: string | null } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? null, started: fields[19] ?? null };
  } catch {
    return { state: null, started: null };
  }
}

function ownSpace(): string | null {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return null;
  }
}

const self = (): Holder => ({
  pid: process.pid,
  started: statOf(process.pid).started,
  host: hostname(),
  space: ownSpace(),
});

/** Whether a process number means the same to the holder and to us. */
function isNear(holder: Holder): boolean {
  const space = ownSpace();
  return holder.space !== null && space !== null ? holder.space === space : holder.host === hostname();
}

/** Why the holder cannot be running any more; undefined if it may be. */
function goneBecause(files: Files, file: string, holder: Holder, host: LockHost | undefined): string | undefined {
  if (!isNear(holder)) return notRenewed(files, file, host);
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH' ? 'no such process' : undefined;
  }
  const { state, started } = statOf(holder.pid);
  // Killed, and not yet collected by its parent: it has no files open any more.
  if (state === 'Z' || state === 'X') return 'the process has ended';
  const another = started !== null && holder.started !== null && started !== holder.started;
  return another ? 'the process of this number is another one' : undefined;
}

/**
 * A holder on another host is known by its lock alone, which it renews while it lives. Waits for that if the lock is
 * young.
 */
function notRenewed(files: Files, file: string, host: LockHost | undefined): string | undefined {
  const timeOf = () => files.statSync(file).mtimeMs;
  const last = timeOf();
  // The time of the file system, which may differ from ours.
  const probe = nameBeside(file);
  files.writeFileSync(probe, '', { flag: 'wx', mode: 0o600 });
  let age = files.statSync(probe).mtimeMs - last;
  files.unlinkSync(probe);
  while (age < LEFT_AFTER_MS) {
    if (!host) return undefined;
    host.wait(POLL_MS);
    if (timeOf() !== last) return undefined;
    age += POLL_MS;
  }
  return `it was last renewed ${Math.round(age / 1_000)} s ago, and a running emulator renews it every ${RENEWED_EVERY_MS / 1_000} s`;
}

const POLL_MS = 250;

function readHolder(files: Files, file: string): Holder | undefined {
  try {
    if (!files.statSync(file).isFile()) return undefined;
    const holder = JSON.parse(files.readFileSync(file, 'utf8')) as Partial<Holder>;
    if (typeof holder.pid !== 'number' || typeof holder.host !== 'string') return undefined;
    return { pid: holder.pid, started: holder.started ?? null, host: holder.host, space: holder.space ?? null };
  } catch {
    return undefined;
  }
}

/** Creates `file` with its whole text at once, so that nobody reads half a lock. Returns false if the file exists. */
function createWhole(files: Files, file: string): boolean {
  const own = nameBeside(file);
  const text = `${JSON.stringify(self())}\n`;
  files.writeFileSync(own, text, { flag: 'wx', mode: 0o600 });
  try {
    files.linkSync(own, file);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    if (!NO_LINKS.has(code ?? '')) throw error;
    return createPlainly(files, file, text);
  } finally {
    files.unlinkSync(own);
  }
}

/** The errors of file systems without hard links. */
const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

function createPlainly(files: Files, file: string, text: string): boolean {
  try {
    files.writeFileSync(file, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Removes the lock of a dead process. A second lock guards this, so that only one process at a time removes it. */
function removeStale(files: Files, file: string, gone: (file: string, holder: Holder) => boolean): void {
  const guard = `${file}.takeover`;
  if (!createWhole(files, guard)) {
    const holder = readHolder(files, guard);
    if (holder && gone(guard, holder)) files.unlinkSync(guard);
    return;
  }
  try {
    const holder = readHolder(files, file);
    if (holder && gone(file, holder)) files.unlinkSync(file);
  } finally {
    files.unlinkSync(guard);
  }
}

const isOurs = (holder: Holder | undefined): boolean => holder?.pid === process.pid && holder.host === hostname();

/** Sets a lock's time, by the clock of its file system: its first byte is written once more. */
function touch(files: Files, file: string): void {
  const fd = files.openSync(file, 'r+');
  try {
    files.writeSync(fd, Buffer.from('{'), 0, 1, 0);
  } finally {
    files.closeSync(fd);
  }
}

/**
 * Renews the lock until it is released. A lock that was removed by hand is gone, or belongs to another process by now.
 */
function held(files: Files, file: string, host: LockHost | undefined): () => void {
  const stop = host?.every(RENEWED_EVERY_MS, () => {
    try {
      if (isOurs(readHolder(files, file))) touch(files, file);
    } catch {
      // It is renewed again soon, unless the disk is gone, which the next commit finds out.
    }
  });
  return () => {
    stop?.();
    if (isOurs(readHolder(files, file))) files.unlinkSync(file);
  };
}

/** The report of a lock that was taken over: its owner, and how the owner is known to be gone. */
export type TakenOver = (evidence: { lock: string; holder: string; evidence: string }) => void;

/**
 * Takes the store at `path` for this process by a file `<path>.lock` beside it. The lock of a process that no longer
 * runs is taken over, and reported to `takenOver`. Returns how to release it.
 *
 * @throws StoreError `locked` while another process, or another emulator in this one, has the store open; `unwritable`
 *   if no file can be created
 */
export function lock(files: Files, path: string, host?: LockHost, takenOver: TakenOver = () => {}): () => void {
  const file = `${path}.lock`;
  try {
    for (let attempt = 0; attempt < 3; attempt++) {
      if (createWhole(files, file)) return held(files, file, host);
      const holder = readHolder(files, file);
      if (!holder) throw new StoreError('locked', path, `${path}: ${file} is not a lock of ours; remove it to open`);
      const evidence = goneBecause(files, file, holder, host);
      if (evidence === undefined) throw heldBy(holder, path, file);
      removeStale(files, file, (of, one) => goneBecause(files, of, one, host) !== undefined);
      takenOver({ lock: file, holder: nameOf(holder), evidence });
    }
  } catch (error) {
    if (error instanceof StoreError) throw error;
    throw new StoreError('unwritable', path, `${path}: cannot write beside it: ${systemReason(error)}`, {
      cause: error,
    });
  }
  throw new StoreError('locked', path, `${path}: another process is opening it; try again`);
}

const nameOf = ({ pid, host }: Holder): string => `process ${pid}${host === hostname() ? '' : ` on ${host}`}`;

function heldBy(holder: Holder, path: string, file: string): StoreError {
  const near = isNear(holder);
  const who = near && holder.pid === process.pid ? 'this process already' : nameOf(holder);
  // If the system does not say when a process started, its number may belong to another by now.
  const certain = near && (holder.started !== null || holder.pid === process.pid);
  const advice = certain ? '' : `; remove ${file} if that is not an emulator any more`;
  return new StoreError('locked', path, `${path}: in use by ${who}${advice}`);
}
