import type { Check } from '../framework/check.js';
import { Finding, type Found } from '../framework/finding.js';
import type { Target } from '../framework/target.js';
import type { Exchange, Asked as Request } from '../model/exchange.js';
import type { Model } from '../model/model.js';
import { type Caller, Recent } from '../model/options.js';
import type { Transcript } from '../probe/chunks.js';
import type { Answer, Sender } from '../probe/client.js';
import type { Evidence } from '../probe/evidence.js';
import type { Send } from '../probe/request.js';
import { ruleOf } from '../rules/check.js';
import {
  type Breach,
  byOperation,
  foundBy,
  type Rule,
  rulesFor,
  type Seen,
  seenBy,
  situationOf,
} from '../rules/index.js';
import { exchangeOf, streamOf, WRONG_KEY } from './exchange-of.js';
import { judgementOn, type Tally, tallyOf } from './tally.js';

/** Kinds of breaches that a monitor keeps, and exchanges of each whose evidence it keeps. */
const KINDS = 40;
const SHOWN = 2;

/** Exchanges that can be shown as what established something: the latest. */
const KEPT = 4_000;

/** Requests of the look at the end: two lists, and reads of the latest interns that they leave open. */
export const LAST_LOOK = 6;

/** An exchange that monitors look at, and who has sent it. */
interface Looked {
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
  /** The first of them, and the latest in the look at the end. */
  readonly shown: (Looked & {
    readonly finding: Finding;
    /** When it was asked, in ms of the run's clock. */
    readonly at: number;
    /** The exchanges that established what was expected. */
    readonly because: readonly Looked[];
  })[];
  /** It was still so in the look at the end. */
  stays: boolean;
}

/** A rule that watches over a run. */
export interface Monitor extends Tally {
  /** The exchanges that break it, by what is wrong with them. */
  readonly kinds: Map<string, Breaches>;
  /** Interns that it saw as they should not be: they are read once more when all else is done. */
  readonly unread: Set<string>;
}

/** The interns that an exchange shows as they should not be. */
const internsIn = ({ id, operation }: Seen, got: unknown): readonly string[] =>
  operation.name === 'list'
    ? Array.isArray(got)
      ? got.filter((one) => typeof one === 'string')
      : []
    : id === undefined || operation.area === 'scim'
      ? []
      : [id];

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

/** The monitors of a run: every exchange passes them, and the model behind them. */
export function createMonitors(model: Model, now: () => number) {
  const kept = new Recent<number, Looked>(KEPT);
  /** Kinds of breaches that nothing showed before, by the check that met them. */
  const broken = new Map<string | undefined, number>();
  /** The first breach that a walk met since it asked for it, by its check. */
  const met = new Map<string, Finding>();
  /** Requests under way, by their number. */
  const asking = new Map<number, Request>();
  const monitors = new Map<string, Monitor>();
  let watching: typeof rulesFor | undefined;
  let last = 0;
  /** A moment after every earlier one, however coarse the clock is. */
  const moment = () => {
    last = Math.max(now(), last + 0.001);
    return last;
  };
  let astray = false;
  let looking = false;
  let begun = false;
  let closed = false;

  /** Whether the answers to a sender say something of the target. */
  const looksAt = (by: Sender | undefined): boolean => {
    const leads = by?.staged === true;
    if (leads && !astray) model.restart();
    astray = leads;
    return !leads;
  };
  const findingOf = (breach: Breach, { asked }: Seen, more: Partial<Found> = {}): Finding =>
    new Finding({
      ...foundBy(breach),
      exchange: asked.number,
      ...(breach.leak === undefined ? {} : { leak: breach.leak }),
      ...more,
    });
  /** Notes that an exchange breaks a rule. */
  const note = (monitor: Monitor, breach: Breach, seen: Seen, looked: Looked) => {
    const { kinds, rule, unread } = monitor;
    const { because } = breach;
    const { record, status } = looked;
    const finding = findingOf(breach, seen);
    const { wanted } = finding.found;
    const kind = wanted.kind === 'value' ? wanted.path : wanted.kind;
    if (rule.settles !== undefined && status < 300) for (const id of internsIn(seen, breach.actual)) unread.add(id);
    const breaches = kinds.get(kind) ?? { exchanges: new Set(), situations: new Set(), shown: [], stays: false };
    if (kinds.size < KINDS) kinds.set(kind, breaches);
    breaches.exchanges.add(record.number);
    breaches.situations.add(situationOf(seen));
    if (breaches.exchanges.size === 1) broken.set(looked.by?.id, (broken.get(looked.by?.id) ?? 0) + 1);
    const { shown } = breaches;
    if (looking && !breaches.stays) shown.splice(SHOWN - 1);
    breaches.stays ||= looking;
    if (shown.length < SHOWN && shown.every((one) => one.record !== record))
      shown.push({
        ...looked,
        at: seen.asked.at,
        finding,
        because: because.flatMap((number) => kept.get(number) ?? []),
      });
  };
  /** Whether a walk reports the breach of a rule at once: elsewhere, one that a late read may cause waits for the end. */
  const atOnce = (rule: Rule): boolean =>
    model.options.ours === true || (rule.settles === undefined && !monitors.has(rule.id));
  /** Rules judge an exchange first; then the model learns from it. Every rule judges what a walk asks for. */
  const judge = (looked: Looked, exchange: Exchange) => {
    const { by, record } = looked;
    kept.set(record.number, looked);
    const seen = closed ? undefined : seenBy(model, exchange);
    if (seen !== undefined) {
      const walks = by?.walks === true ? by.id : undefined;
      watching ??= byOperation([...monitors.values()].map(({ rule }) => rule));
      for (const rule of walks === undefined ? watching(seen) : rulesFor(seen)) {
        const monitor = monitors.get(rule.id);
        const judgement = judgementOn(seen, () => rule.judge(seen, model), monitor);
        if (judgement === undefined || judgement === 'kept') continue;
        if (walks !== undefined && !met.has(walks) && atOnce(rule))
          met.set(walks, findingOf(judgement, seen, { breaks: { requirement: rule.requirement, level: rule.level } }));
        if (monitor !== undefined) note(monitor, judgement, seen, looked);
      }
    }
    model.sees(exchange);
  };
  const over = (number: number): Request | undefined => {
    const asked = asking.get(number);
    asking.delete(number);
    return asked;
  };

  return {
    /** The clean-up begins: no rule judges it. */
    close() {
      closed = true;
    },
    /** Watches from now on. */
    begin(check: Check) {
      const { id } = check;
      const rule = ruleOf(check);
      if (rule === undefined) return;
      watching = undefined;
      monitors.set(id, { ...tallyOf(rule), kinds: new Map(), unread: new Set() });
    },
    /**
     * The exchanges that a rule has judged, and those that break it.
     *
     * @throws Error that names the exchange at which the rule failed: a mistake of the kit
     */
    of(id: string): Readonly<Monitor> {
      const monitor = monitors.get(id);
      if (monitor === undefined) throw new Error(`nobody watches for ${id}`);
      if (monitor.failure !== undefined) throw monitor.failure;
      return monitor;
    },
    /** Kinds of breaches that one exchange showed, or more: of all exchanges, or of those that a check asked for. */
    broken: (by?: string): number =>
      by === undefined ? [...broken.values()].reduce((sum, one) => sum + one, 0) : (broken.get(by) ?? 0),
    /** The first breach that the walk of a check met since this was asked. */
    breach(by: string): Finding | undefined {
      const finding = met.get(by);
      met.delete(by);
      return finding;
    },
    /** Interns that any of them has to see once more. */
    get unread(): ReadonlySet<string> {
      return new Set([
        ...(monitors.size === 0 ? [] : model.missed),
        ...[...monitors.values()].flatMap(({ unread }) => [...unread]),
      ]);
    },
    /** Whether an intern was met as it should not be. */
    isStray: (id: string): boolean => [...monitors.values()].some(({ unread }) => unread.has(id)),
    /** Requests that the look at the end is still to take. */
    get owed(): number {
      return !begun && [...monitors.values()].some(({ rule }) => rule.settles !== undefined) ? LAST_LOOK : 0;
    },
    /** The look at the end begins: it is owed no more. */
    lookBegins() {
      begun = true;
    },
    /** The run has ended but for this look: a breach that shows now is final. */
    get looks(): boolean {
      return looking;
    },
    set looks(now: boolean) {
      looking = now;
    },
    asks(asked: Omit<Request, 'at'>, by: Sender | undefined) {
      if (!looksAt(by)) return;
      const request = { ...asked, at: moment() };
      asking.set(request.number, request);
      model.asks(request);
    },
    /** No answer came. */
    lost(number: number) {
      const asked = over(number);
      if (asked !== undefined) model.sees({ asked, answered: undefined });
    },
    /** The head of an answer came. */
    begins(number: number, status: number) {
      const asked = asking.get(number);
      if (asked !== undefined) model.begins(asked, status, moment());
    },
    sees(send: Send, answer: Answer, record: Evidence, by: Sender | undefined) {
      if (!looksAt(by)) return;
      const request = over(record.number);
      // A read that does not wait for what was written is there to measure how late reads are.
      if (request === undefined || send.soon === true) return;
      judge({ send, status: answer.status, record, by }, exchangeOf(request, answer, moment()));
    },
    hears(send: Send, transcript: Transcript, record: Evidence, by: Sender | undefined) {
      if (!looksAt(by)) return;
      const request = over(record.number);
      if (request === undefined) return;
      const exchange = streamOf(request, transcript, moment());
      // A stream that the end of its check has closed was not read to its end.
      if (record.ended === 'end') judge({ send, status: 200, record, by }, exchange);
      else model.glimpses(exchange);
    },
  };
}
