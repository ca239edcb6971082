import type { ControlCall } from '../drivers/control.js';
import type { FalsifiedProperty, Mistake } from '../model/finding.js';
import type { Incomplete, Skip } from '../model/skip.js';
import type { ShownExchange } from '../probe/evidence.js';
import type { Level, RequirementId } from '../requirements/index.js';
import type { CleanupResult } from './cleanup.js';
import type { BudgetName } from './limits.js';
import type { PropertyRun } from './property.js';
import type { UnitKind } from './select.js';

/** A unit that is known to fail (KIT-10). */
export interface KnownFailure {
  readonly id: string;
  /** Why it may fail for now. */
  readonly reason?: string;
  /** The address of an issue. */
  readonly link?: string;
  /** The last day, as YYYY-MM-DD in UTC, on which it may fail. After it the failure counts again. */
  readonly expires?: string;
  /** It may fail or pass. */
  readonly flaky?: true;
}

/** The entry of a baseline for a result. */
export interface KnownAs extends Omit<KnownFailure, 'id' | 'flaky'> {
  /** The failures of a flaky entry, among its tries with a verdict. */
  readonly flaky?: { readonly failed: number; readonly of: number };
  /** Whether its last day is over: a failure counts again. */
  readonly expired?: true;
}

/** The findings that fail a target. `fail`: of stated sentences. `warn`: of published ones, too. `once`: also those that a judge saw once. */
export type FailOn = 'fail' | 'warn' | 'once';

/** `error` is the kit's own fault (for a client: its adapter's), never the target's. `pass-alternative`: only of clients. */
export type Verdict = 'pass' | 'pass-alternative' | 'fail' | 'warn' | 'skip' | 'error';

/** A call of the control interface among the requests of a transcript. */
export interface ControlStep extends ControlCall {
  /** Number of the last exchange that had begun before it. */
  readonly after: number;
}

/** A finding with all that a reader needs to act on it. It is JSON, and free of secrets. */
export interface FindingResult extends Mistake {
  /** Further findings: of the same comparison (clients, recordings), or of an earlier try. */
  readonly others?: readonly Mistake[];
  /** The broken requirement, if it is not that of the check. */
  readonly breaks?: RequirementId;
  /** Its level, if it is not that of the check. */
  readonly level?: Level;
  readonly property?: FalsifiedProperty;
  /** The check whose request another check judged. */
  readonly askedBy?: string;
  readonly transcript: readonly ShownExchange[];
  /** Numbers of the exchanges that established what was expected: findings of rules only. */
  readonly restsOn?: readonly number[];
  /** Calls of the control interface before the finding, in their order: emulators only. */
  readonly control?: readonly ControlStep[];
  /** The last request before the finding, as a command. */
  readonly curl?: string;
  /** The seed of the drawn values; only checks have one. */
  readonly seed?: string;
  readonly runs?: number;
  /** The command that repeats the check with the same values. */
  readonly replay: string;
}

/** A clause that is not in the ledger. Rows with the same clause share one `rule`. */
interface Clause {
  readonly sentence: string;
  readonly where: string;
  readonly rule?: string;
}

/** The basis of a row: a requirement of the ledger, or a clause of its own. */
type Ground =
  | { readonly requirement: RequirementId; readonly clause?: undefined }
  | { readonly requirement: string; readonly clause: Clause };

/** The head of a row, before its unit runs. */
export type RowHead = Ground & { readonly id: string; readonly level: Level; readonly title: string };

/** A row of a report. */
export type CheckResult = RowHead & {
  readonly verdict: Verdict;
  /** ms of real time. */
  readonly duration: number;
  readonly requests: number;
  readonly properties: readonly PropertyRun[];
  readonly finding?: FindingResult;
  readonly skip?: Skip;
  /** A finding that did not come again at a live target: it does not count. */
  readonly note?: FindingResult;
  readonly error?: {
    readonly message: string;
    readonly stack?: string;
    readonly transcript: readonly ShownExchange[];
    /** The party at fault; without it, the kit. */
    readonly whose?: 'adapter';
  };
  /** Why a `pass-alternative` is also right. */
  readonly alternative?: string;
  /** Whether the baseline knows it: it does not count against the target. */
  readonly known?: boolean;
  /** Its entry in the baseline (KIT-10). */
  readonly knownAs?: KnownAs;
  /** Whether the published set of checks lacks it: it does not count against the target (KIT-9). */
  readonly new?: true;
  /** The number of exchanges that a rule judged. */
  readonly judged?: number;
  /** The operations and statuses of the exchanges that a rule judged, as `get 404`. */
  readonly situations?: readonly string[];
  /** The number of exchanges that break a rule. */
  readonly brokenBy?: number;
  /** The operations and statuses of the exchanges that break a rule. */
  readonly brokenIn?: readonly string[];
  /** Whether a judge saw the breach in one exchange only, and the rule rests on earlier ones. */
  readonly once?: true;
};

export interface RequirementResult {
  readonly id: string;
  readonly level: Level;
  readonly sentence: string;
  readonly where: string;
  readonly excluded?: string;
  /** The worst verdict of its checks; `excluded`, or `none` where no check was selected. */
  readonly verdict: Verdict | 'excluded' | 'none';
  readonly checks: readonly string[];
  /** Judgements of its rules. Older reports lack the number. */
  readonly judged?: number;
  /** Exchanges that its rules judged, each counted once. Reports of older kits, and of clients, lack the number. */
  readonly exchanges?: number;
  /** The operations and statuses of those exchanges, as `get 404`. */
  readonly situations?: readonly string[];
}

/** The selected checks (`of`), and those with a verdict (`checked`). */
export interface Coverage {
  readonly checked: number;
  readonly of: number;
  /** Whether checks waited for a question of the intern, and the whole run saw none. */
  readonly noQuestionSeen: boolean;
  /** The same for requests for permission, which `approval_mode: manual` asks for. */
  readonly noPermissionSeen?: boolean;
  /** The coverage of the checks that the given credentials and facts allow. Older kits wrote none. */
  readonly askable?: { readonly checked: number; readonly of: number };
  /** The coverage without the checks that only an emulator can do, if some were skipped for that reason. */
  readonly fromOutside?: FromOutside;
}

/** The coverage of the checks that a deployment allows. */
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
    /** The target runs in the process of the kit. */
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
    /** The findings that fail the target. Default: `fail`. */
    readonly failOn?: FailOn;
    /** The published set of checks that counts. */
    readonly requirements?: string;
    /** The budget of the run. Checks beyond it are skipped. */
    readonly budget?: BudgetName;
  };
  /** `incomplete`: nothing failed, but nothing ran, or a part that should have run could not. */
  readonly verdict: 'pass' | 'fail' | 'incomplete';
  /** Why the run is incomplete, or fails without a check. */
  readonly incomplete: readonly Incomplete[];
  /** 70: nothing failed, but the kit itself made a mistake. */
  readonly exit: 0 | 1 | 3 | 70;
  readonly counts: Readonly<Record<Verdict, number>>;
  readonly requests: number;
  /** Exchanges that rules judged, each counted once. Reports of older kits, and of clients, lack the number. */
  readonly exchanges?: number;
  readonly checks: readonly CheckResult[];
  readonly requirements: readonly RequirementResult[];
  readonly cleanup: CleanupResult;
  /** The entries of the baseline. A `stale` one has a unit that does not fail any more, or none. */
  readonly baseline?: { readonly known: readonly string[]; readonly stale: readonly string[] };
  readonly coverage: Coverage;
}

/** Events of a run. */
export interface RunEvents {
  start?(plan: {
    readonly checks: number;
    readonly target: Results['target'];
    /** The word for one unit of the run. */
    readonly kind: UnitKind;
  }): void;
  checkStart?(check: { readonly id: string; readonly index: number; readonly of: number }): void;
  checkEnd?(result: CheckResult, at: { readonly index: number; readonly of: number }): void;
  cleanup?(): void;
}
