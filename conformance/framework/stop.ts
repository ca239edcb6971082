import type { NoAnswerGot } from '../probe/no-answer.js';
import type { CredentialName } from '../probe/request.js';
import type { Finding, Found } from './finding.js';

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
