import type { Fault } from '../framework/stop.js';
import type { Asked } from '../model/exchange.js';
import { type Breach, type Judgement, type Rule, type Seen, situationOf } from '../rules/rule.js';

/** A rule, and the exchanges that it judged. */
export interface Tally {
  readonly rule: Rule;
  judged: number;
  /** The operations and statuses of these exchanges. */
  readonly situations: Set<string>;
  /** The first exception of the rule, a mistake of the kit. */
  failure: Error | undefined;
}

export const tallyOf = (rule: Rule): Tally => ({ rule, judged: 0, situations: new Set(), failure: undefined });

/** A mistake of the kit, with the exchange at which it was made. */
export const faultAt = ({ number, method, path }: Asked, error: unknown): Fault => ({
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
      tally.situations.add(situationOf(seen));
    }
    return judgement;
  } catch (error) {
    if (tally === undefined) throw error;
    const { exchange, request, message } = faultAt(seen.asked, error);
    tally.failure ??= new Error(`exchange ${exchange} (${request}): ${message}`, { cause: error });
    return undefined;
  }
}
