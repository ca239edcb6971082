import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { StoreError, systemReason } from './errors.js';
import type { Files } from './files.js';

/** Who holds a store: enough to tell a live process from one that is gone, its number given to another. */
interface Holder {
  pid: number;
  /** When the process started, as the system counts it; null where the system does not say. */
  started: string | null;
  host: string;
}

/**
 * State and start of a process (fields 3 and 22 of its stat line), where the system tells. The start, in ticks since
 * boot, tells it from others that had its number.
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

const self = (): Holder => ({ pid: process.pid, started: statOf(process.pid).started, host: hostname() });

function isGone(holder: Holder): boolean {
  if (holder.host !== hostname()) return false;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
  const { state, started } = statOf(holder.pid);
  // Killed, and not yet waited for by its parent: it has no files open any more.
  if (state === 'Z' || state === 'X') return true;
  return started !== null && holder.started !== null && started !== holder.started;
}

function readHolder(files: Files, file: string): Holder | undefined {
  try {
    const holder = JSON.parse(files.readFileSync(file, 'utf8')) as Partial<Holder>;
    if (typeof holder.pid !== 'number' || typeof holder.host !== 'string') return undefined;
    return { pid: holder.pid, started: holder.started ?? null, host: holder.host };
  } catch {
    return undefined;
  }
}

/** Creates `file` with its whole text at once, or tells that it exists: no one ever reads half a lock. */
function createWhole(files: Files, file: string): boolean {
  const own = `${file}.${process.pid}`;
  const text = `${JSON.stringify(self())}\n`;
  files.writeFileSync(own, text, { mode: 0o600 });
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

/** What file systems without hard links answer. */
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

/** Removes the lock of a process that is gone. Under a lock of its own, so that of two that try only one does. */
function removeStale(files: Files, file: string): void {
  const guard = `${file}.takeover`;
  if (!createWhole(files, guard)) {
    const holder = readHolder(files, guard);
    if (holder && isGone(holder)) files.unlinkSync(guard);
    return;
  }
  try {
    const holder = readHolder(files, file);
    if (holder && isGone(holder)) files.unlinkSync(file);
  } finally {
    files.unlinkSync(guard);
  }
}

/** Removes the lock of this process. One that was removed by hand is gone already, or another process's by now. */
function release(files: Files, file: string): void {
  const holder = readHolder(files, file);
  if (holder?.pid === process.pid && holder.host === hostname()) files.unlinkSync(file);
}

/**
 * Takes the store at `path` for this process by a file `<path>.lock` beside it. The lock of a process that no longer
 * runs is taken over. Returns how to let go.
 *
 * @throws StoreError `locked` while another process, or another emulator in this one, has the store open; `unwritable`
 *   where no file can be created
 */
export function lock(files: Files, path: string): () => void {
  const file = `${path}.lock`;
  try {
    for (let attempt = 0; attempt < 3; attempt++) {
      if (createWhole(files, file)) return () => release(files, file);
      const holder = readHolder(files, file);
      if (!holder) throw new StoreError('locked', path, `${path}: ${file} is not a lock of ours; remove it to open`);
      if (!isGone(holder)) throw heldBy(holder, path, file);
      removeStale(files, file);
    }
  } catch (error) {
    if (error instanceof StoreError) throw error;
    throw new StoreError('unwritable', path, `${path}: cannot write beside it: ${systemReason(error)}`, {
      cause: error,
    });
  }
  throw new StoreError('locked', path, `${path}: another process is opening it; try again`);
}

function heldBy(holder: Holder, path: string, file: string): StoreError {
  const here = holder.host === hostname();
  const who =
    here && holder.pid === process.pid
      ? 'this process already'
      : `process ${holder.pid}${here ? '' : ` on ${holder.host}`}`;
  // Where the system doesn't say when a process started, its number may be another's by now.
  const certain = here && (holder.started !== null || holder.pid === process.pid);
  const advice = certain ? '' : `; remove ${file} if that is no emulator any more`;
  return new StoreError('locked', path, `${path}: in use by ${who}${advice}`);
}
