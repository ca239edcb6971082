import { appendFileSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { FileInvalid, textOfFile } from '../../emulator/contract/file.js';
import { createOwnership, type LedgerEntry } from '../model/ownership.js';
import { isRecord, jsonOf } from '../probe/json.js';
import { CREDENTIAL_NAMES } from '../probe/request.js';

/**
 * Makes a folder and its missing parents, one by one: where a file system refuses by saying that there is no
 * such file, as /proc does, Node's own `recursive` tries for ever.
 *
 * @throws the error of the system, or an Error that names the folder in which none can be made
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

/**
 * A list of everything that a run has made: with the file, anybody can delete it. Without a path nothing is written. Lines are on disk
 * when `write` returns. `entries`: those of an earlier run.
 */
export function createLedger(path?: string, entries: readonly LedgerEntry[] = []) {
  if (path !== undefined) makeFolder(dirname(path));
  return {
    path,
    entries,
    write(entry: LedgerEntry) {
      if (path !== undefined) appendFileSync(path, `${JSON.stringify(entry)}\n`, { flush: true });
    },
  };
}
export type Ledger = ReturnType<typeof createLedger>;

const isText = (value: unknown): value is string => typeof value === 'string';

/** A line of a ledger; undefined for an invalid one, such as the last of a run that was killed while it wrote. */
function entryOf(line: string): LedgerEntry | undefined {
  const found = jsonOf(line);
  if (!isRecord(found)) return undefined;
  const { event, id, name, run, url, prefix, path } = found;
  const as = CREDENTIAL_NAMES.find((one) => one === found.as);
  if (event === 'run')
    return isText(run) && isText(url) && isText(prefix) ? { event, run, url, prefix, at: '' } : undefined;
  if (event === 'creating') return isText(name) && as !== undefined ? { event, name, as } : undefined;
  if (event === 'created') return isText(id) && isText(name) && as !== undefined ? { event, id, name, as } : undefined;
  if (event === 'stored' || event === 'removed')
    return isText(path) && as !== undefined ? { event, path, as } : undefined;
  return (event === 'deleting' || event === 'gone') && isText(id) ? { event, id } : undefined;
}

export const prefixOf = (run: string): string => `k${run}-`;

/**
 * A ledger of an earlier run. Anybody may have written the file: it says which ids to look for, and is trusted no further.
 *
 * @throws FileInvalid with a line that says what is wrong with the file
 */
export function readLedger(path: string) {
  const left = createOwnership({ ledger: createLedger() });
  const [first = '', ...lines] = textOfFile(path, path).split('\n');
  const head = entryOf(first);
  if (head?.event !== 'run')
    throw new FileInvalid(`${path}:`, 'expected the first line to say which run and target it is of');
  if (!/^[a-z0-9]{4}$/.test(head.run) || head.prefix !== prefixOf(head.run))
    throw new FileInvalid(
      `${path}:`,
      `expected a run of four letters and digits and the beginning of its names, got ${JSON.stringify(head.run)} and ${JSON.stringify(head.prefix)}`,
    );
  for (const line of lines) {
    const entry = entryOf(line);
    if (entry !== undefined) left.note(entry);
  }
  const entries: readonly LedgerEntry[] = [
    ...left.creators().map((as) => ({ event: 'creating', name: '', as }) as const),
    ...left.open().map(({ id, name, as }) => ({ event: 'created', id, name, as }) as const),
    ...left.stored().map((one) => ({ event: 'stored', ...one }) as const),
  ];
  return { run: head.run, url: head.url, entries };
}
