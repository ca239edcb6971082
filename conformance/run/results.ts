import type { ControlCall } from '../framework/control.js';
import type { FalsifiedProperty, Found } from '../framework/finding.js';
import type { PropertyRun } from '../framework/property.js';
import type { Skip } from '../framework/skip.js';
import type { Incomplete } from '../framework/stop.js';
import type { ShownExchange } from '../probe/evidence.js';
import type { Level, RequirementId } from '../requirements/index.js';
import type { BudgetName } from './budget.js';
import type { CleanupResult } from './cleanup.js';

/** A unit that is known to fail (KIT-10). */
export interface KnownFailure {
  readonly id: string;
  /** Why it may fail for now. */
  readonly reason?: string;
  /** Where to read more: an issue. */
  readonly link?: string;
  /** The last day, as YYYY-MM-DD in UTC, on which it may fail. After it the failure counts again. */
  readonly expires?: string;
  /** It fails at times: it may pass too. */
  readonly flaky?: true;
}

/** The entry of a baseline for a result. */
export interface KnownAs extends Omit<KnownFailure, 'id' | 'flaky'> {
  /** Of an entry that may pass too: how often it failed, of how many tries that came to a verdict. */
  readonly flaky?: { readonly failed: number; readonly of: number };
  /** Its last day is over: a failure counts again. */
  readonly expired?: true;
}

/** The state of the baseline after a run. */
export interface BaselineResult {
  readonly known: readonly string[];
  /** Entries that hold no longer: of units that do not fail, or do not exist. */
  readonly stale: readonly string[];
}

/** The findings that count as failures: stated sentences alone, published ones too, or also those that a judge saw once. */
export type FailOn = 'fail' | 'warn' | 'once';

/** `error` is the kit's own fault (for a client: its adapter's), never the target's. `pass-alternative`: clients alone. */
export type Verdict = 'pass' | 'pass-alternative' | 'fail' | 'warn' | 'skip' | 'error';

/** A call of the control interface among the requests of a transcript. */
export interface ControlStep extends ControlCall {
  /** Number of the last exchange that had begun before it. */
  readonly after: number;
}

/** A finding with all that a reader needs to act on it. It is JSON, and free of secrets. */
export interface FindingResult extends Omit<Found, 'breaks'> {
  /** Further differences of one look (clients, recordings), or the findings of an earlier try. */
  readonly others?: readonly Omit<Found, 'breaks'>[];
  /** The requirement that is broken, where it is not the one that the check is about. */
  readonly breaks?: RequirementId;
  /** The level of what is broken, where it is not that of the check. */
  readonly level?: Level;
  readonly property?: FalsifiedProperty;
  /** The check that asked, where another judged what it met. */
  readonly askedBy?: string;
  readonly transcript: readonly ShownExchange[];
  /** Calls of the control interface that led there, in their order: emulators only. */
  readonly control?: readonly ControlStep[];
  /** The last request before the finding, as a command. */
  readonly curl?: string;
  /** The drawn values; checks alone have some. */
  readonly seed?: string;
  readonly runs?: number;
  /** One command that does the check again, with the same values. */
  readonly replay: string;
}

/** A clause that a row has of its own. `rule` is the same for all rows that stand on the same. */
interface Clause {
  readonly sentence: string;
  readonly where: string;
  readonly rule?: string;
}

/** The ground of a row: a requirement of the ledger, or a clause that is reported with it. */
type Ground =
  | { readonly requirement: RequirementId; readonly clause?: undefined }
  | { readonly requirement: string; readonly clause: Clause };

/** The head of a row, before its unit runs. */
export type RowHead = Ground & { readonly id: string; readonly level: Level; readonly title: string };

/** A row of a report: anything that was tried and came to a verdict. */
export type CheckResult = RowHead & {
  readonly verdict: Verdict;
  /** ms of real time. */
  readonly duration: number;
  readonly requests: number;
  readonly properties: readonly PropertyRun[];
  readonly finding?: FindingResult;
  readonly skip?: Skip;
  /** A finding of an earlier try at a live target that did not show again: alone it does not count. */
  readonly note?: FindingResult;
  readonly error?: {
    readonly message: string;
    readonly stack?: string;
    readonly transcript: readonly ShownExchange[];
    /** The party at fault; without it, the kit. */
    readonly whose?: 'adapter';
  };
  /** Of a `pass-alternative`: why that is right too. */
  readonly alternative?: string;
  /** Known from the baseline: does not count against the target. */
  readonly known?: boolean;
  /** Its entry in the baseline (KIT-10). */
  readonly knownAs?: KnownAs;
  /** Of no published set of checks that the run was held to: does not count against the target (KIT-9). */
  readonly new?: true;
  /** Of a rule: how many exchanges it was held against. */
  readonly judged?: number;
  /** Of a rule: the operations and statuses of those exchanges, as `get 404`. */
  readonly situations?: readonly string[];
  /** Of a broken rule: the situations of the exchanges that break it. */
  readonly brokenIn?: readonly string[];
  /** Of a judge: one exchange broke what others had led to expect, and nothing showed it again. */
  readonly once?: true;
};

export interface RequirementResult {
  readonly id: string;
  readonly level: Level;
  readonly sentence: string;
  readonly where: string;
  readonly excluded?: string;
  /** The worst of its checks; `excluded`, or `none` where no check was selected. */
  readonly verdict: Verdict | 'excluded' | 'none';
  readonly checks: readonly string[];
  /** Exchanges that its rules judged. Older reports do not say. */
  readonly judged?: number;
  /** The operations and statuses of those exchanges, as `get 404`. */
  readonly situations?: readonly string[];
}

/** How much of what was selected came to a verdict. */
export interface Coverage {
  readonly checked: number;
  readonly of: number;
  /** Checks that wait on a question of the intern, where none was seen in the whole run. */
  readonly noQuestionSeen: boolean;
  /** The same of permissions, which `approval_mode: manual` makes an intern ask for. */
  readonly noPermissionSeen?: boolean;
  /** The same of what can be asked with what was given of the target: its credentials and facts. Older kits wrote none. */
  readonly askable?: { readonly checked: number; readonly of: number };
  /** The same without the checks that only an emulator can be asked for, where some were left out for that alone. */
  readonly fromOutside?: FromOutside;
}

/** How much came to a verdict of what a deployment can show. */
interface FromOutside {
  readonly checked: number;
  readonly of: number;
  readonly requirements: { readonly checked: number; readonly of: number };
}

/** The results of a run, for reporters. They are JSON. */
export interface Results {
  readonly format: 'intern-conformance';
  readonly version: 1;
  readonly kit: string;
  readonly run: string;
  readonly started: string;
  /** ms of real time. */
  readonly duration: number;
  readonly target: {
    /** `client`: `url` names the adapter. */
    readonly kind: 'emulator' | 'live' | 'client';
    readonly url: string;
    /** It runs in the process of the kit: nothing listens at its address. */
    readonly inProcess?: true;
    readonly profile: string;
    readonly published: boolean;
  };
  readonly options: {
    readonly seed: string;
    readonly runs: number;
    readonly only: readonly string[];
    readonly skip: readonly string[];
    readonly levels: readonly Level[];
    readonly readOnly: boolean;
    readonly slow: number;
    readonly shard?: { readonly index: number; readonly of: number };
    /** From which verdict on the target fails; without it, `fail`. */
    readonly failOn?: FailOn;
    /** The published set of checks that it is held to. */
    readonly requirements?: string;
    /** How much was to be done: what it left out is skipped, and says so. */
    readonly budget?: BudgetName;
  };
  /** `incomplete`: nothing failed, but nothing ran, or a part that should have run could not. */
  readonly verdict: 'pass' | 'fail' | 'incomplete';
  /** Why it is incomplete, or fails for another reason than a check. */
  readonly incomplete: readonly Incomplete[];
  readonly exit: 0 | 1 | 3;
  readonly counts: Readonly<Record<Verdict, number>>;
  readonly requests: number;
  readonly checks: readonly CheckResult[];
  readonly requirements: readonly RequirementResult[];
  readonly cleanup: CleanupResult;
  readonly baseline?: BaselineResult;
  readonly coverage: Coverage;
}

/** Events of a run. */
export interface RunEvents {
  start?(plan: {
    readonly checks: number;
    readonly target: Results['target'];
    /** The word for their units. */
    readonly kind: 'check' | 'case' | 'scenario';
  }): void;
  checkStart?(check: { readonly id: string; readonly index: number; readonly of: number }): void;
  checkEnd?(result: CheckResult, at: { readonly index: number; readonly of: number }): void;
  cleanup?(): void;
}
