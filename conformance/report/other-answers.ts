import { operationOf } from '../probe/evidence.js';
import type { CheckResult, Results } from '../run/results.js';

/** How a request was answered, and in which checks. */
interface OtherAnswer {
  readonly status: number | undefined;
  /** Some of them, the first. */
  readonly checks: readonly string[];
  readonly many: number;
}

/** How many checks are named of those in which the same request was answered otherwise. */
const NAMED = 6;

/** The other ids of a set, a few by name. The set may be long, and this is called for each of its members. */
function others(ids: ReadonlySet<string>, id: string): Pick<OtherAnswer, 'checks' | 'many'> {
  const checks: string[] = [];
  for (const one of ids) {
    if (checks.length === NAMED) break;
    if (one !== id) checks.push(one);
  }
  return { checks, many: ids.size - (ids.has(id) ? 1 : 0) };
}

/** The answers to each operation in all transcripts of a report, to show one answer beside the others. */
export function answersIn({ checks }: Pick<Results, 'checks'>): (check: CheckResult) =>
  | {
      readonly operation: string;
      readonly answers: readonly OtherAnswer[];
    }
  | undefined {
  const found = new Map<string, Map<number | undefined, Set<string>>>();
  for (const { id, finding, error } of checks)
    for (const exchange of finding?.transcript ?? error?.transcript ?? []) {
      const operation = operationOf(exchange);
      const answers = found.get(operation) ?? new Map<number | undefined, Set<string>>();
      found.set(operation, answers);
      const status = exchange.response?.status;
      answers.set(status, (answers.get(status) ?? new Set()).add(id));
    }
  return ({ id, finding }) => {
    const shown = finding?.transcript.find(({ number }) => number === finding.exchange) ?? finding?.transcript.at(-1);
    // The requests of the lab are those of one client, and all alike.
    if (shown === undefined || shown.response?.sent) return undefined;
    const operation = operationOf(shown);
    const answers = [...(found.get(operation) ?? [])]
      .map(([status, ids]) => ({ status, ...others(ids, id) }))
      .filter(({ many }) => many > 0)
      .sort((one, other) => other.many - one.many);
    return answers.length === 0 ? undefined : { operation, answers };
  };
}
