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

/** The phase of an intern by its last accepted write; `running` once it was seen to run. */
type Going = 'waits' | 'boots' | 'running' | 'suspends' | 'goes';

/** The phase after an accepted write. */
const NEXT: Readonly<Record<string, Going>> = {
  create: 'waits',
  boot: 'boots',
  provision: 'boots',
  suspend: 'suspends',
  '': 'goes',
};

/** The published status that a service's own word means, by the phase in which an intern shows it. */
const SHOWS: Readonly<Record<Going, string>> = {
  waits: 'stopped',
  boots: 'provisioning',
  running: 'provisioning',
  suspends: 'stopped',
  goes: 'destroying',
};

/**
 * Learns a deployment's own words for statuses, of which the interface states one. The meaning of a word comes
 * from the phase in which it is shown. An intern that takes a prompt runs. Requests and reads of the kit are translated;
 * the evidence keeps the original words.
 */
export function createStatusWords() {
  const meanings = new Map<string, string>();
  const own = new Set<string>();
  /** The published words that the deployment shows. */
  const published = new Set<string>();
  const going = new Map<string, Going>();
  const shown = new Map<string, string>();
  /** The first word of each intern. */
  const first = new Map<string, string>();
  /** Interns with a write under way: their words may be from before or after it. */
  const changing = new Set<string>();
  /** Words of each intern since its boot began. */
  const onTheWay = new Map<string, Set<string>>();
  const leads = new Set<string>();
  /** Whether an intern was seen to run without a request to boot: further ones boot, too. */
  let bootsAtOnce = false;
  /** Interns whose boots took all the time without an end. */
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
    // The word for waiting before the first boot may also mean waiting within it.
    if (known !== undefined) return known === 'stopped' && does === 'boots' ? SHOWS.boots : known;
    if (does === undefined) return undefined;
    // One of the words of a boot will mean that it has ended.
    if (does !== 'boots' && does !== 'running' && !changing.has(id)) meanings.set(word, SHOWS[does]);
    return SHOWS[does];
  };

  return {
    /** Words of the deployment that are not published. */
    own: (): readonly string[] => [...own],
    /** A write to an intern is sent. */
    sent: (id: string) => void changing.add(id),
    answered: (id: string) => void changing.delete(id),
    /** A write to an intern was accepted: `provision`, `suspend`, `''` for a delete; `create` or `boot` for a create. */
    done(id: string, what: string) {
      const next = NEXT[what === 'create' && bootsAtOnce ? 'boot' : what];
      if (next !== undefined) going.set(id, next);
      if (next === 'boots') onTheWay.set(id, new Set());
    },
    /** A write to an intern may have taken effect or not: its next word proves nothing. */
    lost: (id: string) => void going.delete(id),
    /** Replaces the deployment's word by the published one. */
    read(record: { id?: unknown; status?: unknown }) {
      const { id, status: word } = record;
      if (typeof id !== 'string' || typeof word !== 'string') return;
      shown.set(id, word);
      if (!first.has(id)) first.set(id, word);
      if (STATUSES.includes(word)) published.add(word);
      else {
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
    /** Notes an answer: after an accepted write, the next word of the intern is that of its new state. `made`: the new intern of the run. */
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
    /** Whether the latest word of an intern may mean that it runs. */
    unsure(id: string) {
      const word = shown.get(id);
      return (
        word !== undefined && !STATUSES.includes(word) && !['running', 'failed'].includes(meanings.get(word) ?? '')
      );
    },
    /** Whether an intern shows another word than at first, which may mean that it runs. */
    moved(id: string) {
      return shown.get(id) !== first.get(id) && this.unsure(id);
    },
    /** An intern takes prompts: its word means that it runs. */
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
     * The boot of an intern took all the time without an end: a word that others do not show before they
     * run means that the boot has failed.
     */
    hangs(id: string) {
      const word = shown.get(id);
      if (word !== undefined && !STATUSES.includes(word)) hung.add(word);
      tellFailed();
    },
    /** Replaces published words by the deployment's in the filter of a list. */
    address(url: string) {
      if (own.size === 0) return url;
      const [before, filter, after] = url.split(/(?<=[?&]status=)([^&#]*)/);
      if (filter === undefined) return url;
      // A stopped intern may have several words, such as one after a failure, or one until its suspend has settled.
      const theirs = (one: string) => {
        const words = [...meanings].filter(([, means]) => means === one).map(([word]) => word);
        return words.length > 0 && !published.has(one) ? words : [...words, one];
      };
      const words = decodeURIComponent(filter).split(',').flatMap(theirs).join(',');
      return `${before}${encodeURIComponent(words)}${after ?? ''}`;
    },
  };
}
export type StatusWords = ReturnType<typeof createStatusWords>;
