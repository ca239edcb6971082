import type { FailOn } from '../framework/baseline.js';
import type { Incomplete, Stop } from '../framework/stop.js';
import type { Learnt } from '../habits/visit.js';
import { type Baseline, evaluateBaseline } from './baseline.js';
import type { CleanupResult } from './cleanup.js';
import type { CheckResult, Results } from './results.js';
import { count, coverage, evaluate, matrix } from './verdict.js';
import { KIT_VERSION } from './version.js';

/** The part of the results that is not its rows. */
export interface Assembled {
  readonly tag: string;
  /** ms: when it began, and now. */
  readonly began: number;
  readonly now: number;
  readonly target: Results['target'];
  readonly options: Pick<Results['options'], 'seed'> & Partial<Results['options']>;
  readonly requests: number;
  readonly cleanup?: CleanupResult;
  readonly stopped?: Stop | undefined;
  readonly others?: readonly Incomplete[];
  readonly minCoverage?: number | undefined;
  readonly asked?: Learnt['asked'];
  /** The units are of the ledger of requirements. */
  readonly ledger?: true;
  readonly failOn?: FailOn | undefined;
  /** The baseline, and whether an id has a unit. */
  readonly baseline?: Baseline | undefined;
  exists(id: string): boolean;
  /** Secrets taken out. */
  clean?<Data>(data: Data): Data;
}

/** Puts the rows of a run together, whatever its units were: verdict, exit status, counts, and what is stale in the baseline. */
export function assemble(rows: readonly CheckResult[], run: Assembled): Results {
  const { clean = (data) => data, cleanup = { created: 0, deleted: 0, failed: [] } } = run;
  const { failOn, minCoverage, now, others, stopped } = run;
  const baseline = run.baseline && evaluateBaseline(run.baseline, rows, { now, failOn, exists: run.exists });
  const stale = baseline?.stale;
  return {
    format: 'intern-conformance',
    version: 1,
    kit: KIT_VERSION,
    run: run.tag,
    started: new Date(run.began).toISOString(),
    duration: Math.round(now - run.began),
    target: run.target,
    options: {
      runs: 1,
      only: [],
      skip: [],
      levels: [],
      readOnly: false,
      slow: 0,
      ...(failOn === undefined ? {} : { failOn }),
      ...run.options,
    },
    ...clean(
      evaluate(rows, { cleanup, stopped, stale, ...(others === undefined ? {} : { others }), minCoverage, failOn }),
    ),
    counts: count(rows),
    coverage: coverage(rows, run.asked),
    requests: run.requests,
    checks: rows,
    requirements: run.ledger === true ? matrix(rows) : [],
    cleanup,
    ...(baseline === undefined ? {} : { baseline }),
  };
}
