import { appendFileSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { CredentialName } from '../probe/request.js';
import { makeFolder } from './make-folder.js';

/**
 * A line of the ledger. `creating` is written before the request leaves, `created` when its answer told the id, `deleting`
 * when its delete was accepted.
 */
export type Entry =
  | { readonly event: 'run'; readonly run: string; readonly url: string; readonly prefix: string; readonly at: string }
  | { readonly event: 'creating'; readonly name: string; readonly as: CredentialName }
  | { readonly event: 'created'; readonly id: string; readonly name: string; readonly as: CredentialName }
  | { readonly event: 'deleting'; readonly id: string }
  | { readonly event: 'gone'; readonly id: string };

/** What a run has made, so that it can be taken away again by whoever finds the file. */
export interface Ledger {
  write(entry: Entry): void;
  /** Interns that were made and are not known to be gone. */
  open(): readonly Made[];
  /** Credentials that creates were sent with. */
  creators(): readonly CredentialName[];
  readonly path: string | undefined;
}

export interface Made {
  readonly id: string;
  readonly name: string;
  readonly as: CredentialName;
  /** Its delete was accepted. */
  readonly deleting?: true;
}

/** Keeps a ledger, in a file where a path is given. Lines are on disk when `write` returns. */
export function createLedger(path?: string): Ledger {
  const made = new Map<string, Made>();
  const creators = new Set<CredentialName>();
  if (path !== undefined) makeFolder(dirname(path));
  return {
    path,
    write(entry) {
      if (path !== undefined) appendFileSync(path, `${JSON.stringify(entry)}\n`, { flush: true });
      apply(entry, made, creators);
    },
    open: () => [...made.values()],
    creators: () => [...creators],
  };
}

function apply(entry: Entry, made: Map<string, Made>, creators: Set<CredentialName>) {
  if (entry.event === 'creating') creators.add(entry.as);
  else if (entry.event === 'created') made.set(entry.id, { id: entry.id, name: entry.name, as: entry.as });
  else if (entry.event === 'deleting') {
    const one = made.get(entry.id);
    if (one !== undefined) made.set(entry.id, { ...one, deleting: true });
  } else if (entry.event === 'gone') made.delete(entry.id);
}

/** A ledger as a run left it. Throws a line that says what is wrong with the file. */
export function readLedger(path: string): {
  run: string;
  url: string;
  prefix: string;
  made: readonly Made[];
  creators: readonly CredentialName[];
} {
  const made = new Map<string, Made>();
  const creators = new Set<CredentialName>();
  let head: Extract<Entry, { event: 'run' }> | undefined;
  for (const [index, line] of readFileSync(path, 'utf8').split('\n').entries()) {
    if (line === '') continue;
    let entry: Entry;
    try {
      entry = JSON.parse(line) as Entry;
    } catch {
      // The last line of a run that was killed while it wrote.
      continue;
    }
    if (index === 0 && entry.event === 'run') head = entry;
    apply(entry, made, creators);
  }
  if (head === undefined) throw new Error(`${path}: expected the first line to say which run and target it is of`);
  return { run: head.run, url: head.url, prefix: head.prefix, made: [...made.values()], creators: [...creators] };
}
