import type { CheckResult, Results } from '../engine/results.js';
import { operationOf } from '../probe/operation.js';

/** How a request was answered, and in which checks. */
export interface OtherAnswer {
  readonly status: number | undefined;
  readonly checks: readonly string[];
}

/** What the requests of all transcripts of a report were answered, so that one answer can be seen beside the others. */
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
    if (shown === undefined) return undefined;
    const operation = operationOf(shown);
    const answers = [...(found.get(operation) ?? [])]
      .map(([status, ids]) => ({ status, checks: [...ids].filter((one) => one !== id) }))
      .filter(({ checks: others }) => others.length > 0)
      .sort((one, other) => other.checks.length - one.checks.length);
    return answers.length === 0 ? undefined : { operation, answers };
  };
}
