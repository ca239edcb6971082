import type { Asked } from '../model/exchange.js';
import type { KitFault } from '../model/skip.js';
import type { Breach, Judgement, Rule, Seen } from '../rules/rule.js';

/** The number of exchanges that rules judged: of all rules, and by requirement. */
export interface Exchanges {
  readonly all: number;
  of(requirement: string): number;
}

/** Counts the exchanges that rules judged. One exchange counts once, however many rules judge it. */
export function createExchanges() {
  const counts = new Map<string, number>();
  /** The requirements whose rules judged the latest exchange. */
  const judging = new Set<string>();
  let latest: Seen | undefined;
  let all = 0;
  return {
    judged(requirement: string, seen: Seen) {
      if (latest !== seen) {
        latest = seen;
        all++;
        judging.clear();
      }
      if (judging.has(requirement)) return;
      judging.add(requirement);
      counts.set(requirement, (counts.get(requirement) ?? 0) + 1);
    },
    get all(): number {
      return all;
    },
    of: (requirement: string): number => counts.get(requirement) ?? 0,
  };
}

/** A rule, and the exchanges that it judged. */
export interface Tally {
  readonly rule: Rule;
  readonly exchanges: ReturnType<typeof createExchanges>;
  judged: number;
  /** The operations and statuses of these exchanges. */
  readonly situations: Set<string>;
  /** The first exception of the rule, a mistake of the kit. */
  failure: Error | undefined;
}

export const tallyOf = (rule: Rule, exchanges: Tally['exchanges']): Tally => ({
  rule,
  exchanges,
  judged: 0,
  situations: new Set(),
  failure: undefined,
});

/** A mistake of the kit, with the exchange at which it was made. */
export const faultAt = ({ number, method, path }: Asked, error: unknown): KitFault => ({
  kind: 'fault',
  exchange: number,
  request: `${method} ${path}`,
  message: String(error),
});

/**
 * Judges an exchange by a rule, and counts it. Undefined where the rule does not apply.
 *
 * @throws the exception of the rule if there is no tally to note it
 */
export function judgementOn(seen: Seen, judge: () => Judgement, tally: Tally | undefined): 'kept' | Breach | undefined {
  try {
    const judgement = judge();
    if (judgement !== undefined && tally !== undefined) {
      tally.judged++;
      tally.exchanges.judged(tally.rule.requirement, seen);
      tally.situations.add(seen.situation);
    }
    return judgement;
  } catch (error) {
    if (tally === undefined) throw error;
    const { exchange, request, message } = faultAt(seen.asked, error);
    tally.failure ??= new Error(`exchange ${exchange} (${request}): ${message}`, { cause: error });
    return undefined;
  }
}
