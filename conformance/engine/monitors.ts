import type { Check } from '../framework/check.js';
import { foundOfAll } from '../framework/difference.js';
import { Finding } from '../framework/finding.js';
import type { Target } from '../framework/target.js';
import type { Asked, Met, Streamed, Watch, Watched } from '../framework/watch.js';
import type { Caller } from '../model/callers.js';
import type { Exchange, Asked as Request } from '../model/exchange.js';
import { createModel, type Model } from '../model/model.js';
import type { Sender } from '../probe/client.js';
import type { Evidence } from '../probe/exchange.js';
import { urlOf } from '../probe/outgoing.js';
import { internIn, type Send } from '../probe/request.js';
import { type Rule, rulesFor, type Seen, seenBy } from '../rules/index.js';
import { askedBy, exchangeOf, streamOf, WRONG_KEY } from './exchange-of.js';
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
  /** Rules send nothing of their own: one that never applied has judged nothing, on an emulator too. */
  readonly isRule: boolean;
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

/** A rule or another watch, and what it has seen. */
interface Watching {
  readonly watch: Watch;
  readonly rule?: Rule;
  judged: boolean;
  readonly kinds: Map<string, Breaches>;
  /** Interns that a rule saw as they should not be: they are read once more when all else is done. */
  readonly unread: Set<string>;
}

/** The value that a noun names: `status` in `status of the record of a get`. */
const valueIn = (noun: string): string => noun.split(/ (?:of|in) /, 1)[0] ?? noun;

/** The interns that an exchange shows as they should not be. */
const internsIn = ({ id, operation }: Seen, got: unknown): readonly string[] =>
  operation.name === 'list'
    ? Array.isArray(got)
      ? got.filter((one) => typeof one === 'string')
      : []
    : id === undefined || operation.area === 'scim'
      ? []
      : [id];

/** What is known of the credentials of a run before anything is sent. */
const callersOf = ({ workspaceId: own, foreignWorkspaceId: foreign, ownInternId: intern }: Omit<Target, 'kind'>) =>
  new Map<string, Caller>([
    ['api_key', { kind: 'key', workspace: own, person: 'caller' }],
    ['peer_api_key', { kind: 'key', workspace: own, person: 'peer' }],
    ['foreign_api_key', { kind: 'key', workspace: foreign ?? 'another', person: 'foreign' }],
    ['outsider_api_key', { kind: 'outsider' }],
    ['management_key', { kind: 'management' }],
    ['oauth_token', { kind: 'oauth', workspace: own, person: 'caller' }],
    ['oauth_interns_only_token', { kind: 'interns-only', workspace: own, person: 'caller' }],
    ['peer_oauth_token', { kind: 'oauth', workspace: own, person: 'peer' }],
    ['own_key', { kind: 'own', ...(intern === undefined ? {} : { intern }) }],
    [WRONG_KEY, { kind: 'invalid' }],
  ]);

/** What the monitors of a run stand on. */
export interface MonitorsOptions {
  readonly target: Omit<Target, 'kind'>;
  readonly ours: boolean;
  now(): number;
  /** Whether the run made an id up. */
  madeUp(id: string): boolean;
}

/** The monitors of a run: every answer passes them. */
export function createMonitors({ target, ours, now, madeUp }: MonitorsOptions) {
  const { baseUrl, profile } = target;
  const callers = callersOf(target);
  const rules = new Map(rulesFor(target.publicKeys).map((rule) => [rule.id, rule]));
  const fresh = () =>
    createModel({ profile, ours, madeUp, mapping: target.scimMappingId, caller: (name) => callers.get(name) });
  let model: Model = fresh();
  let broken = 0;
  /** Requests under way, by their number; and the number of each, as its sender knows it. */
  const asking = new Map<number, Request>();
  const numbers = new WeakMap<Send, number>();
  const monitors = new Map<string, Watching>();
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
    if (!astray) {
      for (const { watch } of monitors.values()) watch.forgets?.();
      model = fresh();
    }
    astray = true;
    return false;
  };
  /** Holds a rule against an exchange. */
  const held = (rule: Rule, seen: Seen | undefined): boolean => {
    const judgement = seen === undefined ? undefined : rule.judge(seen, model);
    if (judgement === undefined || judgement === 'kept') return judgement === 'kept';
    throw new Finding({ ...foundOfAll([judgement]), exchange: seen?.asked.number ?? 0 });
  };
  /** What the rules make of an exchange, and then what the model learns of it. */
  const judge = (
    { send, status, record, by }: Looked,
    exchange: Exchange | undefined,
    look: (watch: Watch) => boolean | undefined,
  ) => {
    const seen = exchange === undefined ? undefined : seenBy(model, exchange);
    for (const monitor of monitors.values()) {
      try {
        if (monitor.rule === undefined ? look(monitor.watch) === true : held(monitor.rule, seen)) monitor.judged = true;
      } catch (error) {
        if (!(error instanceof Finding)) {
          failure ??= { error };
          continue;
        }
        monitor.judged = true;
        const { kinds } = monitor;
        const kind = monitor.rule === undefined ? likeness(error.found) : valueIn(error.found.of);
        if (monitor.rule?.settles === true && seen !== undefined && status < 300)
          for (const id of internsIn(seen, error.found.got)) {
            monitor.unread.add(id);
          }
        const breaches = kinds.get(kind) ?? { exchanges: new Set(), shown: [], stays: false };
        if (kinds.size < KINDS) kinds.set(kind, breaches);
        breaches.exchanges.add(record.number);
        if (breaches.exchanges.size === 1) broken += 1;
        const { shown } = breaches;
        if (looking && !breaches.stays) shown.splice(SHOWN - 1);
        breaches.stays ||= looking;
        if (shown.length < SHOWN && shown.every((one) => one.record !== record))
          shown.push({ finding: error, send, status, record, by });
      }
    }
    if (exchange !== undefined) model.sees(exchange);
  };
  const over = (number: number | undefined): Request | undefined => {
    const asked = number === undefined ? undefined : asking.get(number);
    if (number !== undefined) asking.delete(number);
    return asked;
  };

  return {
    /** Watches from now on. */
    begin({ id, watch }: Check, watched: Watched) {
      const rule = rules.get(id);
      if (watch !== undefined)
        monitors.set(id, {
          watch: watch(watched),
          ...(rule === undefined ? {} : { rule }),
          judged: false,
          kinds: new Map(),
          unread: new Set(),
        });
    },
    /** What the monitor of a check has come to. @throws what a watch threw that is no finding */
    of(id: string): Monitor {
      if (failure !== undefined) throw failure.error;
      const monitor = monitors.get(id);
      if (monitor === undefined) throw new Error(`nobody watches for ${id}`);
      const { judged, kinds, rule, watch } = monitor;
      const { lasts = false, measures = [] } = watch;
      return { judged, isRule: rule !== undefined, lasts, measures, breaches: [...kinds.values()] };
    },
    /** Kinds of breaches that one exchange showed, or more. */
    get broken(): number {
      return broken;
    },
    /** Interns that any of them has to see once more. */
    get unread(): ReadonlySet<string> {
      return new Set([
        ...model.missed,
        ...[...monitors.values()].flatMap(({ watch, unread }) => [...(watch.unread ?? []), ...unread]),
      ]);
    },
    /** Whether an intern was met as it should not be. */
    isStray: (id: string): boolean =>
      [...monitors.values()].some(({ watch, unread }) => watch.strays?.has(id) === true || unread.has(id)),
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
    asks(send: Send, by: Sender | undefined, number: number) {
      if (!looksAt(by)) return;
      const asked = askedIn(send);
      if (asked !== undefined) for (const { watch } of monitors.values()) watch.asks?.(asked);
      const request = askedBy(send, number, now(), target);
      if (request === undefined) return;
      asking.set(number, request);
      numbers.set(send, number);
      model.asks(request);
    },
    /** No answer came. */
    lost(send: Send) {
      const asked = over(numbers.get(send));
      if (asked !== undefined) model.sees({ asked, answered: undefined });
    },
    sees(send: Send, answer: Met['answer'], record: Evidence, by: Sender | undefined) {
      if (!looksAt(by)) return;
      const asked = askedIn(send);
      const type = () => record.snapshot().request.headers['content-type'];
      const request = over(record.number);
      // A read that does not wait for what was written is there to measure how late reads are.
      const exchange = request === undefined || send.soon === true ? undefined : exchangeOf(request, answer, now());
      if (asked !== undefined)
        judge({ send, status: answer.status, record, by }, exchange, (watch) =>
          watch.sees?.({ ...asked, answer, type }),
        );
    },
    hears(send: Send, transcript: Streamed['transcript'], record: Evidence, by: Sender | undefined) {
      if (!looksAt(by)) return;
      const asked = askedIn(send);
      const request = over(record.number);
      const exchange = request === undefined ? undefined : streamOf(request, transcript, now());
      if (asked !== undefined)
        judge({ send, status: 200, record, by }, exchange, (watch) => watch.hears?.({ ...asked, transcript }));
    },
  };
}
