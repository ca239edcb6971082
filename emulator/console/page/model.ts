import { computed, type Signal, signal } from '@preact/signals';
import { jsonOf } from '../../contract/nesting.js';
import { type Api, errorText, freshId } from './api.js';
import { createFeed, type Feed } from './feed.js';
import { byTime } from './format.js';
import { createLatest } from './latest.js';
import { createRequests } from './requests.js';
import type { SseEvent } from './sse.js';
import type { ClockView, Entry, Fault, Intern, LabRun, Line, Match, Run, ScriptView, Target, Write } from './types.js';

export type Connection = 'connecting' | 'live' | 'lost' | 'token' | 'refused';

export interface Notice {
  id: string;
  tone: 'done' | 'error';
  text: string;
}

/** Events of requests, for views that look at some of them closely. */
export type Happening =
  | { kind: 'entry'; entry: Entry }
  | { kind: 'write'; requestId: string; n: number; write: Write }
  | { kind: 'said'; runId: string; line: Line }
  /** The known data is no longer true: read it again. */
  | { kind: 'reload' };

const MOST_RUNS = 2_000;
const MOST_LAB_RUNS = 1_000;
const FIRST_REQUESTS = 300;
const NOTICE_STAYS = 6_000;

/** Everything the page knows of its emulator, kept up to date by its events. */
export function createModel(api: Api) {
  const known = {
    interns: signal<ReadonlyMap<string, Intern>>(new Map()),
    runs: signal<ReadonlyMap<string, Run>>(new Map()),
    /** Runs of the client lab, newest first. */
    labRuns: signal<readonly LabRun[]>([]),
    clock: signal<(ClockView & { readAt: number }) | undefined>(undefined),
    faults: signal<readonly Fault[]>([]),
    scripts: signal<readonly ScriptView[]>([]),
    matches: signal<readonly Match[]>([]),
    /** After which request, or time, what comes is recorded; undefined while nothing is. */
    recording: signal<string | undefined>(undefined),
    target: signal<Target | undefined>(undefined),
    version: signal(''),
    limit: signal<number | undefined>(undefined),
    connection: signal<Connection>('connecting'),
    refusal: signal(''),
    tokenTried: signal(false),
    /** Requests that came faster than the emulator sends them here. */
    skipped: signal(0),
    notices: signal<readonly Notice[]>([]),
    /** Streams that this page itself reads, by request id: it is their client, and can leave them. */
    own: signal<ReadonlyMap<string, AbortController>>(new Map()),
  };
  const { clock, connection, faults, interns, labRuns, matches, notices, runs, scripts, target } = known;
  const requests = createRequests();
  const listeners = new Set<(happenings: readonly Happening[]) => void>();
  let feed: Feed | undefined;
  let loaded = false;
  /** The number of lists that are being read, and the events that came meanwhile: a list may be older than those. */
  let reading = 0;
  let held: SseEvent[] = [];

  const internList = computed(() =>
    [...interns.value.values()].sort((a, b) => byTime({ at: b.created_at }, { at: a.created_at })),
  );

  const notify = (tone: Notice['tone'], text: string) => {
    const notice = { id: freshId(), tone, text };
    notices.value = [...notices.value.filter((shown) => shown.text !== text).slice(-3), notice];
    setTimeout(() => dismiss(notice.id), tone === 'error' ? NOTICE_STAYS * 2 : NOTICE_STAYS);
  };
  const dismiss = (id: string) => {
    notices.value = notices.value.filter((notice) => notice.id !== id);
  };

  const clockOf = (read: ClockView) => ({ ...read, readAt: performance.now() });
  const setClock = (read: ClockView) => {
    clock.value = clockOf(read);
  };
  const beginJournal = createLatest();
  /** Reads something and shows it, unless it was asked for again meanwhile. */
  const reader = <Value>(into: Signal<Value>, read: () => Promise<Value>) => {
    const begin = createLatest();
    return async () => {
      const isLatest = begin();
      const value = await read();
      if (isLatest()) into.value = value;
    };
  };
  const byId = <Row extends { id: string }>(rows: readonly Row[]) => new Map(rows.map((row) => [row.id, row]));
  const readFaults = reader(faults, () => api.list<Fault>('faults'));
  const readMatches = reader(matches, () => api.list<Match>('matches'));
  const readScripts = reader(scripts, () => api.list<ScriptView>('scripts'));
  const readLimit = reader(
    known.limit,
    async () => (await api.control<{ turns_per_minute: number }>('GET', 'limits')).turns_per_minute,
  );
  const otherReads = [
    reader(target, () => api.control<Target>('GET', 'target')),
    reader(clock, async () => clockOf(await api.control<ClockView>('GET', 'clock'))),
    reader(interns, async () => byId(await api.list<Intern>('interns'))),
    reader(runs, async () => byId((await api.list<Run>('runs')).slice(0, MOST_RUNS).reverse())),
    reader(labRuns, async () => (await api.list<LabRun>('lab/runs')).slice(0, MOST_LAB_RUNS)),
  ];
  /** The requests of clients and of this page: the journal lists the page's own only where they are asked for. */
  const readJournal = async () => {
    const isLatest = beginJournal();
    const lists = await Promise.all(
      ['', '&caller=console'].map((of) => api.list<Entry>(`journal?limit=${FIRST_REQUESTS}${of}`)),
    );
    if (!isLatest()) return;
    requests.clear();
    requests.add(lists.flat().sort(byTime));
  };
  /** Reads what events keep up to date: events of the meantime are held back until it is there. */
  const readWhole = async (...reads: (() => Promise<void>)[]) => {
    reading += 1;
    const outcomes = await Promise.allSettled(reads.map((read) => read()));
    reading -= 1;
    if (reading === 0) {
      const batch = held;
      held = [];
      events(batch);
    }
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  };
  const readRequests = () => readWhole(readJournal);

  const load = async () => {
    known.version.value = (await api.control<{ version: string }>('GET', 'health')).version;
    await readWhole(readJournal, readFaults, readScripts, readMatches, readLimit, ...otherReads);
    loaded = true;
    tell([{ kind: 'reload' }]);
  };

  const tell = (happenings: readonly Happening[]) => {
    if (happenings.length > 0) for (const listener of listeners) listener(happenings);
  };

  const events = (batch: readonly SseEvent[]) => {
    if (reading > 0) {
      held.push(...batch);
      return;
    }
    const changedInterns = new Map(interns.value);
    const changedRuns = new Map(runs.value);
    const changedLab = new Map<string, LabRun>();
    const entries: Entry[] = [];
    const happenings: Happening[] = [];
    const stale = new Set<() => Promise<void>>();
    for (const { event, data } of batch) {
      const value = jsonOf(data) as Record<string, unknown> | undefined;
      if (event === 'reset') stale.add(load);
      if (value === undefined) continue;
      const id = String(value.id);
      if (event === 'intern') {
        const { intern } = value as { intern?: Intern };
        if (intern) changedInterns.set(intern.id, intern);
        else changedInterns.delete(id);
      } else if (event === 'run') {
        if (value.deleted) changedRuns.delete(id);
        else changedRuns.set(id, value as unknown as Run);
      } else if (event === 'request') {
        const entry = value as unknown as Entry;
        if (value.deleted || !entry.request) stale.add(readRequests);
        else {
          entries.push(entry);
          happenings.push({ kind: 'entry', entry });
        }
      } else if (event === 'write') {
        const { request_id: requestId, n, ...write } = value as unknown as Write & { request_id: string; n: number };
        happenings.push({ kind: 'write', requestId, n, write });
      } else if (event === 'said') {
        const { run_id: runId, ...line } = value as unknown as Line & { run_id: string };
        happenings.push({ kind: 'said', runId, line });
      } else if (event === 'skipped') {
        known.skipped.value += Number(value.requests) || 0;
      } else if (event === 'clock') setClock(value as unknown as ClockView);
      else if (event === 'lab' && typeof value.run === 'string') changedLab.set(value.run, value as unknown as LabRun);
      else if (event === 'fault') stale.add(readFaults);
      else if (event === 'script') stale.add(readScripts);
      else if (event === 'match') stale.add(readMatches);
    }
    if (batch.some(({ event }) => event === 'intern')) interns.value = changedInterns;
    if (batch.some(({ event }) => event === 'run')) {
      for (const [id, run] of changedRuns) {
        if (changedRuns.size <= MOST_RUNS) break;
        if (run.status === 'ended') changedRuns.delete(id);
      }
      runs.value = changedRuns;
    }
    if (changedLab.size > 0) {
      const known = labRuns.value.map((run) => changedLab.get(run.run) ?? run);
      for (const { run } of known) changedLab.delete(run);
      labRuns.value = [...[...changedLab.values()].reverse(), ...known].slice(0, MOST_LAB_RUNS);
    }
    if (entries.length > 0) requests.add(entries);
    tell(happenings);
    for (const read of stale) read().catch(failed);
  };

  const failed = (error: unknown) => notify('error', errorText(error));

  const connect = () => {
    feed?.close();
    feed = createFeed(api, {
      events,
      opened(resumed) {
        connection.value = 'live';
        if (!resumed || !loaded) load().catch(failed);
      },
      closed(error) {
        const refused = error?.status === 401 || error?.status === 403;
        known.refusal.value = error?.message ?? '';
        connection.value = refused ? (/token/.test(error.message) ? 'token' : 'refused') : 'lost';
      },
    });
  };

  return {
    api,
    ...known,
    internList,
    requests,
    notify,
    dismiss,
    setClock,
    readLimit,
    load,
    connect,
    useToken(token: string) {
      known.tokenTried.value = true;
      api.setToken(token);
      connection.value = 'connecting';
      connect();
    },
    /** The emulator's target, read if it is not known yet: a user may be quicker than the page. */
    knownTarget: async (): Promise<Target> => target.value ?? (await api.control<Target>('GET', 'target')),
    /** Milliseconds of the emulator's time, as far as known here. */
    now(): number {
      const reading = clock.value;
      if (!reading) return 0;
      return Date.parse(reading.now) + (reading.mode === 'real' ? performance.now() - reading.readAt : 0);
    },
    listen(listener: (happenings: readonly Happening[]) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** Does something, and shows the outcome. True if it worked. */
    async attempt(work: () => Promise<unknown>, done?: string): Promise<boolean> {
      try {
        await work();
        if (done !== undefined) notify('done', done);
        return true;
      } catch (error) {
        failed(error);
        return false;
      }
    },
  };
}

export type Model = ReturnType<typeof createModel>;
