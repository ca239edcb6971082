import { counted } from '../../emulator/contract/counted.js';
import type { Profile } from '../../emulator/contract/profile.js';
import type { Asked, Exchange } from '../model/exchange.js';
import type { Found } from '../model/finding.js';
import { createModel } from '../model/model.js';
import { operationOf } from '../model/operations.js';
import { LATE, Recent } from '../model/options.js';
import type { KitFault, Stop } from '../model/skip.js';
import { type PublicKey, profileBy } from '../model/target.js';
import type { ShownExchange } from '../probe/evidence.js';
import { systemHost } from '../probe/time.js';
import { type Report, reportOf } from '../report/json.js';
import { type Breach, foundBy, RULES, type Rule, rulesFor, seenBy } from '../rules/index.js';
import type { Judgement } from '../rules/rule.js';
import { foundIn } from '../run/finding.js';
import type { CheckResult, FailOn, FindingResult, RowHead } from '../run/results.js';
import { createExchanges, faultAt, judgementOn, type Tally, tallyOf } from '../run/tally.js';
import { asKnown, assemble, type Baseline } from '../run/verdict.js';
import { createCallers, createHiding } from './callers.js';
import { exchangeBy } from './exchange.js';
import { readEntry } from './har.js';

/** Most exchanges that a report can show, and most different breaches of one rule. */
const SHOWN = 10_000;
const APART = 1_000;
/** Most credentials that are recognized in answers. */
const CALLERS = 10_000;

/** The options of a judge. */
export interface JudgeOptions {
  /** The name of a shipped profile, or a profile. Default: svc. */
  readonly profile?: Profile | string;
  /** The keys that proofs are verified with. */
  readonly publicKeys?: readonly PublicKey[];
  /** The workspace of all members. Default: the one in which each is seen. */
  readonly workspace?: string;
  /** The ids of the rules to judge by. Default: all. */
  readonly only?: ReadonlySet<string>;
  /**
   * Whether the judge sees every request to the target, from the first one on. Otherwise requests may be missing, so values that
   * may change (settings, statuses) are not judged.
   */
  readonly whole?: boolean;
  /** Called with each broken rule as soon as its breach counts. */
  readonly confirmed?: (row: CheckResult) => void;
  /** Whether the target is an emulator of ours. Rules for those alone then apply, too. */
  readonly ours?: boolean;
}

/** The verdict of a rule on an exchange. */
export interface Ruling {
  readonly rule: Rule;
  /** Undefined if the rule is kept. */
  readonly breach: ({ readonly found: Pick<Found, 'wanted' | 'got' | 'of'> } & Pick<Breach, 'because'>) | undefined;
}

/** The inputs of a judge's report. */
export interface ReportOptions {
  readonly failOn?: FailOn;
  readonly baseline?: Baseline;
  /** The command that judges the same again. */
  readonly command?: string;
  /** Why it ended before all was judged. */
  readonly stopped?: Stop | undefined;
}

/** A scope that is judged on its own: a deployment, or a recording. */
export interface Conversation {
  /** Notes that a request is sent. Several are versions of one request whose parts are not all known. */
  asks(...asked: readonly Asked[]): void;
  /** Notes its answer, or that none will come. Returns the rulings of the rules that apply. */
  sees(...exchanges: readonly Exchange[]): readonly Ruling[];
}

/** A rule, and what it judged. */
interface Held extends Tally {
  broken: number;
  /** The operations and statuses of the exchanges that break it. */
  readonly brokenIn: Set<string>;
  /** Whether its breach counts: it came twice, or one is enough. */
  counts: boolean;
  /** The breach that is reported, and its exchange. */
  reported: { readonly breach: NonNullable<Ruling['breach']>; readonly number: number } | undefined;
  /** When each breach came first. */
  readonly since: Map<string, number>;
}

/** Whether a breach counts: it came again, or the rule needs one exchange only. */
function isSure({ rule, since }: Held, breach: Breach, at: number, conversation: number): boolean {
  const { alone = rule.alone } = breach;
  if (rule.settles === undefined && alone === true) return true;
  // Correct reads in between do not make it another breach, but another latest write does.
  const same = rule.settles !== undefined ? [breach.what, breach.actual, breach.because[0]] : [];
  const key = JSON.stringify([conversation, ...same]);
  const first = since.get(key);
  if (first === undefined && since.size < APART) since.set(key, at);
  return first !== undefined && (rule.settles === undefined || at - first >= LATE);
}

/** The verdict of a rule on all versions of an exchange; undefined unless they agree. */
function agreed(judgements: readonly Judgement[]): Judgement {
  const [first] = judgements;
  if (judgements.includes(undefined)) return undefined;
  if (judgements.every((one) => one === 'kept')) return 'kept';
  return judgements.includes('kept') ? undefined : first;
}

/** Rules about the order of names. Aliases do not show it. */
const BY_NAME: ReadonlySet<string> = new Set(['VAULT-5/form']);

/**
 * Judges the exchanges of others by the rules. Sends nothing. Unknown facts, such as the owner of a credential, count
 * against nobody. It keeps only digests of credentials.
 */
export function createJudge(options: JudgeOptions = {}) {
  const profile = profileBy(options.profile);
  const began = systemHost.now();
  const chosen = ({ id }: Rule): boolean => options.only === undefined || options.only.has(id);
  /** Whether a rule applies. Rules of level C apply to emulators of ours only. */
  const isHeld = (rule: Rule): boolean => chosen(rule) && (options.ours === true || rule.level !== 'C');
  // Made when a rule first applies, because most judges need few.
  const tallies = new Map<string, Held>();
  const heldOf = (rule: Rule): Held => {
    const known = tallies.get(rule.id);
    const tally = known ?? {
      ...tallyOf(rule, exchanges),
      broken: 0,
      brokenIn: new Set<string>(),
      counts: false,
      reported: undefined,
      since: new Map(),
    };
    if (known === undefined) tallies.set(rule.id, tally);
    return tally;
  };
  const shown = new Recent<number, ShownExchange>(SHOWN);
  const callers = new Recent<string, true>(CALLERS);
  const hiding = createHiding(callers);
  const targets: string[] = [];
  let seen = 0;
  let judged = 0;
  let ignored = 0;
  const exchanges = createExchanges();
  let fault: KitFault | undefined;
  /** When the first exchange began. */
  let first: number | undefined;

  const keep = ({ asked, answered }: Exchange) => {
    const { number, at, method, path } = asked;
    first ??= at;
    shown.set(number, {
      number,
      at: at - first,
      request: { method, url: path, headers: {} },
      ...(answered && { response: { at: answered.at - first, status: answered.status, headers: {}, pieces: [] } }),
    });
  };

  let numbers = 0;

  /** Begins a scope that is judged on its own. `views`: the number of versions of its exchanges. `hosts`: whether it has several hosts. */
  function open(target: string, { whole = false, views = 1, hosts = false } = {}): Conversation {
    const place = targets.push(target);
    const learnt = createCallers(options.workspace);
    const models = Array.from({ length: views }, () =>
      createModel({
        profile,
        publicKeys: options.publicKeys ?? [],
        caller: learnt.get,
        partial: !whole,
        inUse: true,
        ours: options.ours === true,
      }),
    );
    const asking = new Set<number>();
    /** False once the host has served a request: a regional one refuses all. */
    let mayBeRegional = true;
    /** Works on an exchange. An exception is the kit's own fault: the models forget all. */
    const noting = <T>(asked: Asked, work: () => T): T | undefined => {
      try {
        return work();
      } catch (error) {
        const at = faultAt(asked, error);
        fault ??= { ...at, message: hiding.text(at.message) };
        for (const model of models) model.restart(true);
        return undefined;
      }
    };
    const asks = (...asked: readonly Asked[]) => {
      const [first] = asked;
      if (first === undefined) return;
      asking.add(first.number);
      if (typeof first.caller === 'string') callers.set(first.caller, true);
      noting(first, () => {
        for (const [at, model] of models.entries()) model.asks(asked[at] ?? first);
      });
    };
    return {
      asks,
      sees(...came) {
        const exchanges = mayBeRegional
          ? came
          : came.map((one): Exchange => ({ ...one, asked: { ...one.asked, regional: false } }));
        const [first] = exchanges;
        const rulings: Ruling[] = [];
        if (first === undefined) return rulings;
        const { asked } = first;
        if (operationOf(asked) === undefined) {
          ignored++;
          return rulings;
        }
        if (!asking.delete(asked.number)) asks(...exchanges.map((one) => one.asked));
        asking.delete(asked.number);
        seen++;
        keep(first);
        const all = models.map((model, at) => ({ model, exchange: exchanges[at] ?? first }));
        const looked =
          noting(asked, () => all.map(({ model, exchange }) => ({ model, seen: seenBy(model, exchange) }))) ?? [];
        const shown = looked[0]?.seen;
        for (const rule of shown?.answered.whole === true ? rulesFor(shown) : []) {
          if (!isHeld(rule) || shown === undefined || (views > 1 && BY_NAME.has(rule.id))) continue;
          const tally = heldOf(rule);
          const judge = () => agreed(looked.map((one) => one.seen && rule.judge(one.seen, one.model)));
          const judgement = judgementOn(shown, judge, tally);
          if (judgement === undefined) continue;
          if (judgement === 'kept') {
            rulings.push({ rule, breach: undefined });
            continue;
          }
          tally.broken++;
          tally.brokenIn.add(shown.situation);
          const breach = { found: foundIn(foundBy(judgement), hiding), because: judgement.because };
          rulings.push({ rule, breach });
          const sure = isSure(tally, judgement, asked.at, place);
          if (tally.reported === undefined || (sure && !tally.counts))
            tally.reported = { breach, number: asked.number };
          if (tally.counts || !sure) continue;
          tally.counts = true;
          options.confirmed?.(rowOf(tally));
        }
        if (rulings.length > 0) judged++;
        noting(asked, () => {
          for (const { model, exchange } of all) model.sees(exchange);
        });
        if (!hosts && (first.answered?.status ?? 500) < 300) mayBeRegional = false;
        learnt.sees(first);
        return rulings;
      },
    };
  }

  const findingOf = ({ reported, rule }: Held, command?: string): FindingResult | undefined => {
    if (reported === undefined) return undefined;
    const {
      breach: { found, because },
      number,
    } = reported;
    const numbers = [...new Set([...because, number])].sort((a, b) => a - b);
    return {
      ...found,
      exchange: number,
      ...(because.length === 0 ? {} : { restsOn: because }),
      transcript: numbers.flatMap((one) => shown.get(one) ?? []),
      replay: `${command ?? 'intern-conformance judge FILE'} --only ${rule.id}`,
    };
  };

  const rowOf = (tally: Held, command?: string): CheckResult => {
    const { rule, judged, counts, failure } = tally;
    const head: RowHead = { id: rule.id, requirement: rule.requirement, level: rule.level, title: rule.says };
    const situations = [...tally.situations].toSorted();
    const row = { ...head, duration: 0, requests: judged, judged, situations, properties: [] };
    if (failure !== undefined)
      return { ...row, verdict: 'error', error: { message: hiding.text(failure.message), transcript: [] } };
    const finding = findingOf(tally, command);
    if (finding !== undefined) {
      const verdict = counts && rule.level === 'S' ? 'fail' : 'warn';
      const shownBy = { brokenBy: tally.broken, brokenIn: [...tally.brokenIn].toSorted() };
      return { ...row, verdict, finding, ...shownBy, ...(counts ? {} : { once: true }) };
    }
    if (judged > 0) return { ...row, verdict: 'pass' };
    const need = rule.level === 'C' ? 'an emulator of its own' : 'an exchange that the rule applies to';
    return { ...row, verdict: 'skip', skip: { kind: 'need', because: { kind: 'met', need, note: 'none came up' } } };
  };

  let whole: Conversation | undefined;
  const itself = () => {
    whole ??= open('what it was shown', { whole: options.whole === true, hosts: true });
    return whole;
  };

  return {
    profile,
    open,
    /** Notes that a request is sent. */
    asks: (asked: Asked): void => itself().asks(asked),
    /** Notes an answer, or that none will come, and judges it. */
    sees: (exchange: Exchange): readonly Ruling[] => itself().sees(exchange),
    /**
     * Judges an entry of a HAR 1.2. Entries come in the order in which they ended. Without `Authorization` the request had no
     * credential. Requests outside the interface are ignored.
     *
     * @throws UsageError in one line for an invalid entry
     */
    reads(entry: unknown): readonly Ruling[] {
      const read = readEntry(entry, 'entry');
      if (read === undefined) ignored++;
      return read === undefined
        ? []
        : itself().sees(exchangeBy({ ...read.parts, number: ++numbers }, profile.tool_name));
    },
    /** Counts an exchange outside the interface. */
    ignores() {
      ignored++;
    },
    /** The exchanges of the interface, those among them that a rule judged, and the ignored others. */
    get counts(): { readonly seen: number; readonly judged: number; readonly ignored: number } {
      return { seen, judged, ignored };
    },
    /** The result: the report of the kit, with a row for each rule. */
    report({ failOn, baseline, command, stopped }: ReportOptions = {}): Report {
      const now = systemHost.now();
      const rules = RULES.filter(chosen);
      const rows = rules.map((rule) => asKnown(rowOf(heldOf(rule), command), baseline, now, failOn));
      return reportOf(
        assemble(rows, {
          tag: 'judge',
          began,
          now,
          target: {
            kind: 'live',
            url: [...new Set(targets)].join(', ') || 'nothing',
            profile: profile.name,
            published: profile.published,
          },
          options: { seed: '' },
          requests: seen,
          exchanges,
          ledger: true,
          failOn,
          baseline,
          stopped,
          others: fault === undefined ? [] : [fault],
          exists: (id) => rules.some((rule) => rule.id === id),
        }),
      );
    },
  };
}
export type Judge = ReturnType<typeof createJudge>;

/** The counts of a judge, in words. */
export function metBy({ counts: { seen, judged, ignored } }: Judge): string {
  const others = seen === judged ? '' : `${seen - judged} not, `;
  return `${counted(judged, 'exchange')} judged, ${others}${ignored} passed over`;
}
