import type { Incomplete } from '../model/skip.js';
import type { CheckResult, Results } from './results.js';
import { count, coverage, evaluate, matrix } from './verdict.js';

/** Reports that cannot be merged. */
export class MergeError extends Error {
  override readonly name = 'MergeError';
}

/** Reasons that are computed anew from the checks of all shards: one empty shard is no fault. */
const OF_ALL: ReadonlySet<Incomplete['kind']> = new Set([
  'baseline',
  'none-selected',
  'none-ran',
  'blocked',
  'unreached',
  'errors',
  'left-behind',
]);

const distinct = (reasons: readonly Incomplete[]): Incomplete[] => [
  ...new Map(reasons.map((reason) => [JSON.stringify(reason), reason])).values(),
];

/**
 * Merges the reports of the shards of a run. A missing shard keeps the result from being a pass.
 *
 * @throws MergeError where targets differ or a check comes twice
 */
export function merge(parts: readonly Results[]): Results {
  const [first] = parts;
  if (first === undefined) throw new MergeError('there is no report to merge');
  const checks: CheckResult[] = [];
  const sum = (all: readonly (number | undefined)[]) => all.reduce<number>((total, one = 0) => total + one, 0);
  const seen = new Set<string>();
  for (const part of parts) {
    if (part.target.url !== first.target.url) {
      throw new MergeError(`the reports are of different targets: ${first.target.url} and ${part.target.url}`);
    }
    for (const check of part.checks) {
      if (seen.has(check.id)) throw new MergeError(`${check.id} stands in more than one of the reports`);
      seen.add(check.id);
      checks.push(check);
    }
  }
  const of = first.options.shard?.of ?? 1;
  const there = new Set(parts.map((part) => part.options.shard?.index ?? 1));
  const missing = Array.from({ length: of }, (_, at) => at + 1).filter((index) => !there.has(index));
  const [unsearched] = parts.flatMap((part) => part.cleanup.unsearched ?? []);
  const cleanup = {
    created: sum(parts.map((part) => part.cleanup.created)),
    deleted: sum(parts.map((part) => part.cleanup.deleted)),
    failed: parts.flatMap((part) => part.cleanup.failed),
    ...(unsearched === undefined ? {} : { unsearched }),
  };
  const known = [...new Set(parts.flatMap((part) => part.baseline?.known ?? []))];
  const stale = [...new Set(parts.flatMap((part) => part.baseline?.stale ?? []))];
  const exchanges = {
    all: sum(parts.map((part) => part.exchanges)),
    of: (id: string) => sum(parts.map(({ requirements }) => requirements.find((row) => row.id === id)?.exchanges)),
  };
  const areCounted = parts.every((part) => part.exchanges !== undefined);
  const evaluated = evaluate(checks, {
    cleanup,
    stale,
    failOn: first.options.failOn,
    others: [
      ...(missing.length > 0 ? [{ kind: 'shards' as const, missing, of }] : []),
      ...distinct(parts.flatMap(({ incomplete }) => incomplete.filter(({ kind }) => !OF_ALL.has(kind)))),
    ],
  });
  const { shard: _, ...options } = first.options;
  return {
    ...first,
    run: parts.map((part) => part.run).join('+'),
    started: parts.map((part) => part.started).sort()[0] ?? first.started,
    duration: Math.max(...parts.map((part) => part.duration)),
    options,
    ...evaluated,
    counts: count(checks),
    coverage: {
      ...coverage(checks),
      noQuestionSeen: parts.every((part) => part.coverage.noQuestionSeen),
      noPermissionSeen: parts.every((part) => part.coverage.noPermissionSeen === true),
    },
    requests: sum(parts.map((part) => part.requests)),
    ...(areCounted ? { exchanges: exchanges.all } : {}),
    checks,
    // Reports of clients and recordings have no requirements of the interface.
    requirements: parts.every((part) => part.requirements.length === 0)
      ? []
      : matrix(checks, areCounted ? exchanges : undefined),
    cleanup,
    ...(known.length === 0 && stale.length === 0 ? {} : { baseline: { known, stale } }),
  };
}
