import type { NoAnswerGot } from '../probe/no-answer.js';
import type { CredentialName } from '../probe/request.js';
import type { AnswerGot, Found } from './finding.js';
import type { Need } from './needs.js';
import type { BootFailure, Obstacle, ObstacleSeen, Stop, Unusable, Waited } from './stop.js';

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
