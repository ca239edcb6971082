import type { Exchange, Asked as Request } from '../model/exchange.js';
import { Finding, type Found } from '../model/finding.js';
import type { Model } from '../model/model.js';
import { type Caller, Recent } from '../model/options.js';
import type { KitFault } from '../model/skip.js';
import type { Target } from '../model/target.js';
import type { Transcript } from '../probe/chunks.js';
import type { Answer, Sender } from '../probe/client.js';
import type { Evidence } from '../probe/evidence.js';
import type { Send } from '../probe/request.js';
import { type Breach, byOperation, foundBy, RULES, type Rule, type Seen, seenBy } from '../rules/index.js';
import { type Check, ruleOf } from './check.js';
import { exchangeOf, streamOf, WRONG_KEY } from './exchange-of.js';
import { createExchanges, faultAt, judgementOn, type Tally, tallyOf } from './tally.js';

/** Most kinds of breaches that a monitor keeps. */
const KINDS = 40;
/** Most exchanges that are kept as evidence of one kind. */
const SHOWN = 2;

/** Latest exchanges that a finding can name as its reason. */
const KEPT = 4_000;

/** Requests of the look at the end: two lists, and reads of the latest `unread` interns. */
export const LAST_LOOK = 6;

/** A judged exchange, and its sender. */
export interface JudgedExchange {
  readonly send: Send;
  readonly status: number;
  readonly record: Evidence;
  readonly by: Sender | undefined;
}

/** A breach that several exchanges of one run show. */
export interface Breaches {
  /** Numbers of all exchanges that show it. */
  readonly exchanges: Set<number>;
  /** Their operations and statuses. */
  readonly situations: Set<string>;
  /** The first two of them. The look at the end replaces the second. */
  readonly shown: (JudgedExchange & {
    readonly finding: Finding;
    /** Time of the request, in ms of the run's clock. */
    readonly at: number;
    /** Ids of the interns that it is about. */
    readonly about: readonly string[];
    /** The exchanges that established what was expected. */
    readonly because: readonly JudgedExchange[];
  })[];
  /** Whether the look at the end showed it, too. */
  stays: boolean;
}

/** A rule that watches over a run. */
export interface Monitor extends Tally {
  /** The exchanges that break it, by what is wrong with them. */
  readonly kinds: Map<string, Breaches>;
  /** Interns that broke the rule. They are read once more when all else is done. */
  readonly unread: Set<string>;
}

/** Rules by the operation that they apply to, each with its monitor if the run reports it. */
const watchedBy = (rules: readonly { readonly rule: Rule; readonly monitor?: Monitor | undefined }[]) =>
  byOperation(rules.map((one) => ({ ...one, of: one.rule.of })));

/** The interns that a breach is about: the one that it names, the wrong ones of a list, or the one of the path. */
function internsIn({ id, operation }: Seen, { about, actual }: Breach): readonly string[] {
  if (about !== undefined) return [about];
  if (operation.name === 'list') return Array.isArray(actual) ? actual.filter((one) => typeof one === 'string') : [];
  return id === undefined || operation.area === 'scim' ? [] : [id];
}

/** The callers of a run as its credentials say, before anything is sent. */
export const callersOf = ({
  workspaceId: own,
  foreignWorkspaceId: foreign,
  ownInternId: intern,
  oauthSubject,
  peerOauthSubject,
}: Omit<Target, 'kind'>) =>
  new Map<string, Caller>([
    ['api_key', { kind: 'key', workspace: own, person: 'caller' }],
    ['peer_api_key', { kind: 'key', workspace: own, person: 'peer' }],
    ['foreign_api_key', { kind: 'key', workspace: foreign ?? 'another', person: 'foreign' }],
    ['outsider_api_key', { kind: 'outsider' }],
    ['management_key', { kind: 'management' }],
    ['oauth_token', { kind: 'oauth', workspace: own, person: 'caller', subject: oauthSubject }],
    ['oauth_interns_only_token', { kind: 'interns-only', workspace: own, person: 'caller' }],
    ['peer_oauth_token', { kind: 'oauth', workspace: own, person: 'peer', subject: peerOauthSubject }],
    ['own_key', { kind: 'own', ...(intern === undefined ? {} : { intern }) }],
    [WRONG_KEY, { kind: 'invalid' }],
  ]);

/** The monitors of a run. Every exchange passes through them to the model. */
export function createMonitors(model: Model, now: () => number) {
  const kept = new Recent<number, JudgedExchange>(KEPT);
  /** The number of kinds of breaches, by the check that showed them first. */
  const broken = new Map<string | undefined, number>();
  /** The first breach in the walk of each check, until the check takes it. */
  const unreported = new Map<string, Finding>();
  /** Requests under way, by their number. */
  const asking = new Map<number, Request>();
  const monitors = new Map<string, Monitor>();
  const exchanges = createExchanges();
  let fault: KitFault | undefined;
  /** The rules that judge most exchanges, and those that judge a walk. */
  let watching: ReturnType<typeof watchedBy> | undefined;
  let walking: typeof watching;
  let last = 0;
  /** A moment after every earlier one, however coarse the clock is. */
  const moment = () => {
    last = Math.max(now(), last + 0.001);
    return last;
  };
  let isStaged = false;
  let looking = false;
  let begun = false;
  let closed = false;

  /** Whether an exchange counts. A staged sender makes the target fail on purpose: the model forgets all, and no rule judges. */
  const counts = (by: Sender | undefined): boolean => {
    const staged = by?.staged === true;
    if (staged && !isStaged) model.restart();
    isStaged = staged;
    return !staged;
  };
  /** Works on an exchange. An exception is the kit's own fault, and not of the check that sent the request: the model forgets all. */
  const noting = (asked: Request, work: () => void) => {
    try {
      work();
    } catch (error) {
      fault ??= faultAt(asked, error);
      model.restart(true);
    }
  };
  const findingOf = (breach: Breach, { asked }: Seen, more: Partial<Found> = {}): Finding =>
    new Finding({
      ...foundBy(breach),
      exchange: asked.number,
      ...(breach.leak === undefined ? {} : { leak: breach.leak }),
      ...more,
    });
  /** Notes that an exchange breaks a rule. */
  const note = (monitor: Monitor, breach: Breach, seen: Seen, judged: JudgedExchange) => {
    const { kinds, rule, unread } = monitor;
    const { because } = breach;
    const { record, status } = judged;
    const finding = findingOf(breach, seen);
    const { wanted } = finding.found;
    const kind = wanted.kind === 'value' ? wanted.path : wanted.kind;
    const about = internsIn(seen, breach);
    if (rule.settles !== undefined && status < 300) for (const id of about) unread.add(id);
    const breaches = kinds.get(kind) ?? { exchanges: new Set(), situations: new Set(), shown: [], stays: false };
    if (kinds.size < KINDS) kinds.set(kind, breaches);
    breaches.exchanges.add(record.number);
    breaches.situations.add(seen.situation);
    if (breaches.exchanges.size === 1) broken.set(judged.by?.id, (broken.get(judged.by?.id) ?? 0) + 1);
    const { shown } = breaches;
    if (looking) shown.splice(SHOWN - 1);
    breaches.stays ||= looking;
    if (shown.length < SHOWN && shown.every((one) => one.record !== record))
      shown.push({
        ...judged,
        at: seen.asked.at,
        finding,
        about,
        because: because.flatMap((number) => kept.get(number) ?? []),
      });
  };
  /** Whether a walk reports the breach of a rule at once. A breach that a late read can cause waits for the look at the end. */
  const atOnce = (rule: Rule): boolean =>
    model.options.ours === true || (rule.settles === undefined && !monitors.has(rule.id));
  /** The rules judge an exchange before the model learns from it. All rules judge an exchange of a walk, even unselected ones. */
  const judge = (judged: JudgedExchange, exchange: Exchange) => {
    const { by, record } = judged;
    kept.set(record.number, judged);
    const seen = closed ? undefined : seenBy(model, exchange);
    if (seen !== undefined) {
      const walks = by?.walks === true ? by.id : undefined;
      watching ??= watchedBy([...monitors.values()].map((monitor) => ({ rule: monitor.rule, monitor })));
      walking ??= watchedBy(RULES.map((rule) => ({ rule, monitor: monitors.get(rule.id) })));
      for (const { rule, monitor } of walks === undefined ? watching(seen) : walking(seen)) {
        const judgement = judgementOn(seen, () => rule.judge(seen, model), monitor);
        if (judgement === undefined || judgement === 'kept') continue;
        if (walks !== undefined && !unreported.has(walks) && atOnce(rule)) {
          const breaks = { requirement: rule.requirement, level: rule.level };
          unreported.set(walks, findingOf(judgement, seen, { breaks }));
        }
        if (monitor !== undefined) note(monitor, judgement, seen, judged);
      }
    }
    model.sees(exchange);
  };
  const takeAsked = (number: number): Request | undefined => {
    const asked = asking.get(number);
    asking.delete(number);
    return asked;
  };

  return {
    /** The number of exchanges that the rules of the run judged. */
    exchanges,
    /** Stops judging: the clean-up begins. */
    close() {
      closed = true;
    },
    /** Starts the monitor of a check that is a rule. */
    begin(check: Check) {
      const { id } = check;
      const rule = ruleOf(check);
      if (rule === undefined) return;
      watching = undefined;
      walking = undefined;
      monitors.set(id, { ...tallyOf(rule, exchanges), kinds: new Map(), unread: new Set() });
    },
    /**
     * The monitor of a rule.
     *
     * @throws Error that names the exchange at which the rule failed: a mistake of the kit
     */
    of(id: string): Readonly<Monitor> {
      const monitor = monitors.get(id);
      if (monitor === undefined) throw new Error(`nobody watches for ${id}`);
      if (monitor.failure !== undefined) throw monitor.failure;
      return monitor;
    },
    /** The first mistake of the model, or of a rule that the run does not report. */
    get fault(): KitFault | undefined {
      return fault;
    },
    /** The number of kinds of breaches: all, or those that one check showed first. */
    broken: (by?: string): number =>
      by === undefined ? [...broken.values()].reduce((sum, one) => sum + one, 0) : (broken.get(by) ?? 0),
    /** The first breach that the walk of a check showed since the last call. */
    breach(by: string): Finding | undefined {
      const finding = unreported.get(by);
      unreported.delete(by);
      return finding;
    },
    /** Interns that the look at the end must read. */
    get unread(): ReadonlySet<string> {
      return new Set([
        ...[...monitors.values()].flatMap(({ unread }) => [...unread]),
        ...(monitors.size === 0 ? [] : model.missed),
      ]);
    },
    /** Whether an intern broke a rule that the look at the end decides. */
    isStray: (id: string): boolean => [...monitors.values()].some(({ unread }) => unread.has(id)),
    /** Requests that the run must leave for the look at the end. */
    get owed(): number {
      return !begun && [...monitors.values()].some(({ rule }) => rule.settles !== undefined) ? LAST_LOOK : 0;
    },
    /** The look at the end begins: its requests are no longer owed. */
    lookBegins() {
      begun = true;
    },
    /** Whether the look at the end is under way: a breach that it shows is final. */
    get looks(): boolean {
      return looking;
    },
    set looks(now: boolean) {
      looking = now;
    },
    asks(asked: Omit<Request, 'at'>, by: Sender | undefined) {
      if (!counts(by)) return;
      const request = { ...asked, at: moment() };
      asking.set(request.number, request);
      noting(request, () => model.asks(request));
    },
    /** No answer came. */
    lost(number: number) {
      const asked = takeAsked(number);
      if (asked !== undefined) noting(asked, () => model.sees({ asked, answered: undefined }));
    },
    /** The head of an answer came. */
    begins(number: number, status: number) {
      const asked = asking.get(number);
      if (asked !== undefined) noting(asked, () => model.begins(asked, status, moment()));
    },
    sees(send: Send, answer: Answer, record: Evidence, by: Sender | undefined) {
      const request = takeAsked(record.number);
      if (!counts(by)) return;
      // This read measures how late reads are: it may miss the latest write.
      if (request === undefined || send.soon === true) return;
      const judged = { send, status: answer.status, record, by };
      noting(request, () => judge(judged, exchangeOf(request, answer, moment())));
    },
    hears(send: Send, transcript: Transcript, record: Evidence, by: Sender | undefined) {
      const request = takeAsked(record.number);
      if (!counts(by)) return;
      if (request === undefined) return;
      noting(request, () => {
        const exchange = streamOf(request, transcript, moment());
        // The end of a check closes its streams: these are not judged.
        if (record.ended === 'end') judge({ send, status: 200, record, by }, exchange);
        else model.glimpses(exchange);
      });
    },
  };
}
