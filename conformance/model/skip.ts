import type { CredentialName } from '../probe/request.js';
import type { NoAnswerGot } from '../probe/wait.js';
import type { AnswerGot, Finding, Found } from './finding.js';
import type { Need } from './target.js';

/** The answer to `GET /interns` of a target that cannot be evaluated (KIT-5). */
export type Preflight =
  | { readonly kind: 'unreachable'; readonly got: NoAnswerGot }
  | { readonly kind: 'redirects'; readonly status: number; readonly to?: string }
  /** The target takes no requests for now. */
  | { readonly kind: 'away'; readonly status: number; readonly after?: string }
  | { readonly kind: 'no-json'; readonly status: number; readonly type?: string }
  | { readonly kind: 'broken-json'; readonly type?: string }
  | { readonly kind: 'key-refused' }
  | { readonly kind: 'refuses'; readonly status: number; readonly text: string }
  | { readonly kind: 'no-list' }
  | { readonly kind: 'no-ids' }
  | { readonly kind: 'found'; readonly found: Found };

/** Why a run ended before all was done. */
export type Stop =
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'time'; readonly ms: number; readonly budget?: 'quick' | 'default' | 'thorough' }
  | {
      readonly kind: 'requests' | 'prompts';
      readonly most: number;
      /** The budget of a default limit. Checks beyond it do not make the run incomplete. */
      readonly budget?: 'quick' | 'default' | 'thorough';
    }
  | { readonly kind: 'clean-up-time'; readonly ms: number }
  | { readonly kind: 'silent'; readonly checks: number }
  /** The emulator could not be restored. */
  | { readonly kind: 'not-put-back'; readonly detail: string }
  | { readonly kind: 'no-intern'; readonly status: number }
  | { readonly kind: 'refuses-creates'; readonly workspace: string; readonly status: number }
  | { readonly kind: 'unusable'; readonly credential: CredentialName; readonly how: Unusable }
  | { readonly kind: 'preflight'; readonly saw: Preflight }
  | { readonly kind: 'adapter'; readonly detail: string };

/** A limit of the run that was reached. */
export type LimitStop = Extract<Stop, { readonly kind: 'prompts' | 'time' | 'requests' }>;
export const isLimit = (stop: Stop | undefined): stop is LimitStop =>
  stop !== undefined && ['prompts', 'time', 'requests'].includes(stop.kind);

/** Whether the stop is for a default limit of the budget, not a given one. */
export const isOfBudget = (stop: Stop): boolean => isLimit(stop) && stop.budget !== undefined;

/** A mistake of the kit about an exchange, in no check of its own. */
export interface KitFault {
  readonly kind: 'fault';
  /** The number of the exchange. */
  readonly exchange: number;
  /** Method and path of its request. */
  readonly request: string;
  readonly message: string;
}

/** Why a run without a failed check does not pass. */
export type Incomplete =
  | Stop
  | { readonly kind: 'baseline'; readonly ids: readonly string[] }
  | { readonly kind: 'none-selected' }
  | { readonly kind: 'none-ran' }
  | { readonly kind: 'coverage'; readonly checked: number; readonly of: number; readonly least: number }
  | {
      readonly kind: 'blocked';
      readonly checks: number;
      readonly by: string;
      readonly obstacle: Obstacle;
      readonly seen?: ObstacleSeen;
    }
  | { readonly kind: 'unreached'; readonly checks: number }
  | { readonly kind: 'errors'; readonly ids: readonly string[] }
  | KitFault
  | { readonly kind: 'left-behind'; readonly interns: number }
  | { readonly kind: 'shards'; readonly missing: readonly number[]; readonly of: number };

/** Thrown for a request after the end of the run. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
  /** @param finding the finding against the target that ended the run, if any */
  constructor(
    readonly stop: Stop,
    readonly finding?: Finding,
  ) {
    super(JSON.stringify(stop));
  }
}

/** Thrown for a request of a cancelled check. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

/** A defect that stops the checks that build on the broken part. */
export type Obstacle = 'create' | 'running' | 'gone' | 'chat' | 'streaming' | 'answers';

/** The time of a wait; `virtual`: by the clock of the target. */
export interface Waited {
  readonly ms: number;
  readonly clock: 'real' | 'virtual';
}

/** Why a credential cannot be used: it never worked, it expired, or it sees no intern of the API key. */
export type Unusable = 'opens-nothing' | 'expired' | 'sees-no-intern';

/** The evidence of an obstacle. */
export type ObstacleSeen =
  | { readonly kind: 'create'; readonly status?: number }
  /** A create answered with another's intern, or with none. */
  | { readonly kind: 'not-own' }
  | { readonly kind: 'stays'; readonly waited: Waited }
  | { readonly kind: 'silent' }
  /** A new intern did not reach this status. */
  | { readonly kind: 'never-was'; readonly status: string }
  | BootFailure;

/** An intern that did not come to run. */
export type BootFailure =
  | { readonly kind: 'boot-failed'; readonly message?: string }
  | { readonly kind: 'never-ran'; readonly status: string; readonly waited: Waited };

/** The kind of a question. */
export interface Question {
  readonly kind?: unknown;
  readonly message?: unknown;
  readonly operation?: unknown;
  readonly options?: unknown;
}

/** The reason of a skip, by its kind. */
interface Causes {
  /** The target or the run lacks something. */
  readonly need:
    | { readonly kind: 'lacks'; readonly need: Need; readonly how?: 'read-only' | 'intern-id' | 'script' }
    | { readonly kind: 'runs'; readonly least: number; readonly runs: number }
    | { readonly kind: 'unusable'; readonly credential: CredentialName; readonly how: Unusable }
    | { readonly kind: 'read-only' }
    /** In older reports: the budget of the run left it out. */
    | { readonly kind: 'budget'; readonly budget: 'quick' | 'default' | 'thorough' }
    /** The check would write to an intern that the run has not made, or cannot prove its own. `read`: the status of its read. */
    | {
        readonly kind: 'not-ours';
        readonly how: 'all' | 'not-made' | 'unread' | 'thing';
        readonly id?: string;
        readonly read?: number;
      }
    /** A need in the words of a check, and the observation instead. */
    | { readonly kind: 'met'; readonly need: string; readonly note?: string; readonly got?: unknown }
    | { readonly kind: 'not-now'; readonly got: AnswerGot }
    | { readonly kind: 'firewall'; readonly got: AnswerGot; readonly otherwise: number }
    | { readonly kind: 'may-not-create'; readonly credential: CredentialName; readonly got: AnswerGot }
    | { readonly kind: 'own-sessions'; readonly got?: AnswerGot }
    | { readonly kind: 'own-routes'; readonly path?: string }
    | { readonly kind: 'full'; readonly got: AnswerGot }
    | { readonly kind: 'proof-layout'; readonly profile: string }
    | { readonly kind: 'too-slow'; readonly ms: number }
    | { readonly kind: 'boot'; readonly failure: BootFailure; readonly isNew?: true }
    | { readonly kind: 'never-waits'; readonly status: string; readonly waited: Waited }
    | { readonly kind: 'teardown'; readonly got?: AnswerGot; readonly waited?: Waited }
    /** An ability or layer that the client under test does not offer. */
    | { readonly kind: 'layer'; readonly layer: string }
    | { readonly kind: 'abilities'; readonly abilities: readonly string[] }
    | { readonly kind: 'events-as-they-come' };
  /** The intern did something else than the prompt asked for, as it may. */
  readonly intern:
    | {
        readonly kind: 'did-otherwise';
        readonly did: string;
        readonly said?: unknown;
        readonly asked?: Question;
        readonly note?: string;
        /** Whether the check waited for a question. */
        readonly question?: true;
      }
    | {
        readonly kind: 'finished-otherwise';
        readonly of: string;
        readonly wanted: 'stop' | 'tool_calls' | 'error';
        readonly finish: 'stop' | 'tool_calls' | 'error';
        readonly said: string;
        readonly error?: unknown;
      }
    | { readonly kind: 'asked-nothing'; readonly finish: string | undefined }
    | { readonly kind: 'prompt-not-taken'; readonly got: AnswerGot }
    | { readonly kind: 'took-too-long'; readonly awaited: string; readonly ms: number; readonly said: string }
    | { readonly kind: 'ended-before'; readonly awaited: string; readonly said: string }
    /** A recorded conversation took another course. */
    | { readonly kind: 'conversation'; readonly note: string };
  /** Something changed in between, so that the answers prove nothing. */
  readonly race:
    | { readonly kind: 'disturbed'; readonly of: string; readonly got: unknown }
    | { readonly kind: 'run-ended'; readonly finish: string; readonly said: string }
    | { readonly kind: 'went'; readonly status: string }
    | { readonly kind: 'renamed'; readonly id: string; readonly name: string | undefined }
    | { readonly kind: 'still-streams' }
    | { readonly kind: 'not-again'; readonly found: Found }
    | { readonly kind: 'never-the-same'; readonly found: readonly Found[] }
    | { readonly kind: 'upload-cut' }
    | { readonly kind: 'lost-write'; readonly request: string; readonly status: number }
    | { readonly kind: 'deleted' }
    | { readonly kind: 'busy'; readonly got: AnswerGot };
  /** Another check has found a defect that this check would meet, too. */
  readonly blocked: {
    readonly kind: 'blocked';
    readonly by: string;
    readonly obstacle: Obstacle;
    readonly seen?: ObstacleSeen;
  };
  /** The run ended first. */
  readonly stopped:
    | { readonly kind: 'over'; readonly stop: Stop }
    | { readonly kind: 'unreached'; readonly request: string; readonly got: NoAnswerGot };
}

/** Why a check came to no verdict. */
export type Skip = {
  readonly [Kind in keyof Causes]: { readonly kind: Kind; readonly because: Causes[Kind] };
}[keyof Causes];
export type SkipKind = Skip['kind'];
/** Causes of one kind of skip, or of any. */
export type Because<Kind extends SkipKind = SkipKind> = Causes[Kind];

/** The part of a need that a target lacks. */
export type Lack = Extract<Because<'need'>, { kind: 'lacks' }>;

/** Thrown by a check that cannot come to a verdict. */
export class Skipped extends Error {
  override readonly name = 'Skipped';
  constructor(readonly skip: Skip) {
    super(`${skip.kind}: ${JSON.stringify(skip.because)}`);
  }
}

const skipped =
  <Kind extends SkipKind>(kind: Kind) =>
  (because: Because<Kind>): Skipped =>
    new Skipped({ kind, because } as Skip);

export const lacking = skipped('need');
export const byTheIntern = skipped('intern');
export const raced = skipped('race');
export const blocked = skipped('blocked');

/** The skip of a check that the end of the run cut. */
export const stoppedBy = (stop: Stop): Skip => ({ kind: 'stopped', because: { kind: 'over', stop } });
