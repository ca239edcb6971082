import type { Asked } from '../model/exchange.js';
import type { KitFault } from '../model/skip.js';
import type { Breach, Judgement, Rule, Seen } from '../rules/rule.js';

/** The number of exchanges that rules judged: of all rules, and by requirement. */
export interface Exchanges {
  readonly all: number;
  of(requirement: string): number;
}

/** A count of exchanges. One counts once, however many rules judge it in a row. */
class Count {
  many = 0;
  private latest: Seen | undefined;

  add(seen: Seen): void {
    if (this.latest !== seen) this.many++;
    this.latest = seen;
  }
}

/** Counts the exchanges that rules judged. */
export function createExchanges() {
  const all = new Count();
  const counts = new Map<string, Count>();
  return {
    /** The counter for a rule of a requirement. */
    counterOf(requirement: string): Tally['count'] {
      const count = counts.get(requirement) ?? new Count();
      counts.set(requirement, count);
      return (seen) => {
        all.add(seen);
        count.add(seen);
      };
    },
    get all(): number {
      return all.many;
    },
    of: (requirement: string): number => counts.get(requirement)?.many ?? 0,
  };
}

/** A rule, and the exchanges that it judged. */
export interface Tally {
  readonly rule: Rule;
  /** Counts an exchange among those that rules judged. */
  readonly count: (seen: Seen) => void;
  judged: number;
  /** The operations and statuses of these exchanges. */
  readonly situations: Set<string>;
  /** The first exception of the rule, a mistake of the kit. */
  failure: Error | undefined;
}

export const tallyOf = (rule: Rule, exchanges: ReturnType<typeof createExchanges>): Tally => ({
  rule,
  count: exchanges.counterOf(rule.requirement),
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
      tally.count(seen);
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
