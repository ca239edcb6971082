import { isRecord } from '../../emulator/wire/json.js';
import { GATEWAY } from '../probe/gateway.js';
import { type Addressed, READS } from './dealings.js';

/** The statuses of the published API. */
export const STATUSES: readonly string[] = [
  'queued',
  'provisioning',
  'running',
  'failed',
  'stopped',
  'destroying',
  'destroy_failed',
  'awaiting_slack_install',
];

/** The work of an intern by the last accepted write; `running` once it was seen to run. */
type Going = 'waits' | 'boots' | 'running' | 'suspends' | 'goes';

/** The work of the intern by an accepted write. */
const NEXT: Readonly<Record<string, Going>> = {
  create: 'waits',
  boot: 'boots',
  provision: 'boots',
  suspend: 'suspends',
  '': 'goes',
};

/** The meaning of a service's own word, by the work during which an intern shows it. */
const SHOWS: Readonly<Record<Going, string>> = {
  waits: 'stopped',
  boots: 'provisioning',
  running: 'provisioning',
  suspends: 'stopped',
  goes: 'destroying',
};

/**
 * The lifecycle statuses of a deployment that names them its own way: one word alone is stated. The meaning of a word is learned
 * from when it is shown, and that an intern runs from a prompt that it takes. The kit's requests and its reads are translated;
 * the evidence keeps what was sent.
 */
export function createStatusWords() {
  const meanings = new Map<string, string>();
  const own = new Set<string>();
  const going = new Map<string, Going>();
  const shown = new Map<string, string>();
  /** The first word that each intern was shown with. */
  const first = new Map<string, string>();
  /** Interns with a write under way: what they are shown with may come of it, or be from before. */
  const changing = new Set<string>();
  /** Words that each intern was shown with since it began to boot, and those of boots that came to their end. */
  const onTheWay = new Map<string, Set<string>>();
  const leads = new Set<string>();
  /** An intern was seen to run that nobody had asked to boot: the next ones boot, too. */
  let bootsAtOnce = false;
  /** Boots that had all the time there is, and did not come up. */
  const hung = new Set<string>();
  const tellFailed = () => {
    if (leads.size === 0) return;
    for (const word of hung) if (!leads.has(word) && !meanings.has(word)) meanings.set(word, 'failed');
  };
  const cameUp = (id: string) => {
    for (const word of onTheWay.get(id) ?? []) leads.add(word);
    tellFailed();
  };

  const meaning = (id: string, word: string): string | undefined => {
    const does = going.get(id);
    const known = meanings.get(word);
    // An intern that waits for its first boot may be shown like one that waits in it.
    if (known !== undefined) return known === 'stopped' && does === 'boots' ? SHOWS.boots : known;
    if (does === undefined) return undefined;
    // Of the words of a boot one will mean that it is over.
    if (does !== 'boots' && does !== 'running' && !changing.has(id)) meanings.set(word, SHOWS[does]);
    return SHOWS[does];
  };

  return {
    /** Words that were shown and are not published. */
    own: (): readonly string[] => [...own],
    /** A write to an intern leaves, and is answered. */
    sent: (id: string) => void changing.add(id),
    answered: (id: string) => void changing.delete(id),
    /** A write to an intern that was accepted: `provision`, `suspend`, `''` for a delete; `create` and `boot` for a create. */
    done(id: string, what: string) {
      const next = NEXT[what === 'create' && bootsAtOnce ? 'boot' : what];
      if (next !== undefined) going.set(id, next);
      if (next === 'boots') onTheWay.set(id, new Set());
    },
    /** A write to an intern may have been done or not: what it is shown with next says nothing of the word. */
    lost: (id: string) => void going.delete(id),
    /** Puts the published word in the place of the deployment's own. */
    read(record: { id?: unknown; status?: unknown }) {
      const { id, status: word } = record;
      if (typeof id !== 'string' || typeof word !== 'string') return;
      shown.set(id, word);
      if (!first.has(id)) first.set(id, word);
      if (!STATUSES.includes(word)) {
        own.add(word);
        record.status = meaning(id, word) ?? word;
      }
      if (going.get(id) === 'boots') {
        if (record.status !== 'running') onTheWay.get(id)?.add(word);
        else {
          going.set(id, 'running');
          cameUp(id);
        }
      }
    },
    /** An answer came: the state that a write brings an intern to is the one it is shown with next. `made`: the intern that it gave the run. */
    sees({ send, id, rest }: Addressed, status: number, json: unknown, made: string | undefined) {
      const { method = 'GET', path = '' } = send;
      if (id !== undefined && !READS.has(method)) this.answered(id);
      if (!/^\/interns(?=[/?]|$)/.test(path)) return;
      const writes = id !== undefined && method !== 'PATCH' && !READS.has(method);
      if (writes && GATEWAY.has(status)) this.lost(id);
      if (status >= 300) return;
      if (made !== undefined) this.done(made, isRecord(send.json) && send.json.provision === true ? 'boot' : 'create');
      else if (writes) this.done(id, rest);
      if (isRecord(json))
        for (const record of Array.isArray(json.data) ? json.data : [json]) if (isRecord(record)) this.read(record);
    },
    /** Whether the intern was last shown with a word that may mean that it runs. */
    unsure(id: string) {
      const word = shown.get(id);
      return (
        word !== undefined && !STATUSES.includes(word) && !['running', 'failed'].includes(meanings.get(word) ?? '')
      );
    },
    /** Whether the intern is shown with another word than at first, which may mean that it runs. */
    moved(id: string) {
      return shown.get(id) !== first.get(id) && this.unsure(id);
    },
    /** The intern takes prompts: what it is shown with means that it runs. */
    runs(id: string) {
      const word = shown.get(id);
      if (word === undefined || STATUSES.includes(word)) return;
      if (going.get(id) === 'waits') {
        bootsAtOnce = true;
        going.set(id, 'running');
        for (const [one, means] of meanings) if (means === 'stopped') meanings.delete(one);
      }
      meanings.set(word, 'running');
      onTheWay.get(id)?.delete(word);
      cameUp(id);
    },
    /**
     * The intern had all the time there is to boot and does not run: a word that others are not shown with before they
     * come to run means that its boot has failed.
     */
    hangs(id: string) {
      const word = shown.get(id);
      if (word !== undefined && !STATUSES.includes(word)) hung.add(word);
      tellFailed();
    },
    /** Puts the deployment's words in the place of the published ones in the filter of a list. */
    address(url: string) {
      if (own.size === 0) return url;
      const [before, filter, after] = url.split(/(?<=[?&]status=)([^&#]*)/);
      if (filter === undefined) return url;
      // An intern that failed and was suspended then may wait under another word than others that wait.
      const theirs = (one: string) => {
        const words = [...meanings].filter(([, means]) => means === one).map(([word]) => word);
        return words.length > 0 ? words : [one];
      };
      const words = decodeURIComponent(filter).split(',').flatMap(theirs).join(',');
      return `${before}${encodeURIComponent(words)}${after ?? ''}`;
    },
  };
}
export type StatusWords = ReturnType<typeof createStatusWords>;
