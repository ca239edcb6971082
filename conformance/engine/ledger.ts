import { appendFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { textOfFile } from '../../emulator/contract/file.js';
import type { Made } from '../habits/known.js';
import type { Entry, Stored } from '../model/ownership.js';
import { isRecord, jsonOf } from '../probe/json.js';
import { CREDENTIAL_NAMES, type CredentialName } from '../probe/request.js';
import { makeFolder } from './make-folder.js';

/**
 * The account of what a run has made: anybody who finds the file can delete it. Without a path it is kept in memory only. Lines are
 * on disk when `write` returns.
 */
export function createLedger(path?: string) {
  const made = new Map<string, Made>();
  const creators = new Set<CredentialName>();
  const stored = new Map<string, Stored>();
  if (path !== undefined) makeFolder(dirname(path));
  return {
    path,
    write(entry: Entry) {
      if (path !== undefined) appendFileSync(path, `${JSON.stringify(entry)}\n`, { flush: true });
      if (entry.event === 'creating') creators.add(entry.as);
      else if (entry.event === 'created') made.set(entry.id, { id: entry.id, name: entry.name, as: entry.as });
      else if (entry.event === 'deleting') {
        const one = made.get(entry.id);
        if (one !== undefined) made.set(entry.id, { ...one, deleting: true });
      } else if (entry.event === 'gone') made.delete(entry.id);
      else if (entry.event === 'stored') stored.set(`${entry.as} ${entry.path}`, { path: entry.path, as: entry.as });
      else if (entry.event === 'removed') stored.delete(`${entry.as} ${entry.path}`);
    },
    /** Interns that were made and are not known to be gone. */
    open: (): readonly Made[] => [...made.values()],
    /** Credentials that creates were sent with. */
    creators: (): readonly CredentialName[] => [...creators],
    /** Stored things that are not known to be removed. */
    stored: (): readonly Stored[] => [...stored.values()],
  };
}
export type Ledger = ReturnType<typeof createLedger>;

const isText = (value: unknown): value is string => typeof value === 'string';

/** A line of a ledger; undefined for an invalid one, such as the last of a run that was killed while it wrote. */
function entryOf(line: string): Entry | undefined {
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

/** How the names of a run begin. */
export const prefixOf = (run: string): string => `k${run}-`;

/**
 * A ledger as a run left it. The file may be anybody's: it says what to look for, and nothing of what it is.
 *
 * @throws Error with a line that says what is wrong with the file
 */
export function readLedger(path: string) {
  const left = createLedger();
  const [first = '', ...lines] = textOfFile(path, path).split('\n');
  const head = entryOf(first);
  if (head?.event !== 'run') throw new Error(`${path}: expected the first line to say which run and target it is of`);
  if (!/^[a-z0-9]{4}$/.test(head.run) || head.prefix !== prefixOf(head.run))
    throw new Error(
      `${path}: expected a run of four letters and digits and the beginning of its names, got ${JSON.stringify(head.run)} and ${JSON.stringify(head.prefix)}`,
    );
  for (const line of lines) {
    const entry = entryOf(line);
    if (entry !== undefined) left.write(entry);
  }
  return { run: head.run, url: head.url, made: left.open(), creators: left.creators(), stored: left.stored() };
}
