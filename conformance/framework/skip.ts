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
    /** In reports of before: it was left out for the budget of the run. */
    | { readonly kind: 'budget'; readonly budget: 'quick' | 'default' | 'thorough' }
    /** It would write to interns that the run has not made, or that nothing shows to be its own (`read`: a status). */
    | {
        readonly kind: 'not-ours';
        readonly how: 'all' | 'not-made' | 'unread' | 'thing';
        readonly id?: string;
        readonly read?: number;
      }
    /** In the words of a check: what it needs, and what it met. */
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
  /** The intern, which owes the kit nothing, did something else than it was asked for. */
  readonly intern:
    | {
        readonly kind: 'did-otherwise';
        readonly did: string;
        readonly said?: unknown;
        readonly asked?: Question;
        readonly note?: string;
        /** A question is what it was to come to. */
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
    /** A recorded conversation that went otherwise. */
    | { readonly kind: 'conversation'; readonly note: string };
  /** Things moved in between, so that the answers prove nothing. */
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
  /** The part that the check builds on has failed in another check. */
  readonly blocked: {
    readonly kind: 'blocked';
    readonly by: string;
    readonly obstacle: Obstacle;
    readonly seen?: ObstacleSeen;
  };
  /** The run ended before. */
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

/** Thrown where a check can come to no verdict. */
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

/** The run ended before there was a verdict. */
export const stoppedBy = (stop: Stop): Skip => ({ kind: 'stopped', because: { kind: 'over', stop } });
