import type { Check } from '../framework/check.js';
import { Finding } from '../framework/finding.js';
import type { Asked, Met, Streamed, Watch, Watched } from '../framework/watch.js';
import type { Sender } from '../probe/client.js';
import type { Evidence } from '../probe/exchange.js';
import { urlOf } from '../probe/outgoing.js';
import { internIn, type Send } from '../probe/request.js';
import { likeness } from './likeness.js';

/** Kinds of breaches that a monitor keeps, and exchanges of each whose evidence it keeps. */
const KINDS = 40;
const SHOWN = 2;

/** What a look at the end may take: two lists, and reads of interns that they do not settle, the latest of them. */
export const LOOKS = 6;

/** An exchange that monitors look at, and who has sent it. */
interface Looked {
  readonly send: Send;
  readonly status: number;
  readonly record: Evidence;
  readonly by: Sender | undefined;
}

/** An exchange that breaks a rule. */
interface Breach extends Looked {
  readonly finding: Finding;
}

/** What exchanges of one run show alike. */
export interface Breaches {
  /** Numbers of all exchanges that show it. */
  readonly exchanges: Set<number>;
  /** The first of them, and the latest in the look at the end. */
  readonly shown: Breach[];
  /** It was still so in the look at the end. */
  stays: boolean;
}

/** A watch, and what it has seen. */
export interface Monitor {
  /** Whether it has judged anything. */
  readonly judged: boolean;
  readonly lasts: boolean;
  /** Habits that it takes into account itself. */
  readonly measures: readonly string[];
  readonly breaches: readonly Breaches[];
}

const operationOf = (method: string, path: string): string => {
  const id = internIn(path);
  return `${method} ${(id === undefined ? path : path.replace(id, '{internId}')).replace(/(\/scim\/group-mappings\/)[^/]+$/, '$1{id}')}`;
};

const decoded = (id: string): string => {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
};

/** The monitors of a run: every answer passes them. */
export function createMonitors(baseUrl: string) {
  const monitors = new Map<string, { watch: Watch; judged: boolean; kinds: Map<string, Breaches> }>();
  let astray = false;
  let looking = false;
  let begun = false;
  let failure: { readonly error: unknown } | undefined;

  const askedIn = (send: Send): Asked | undefined => {
    const url = urlOf(send, baseUrl);
    if (!url.startsWith(`${baseUrl}/`)) return undefined;
    const [path = '', query = ''] = url.slice(baseUrl.length).split('?');
    const id = internIn(path);
    return {
      send,
      as: send.as === undefined ? 'api_key' : send.as,
      operation: operationOf(send.method ?? 'GET', path),
      id: id === undefined ? undefined : decoded(id),
      query: new URLSearchParams(query),
    };
  };
  /** Whether monitors look at what such a sender has asked for. */
  const looksAt = (by: Sender | undefined): boolean => {
    if (monitors.size === 0) return false;
    if (by?.staged !== true) {
      astray = false;
      return true;
    }
    if (!astray) for (const { watch } of monitors.values()) watch.forgets?.();
    astray = true;
    return false;
  };
  const judge = ({ send, status, record, by }: Looked, look: (watch: Watch) => boolean | undefined) => {
    for (const monitor of monitors.values()) {
      try {
        if (look(monitor.watch) === true) monitor.judged = true;
      } catch (error) {
        if (!(error instanceof Finding)) {
          failure ??= { error };
          continue;
        }
        monitor.judged = true;
        const { kinds } = monitor;
        const kind = likeness(error.found);
        const breaches = kinds.get(kind) ?? { exchanges: new Set(), shown: [], stays: false };
        if (kinds.size < KINDS) kinds.set(kind, breaches);
        breaches.exchanges.add(record.number);
        const { shown } = breaches;
        if (looking && !breaches.stays) shown.splice(SHOWN - 1);
        breaches.stays ||= looking;
        if (shown.length < SHOWN && shown.every((one) => one.record !== record))
          shown.push({ finding: error, send, status, record, by });
      }
    }
  };

  return {
    /** Watches from now on. */
    begin({ id, watch }: Check, watched: Watched) {
      if (watch !== undefined) monitors.set(id, { watch: watch(watched), judged: false, kinds: new Map() });
    },
    /** What the monitor of a check has come to. @throws what a watch threw that is no finding */
    of(id: string): Monitor {
      if (failure !== undefined) throw failure.error;
      const monitor = monitors.get(id);
      if (monitor === undefined) throw new Error(`nobody watches for ${id}`);
      const { judged, kinds, watch } = monitor;
      const { lasts = false, measures = [] } = watch;
      return { judged, lasts, measures, breaches: [...kinds.values()] };
    },
    /** Interns that any of them has to see once more. */
    get unread(): ReadonlySet<string> {
      return new Set([...monitors.values()].flatMap(({ watch }) => [...(watch.unread ?? [])]));
    },
    /** Whether an intern was met as it should not be. */
    isStray: (id: string): boolean => [...monitors.values()].some(({ watch }) => watch.strays?.has(id) === true),
    /** Requests that the look at the end is still to take. */
    get owed(): number {
      return !begun && [...monitors.values()].some(({ watch }) => watch.lasts === true) ? LOOKS : 0;
    },
    /** The look at the end begins: it is owed no more. */
    lookBegins() {
      begun = true;
    },
    /** All else is done: what is wrong from now on stays so. */
    get looks(): boolean {
      return looking;
    },
    set looks(now: boolean) {
      looking = now;
    },
    asks(send: Send, by: Sender | undefined) {
      if (!looksAt(by)) return;
      const asked = askedIn(send);
      if (asked !== undefined) for (const { watch } of monitors.values()) watch.asks?.(asked);
    },
    sees(send: Send, answer: Met['answer'], record: Evidence, by: Sender | undefined) {
      if (!looksAt(by)) return;
      const asked = askedIn(send);
      const type = () => record.snapshot().request.headers['content-type'];
      if (asked !== undefined)
        judge({ send, status: answer.status, record, by }, (watch) => watch.sees?.({ ...asked, answer, type }));
    },
    hears(send: Send, transcript: Streamed['transcript'], record: Evidence, by: Sender | undefined) {
      if (!looksAt(by)) return;
      const asked = askedIn(send);
      if (asked !== undefined)
        judge({ send, status: 200, record, by }, (watch) => watch.hears?.({ ...asked, transcript }));
    },
  };
}
