import type { StreamBreach } from '../probe/chunks.js';
import { isRecord } from '../probe/json.js';
import { NoAnswer, type NoAnswerGot } from '../probe/wait.js';
import type { Level, RequirementId } from '../requirements/index.js';

/** A broken requirement and its level. */
export interface Broken {
  readonly requirement: RequirementId;
  readonly level: Level;
}

/** A condition on a value. `words` and `form` are fixed words of the check. */
export type Constraint =
  | { readonly kind: 'is' | 'not'; readonly value: unknown }
  | { readonly kind: 'one-of'; readonly values: readonly unknown[] }
  | { readonly kind: 'form'; readonly form: string }
  | { readonly kind: 'holds'; readonly words: string };

/** The expected value, status or effect. */
export type Wanted =
  /** An answer of one of these statuses; without statuses, any of the class. `stream` is a success that streams. */
  | {
      readonly kind: 'status';
      readonly class: 'success' | 'refusal' | 'stream' | 'other';
      readonly statuses: readonly number[];
    }
  /** `path` names the value: `error.code`, `created_at`. */
  | { readonly kind: 'value'; readonly path: string; readonly rule: Constraint }
  /** A stream whose chunks keep their order and form. */
  | { readonly kind: 'stream'; readonly rule: 'order' }
  | { readonly kind: 'stream'; readonly rule: 'until'; readonly awaited: string }
  | { readonly kind: 'stream'; readonly rule: 'finish'; readonly finish: string }
  /** An HTTP answer at all. */
  | { readonly kind: 'answer' }
  /** The effect of a write. One look proves it, so the write is not repeated. */
  | { readonly kind: 'effect'; readonly words: string };

/** The answer, if the finding is about a status. */
export interface AnswerGot {
  readonly status: number;
  /** The reason of the error in its envelope. */
  readonly reason?: string;
  readonly retryable?: boolean;
  /** The `status` in the answer to a turn: `steered`. */
  readonly says?: string;
  /** Content type. */
  readonly type?: string;
  /** Beginning of the body. */
  readonly text: string;
}

/** An observation in fixed words, if the value `saw` alone would not show the mistake. */
export interface Gist {
  readonly gist: string;
  readonly saw?: unknown;
}

export const isGist = (value: unknown): value is Gist => isRecord(value) && typeof value.gist === 'string';

/** The state of a stream. */
export interface StreamGot {
  readonly chunks: number;
  readonly finish?: string;
  readonly content?: string;
  readonly error?: unknown;
  readonly done?: boolean;
  /** How the body ended; absent while it is open. */
  readonly ended?: string;
  /** ms without a byte. */
  readonly silent?: number;
}

/** Rules of the chunk grammar that a stream breaks. */
export interface OrderGot {
  /** Events and comments of the stream. */
  readonly events: number;
  readonly breaches: readonly StreamBreach[];
}

/** A further fact about the circumstances of a finding. */
export type Remark =
  | { readonly kind: 'note'; readonly note: string }
  /** No run of the intern streams, so nothing keeps it busy. `last` is the state of the last one. */
  | { readonly kind: 'no-run-streams'; readonly last: 'ended' | 'asked' }
  /** The answer names call and session of the stream that asked. */
  | { readonly kind: 'names-the-question' }
  /** A client left a stream of the intern `ago` ms before. */
  | { readonly kind: 'left'; readonly ago: number }
  /** The body was cut at these offsets. */
  | { readonly kind: 'cut'; readonly at: readonly number[] };

/** A mistake as data. Reporters make sentences of it. */
export interface Mistake {
  readonly wanted: Wanted;
  /** The observed value: {@link AnswerGot}, {@link StreamGot}, {@link OrderGot}, {@link NoAnswerGot}, or the value. */
  readonly got: unknown;
  /** The subject, as its check names it: `the second create`, `created_at in the list`. */
  readonly of: string;
  /** Number of the exchange that shows it; by default the last of the attempt. */
  readonly exchange?: number;
  /** Whether the answer shows a credential, or a secret that the run stored. */
  readonly leak?: true;
  readonly because?: Remark;
  /** The change, where two records are compared. */
  readonly change?: ValueChange;
}

/** A mistake, and the requirement that it breaks. */
export interface Found extends Mistake {
  /** The broken requirement and its level, if they are not those of the check. */
  readonly breaks?: Broken;
}

/** The blame for a wrong answer: the requirement that it breaks, a remark on the cause, a secret that it shows. */
export type Blame = Pick<Found, 'breaks' | 'because' | 'leak'>;

/** A property that does not hold, with the smallest values found that show it. */
export interface FalsifiedProperty {
  readonly name: string;
  /** Source text of the values. */
  readonly counterexample: readonly string[];
  readonly seed: number;
  readonly path: string;
  readonly runs: number;
  readonly shrinks: number;
}

/**
 * A finding against the target. Any other exception of a check is an error of the
 * kit.
 */
export class Finding extends Error {
  override readonly name = 'Finding';
  constructor(
    readonly found: Found,
    /** The falsified property, if a generated value shows the finding. */
    readonly property?: FalsifiedProperty,
    options?: ErrorOptions,
  ) {
    super(`${found.of} (wanted: ${JSON.stringify(found.wanted)})`, options);
  }
}

/** The finding of an error. A missing answer is one, as valid requests must be answered. Undefined for any other error. */
export const findingOf = (error: unknown): Finding | undefined =>
  error instanceof NoAnswer
    ? new Finding({ wanted: { kind: 'answer' }, got: error.got, of: error.request }, undefined, { cause: error })
    : error instanceof Finding
      ? error
      : undefined;

/** Whether one occurrence proves the finding. It is then neither shrunk nor repeated, which would do the harm again. */
export const isProven = ({ leak, wanted }: Pick<Found, 'leak' | 'wanted'>): boolean =>
  wanted.kind === 'effect' || leak === true;

/** Whether a success was due. */
export const missedSuccess = ({ wanted }: Pick<Found, 'wanted'>): boolean =>
  wanted.kind === 'status' && (wanted.class === 'success' || wanted.class === 'stream');

/** Whether a refusal was due. */
export const missedRefusal = ({ wanted }: Pick<Found, 'wanted'>): boolean =>
  wanted.kind === 'status' && wanted.class === 'refusal';

/** The answer with a wrong status; undefined for findings of another kind. */
export const answerOf = ({ wanted, got }: Pick<Found, 'wanted' | 'got'>): AnswerGot | undefined =>
  wanted.kind === 'status' ? (got as AnswerGot) : undefined;

/** Why there was no answer; undefined where there was one. */
export const noAnswerOf = ({ wanted, got }: Found): NoAnswerGot | undefined =>
  wanted.kind === 'answer' ? (got as NoAnswerGot) : undefined;

/** Whether no connection was made: the request itself does not matter. */
export const isUnreached = (found: Found): boolean => {
  const kind = noAnswerOf(found)?.kind;
  return kind === 'refused' || kind === 'dns' || kind === 'proxy' || kind === 'port';
};

/** The difference between the right result and that of a client, as data for a sentence. Places count from 0. */
export type ValueChange =
  /** An event or a tool call is missing, or was made up. */
  | { readonly kind: 'lost' | 'extra'; readonly thing: 'call' | 'event'; readonly at: number; readonly many: number }
  /** A tool call was handed out before it was finished. */
  | { readonly kind: 'unfinished' }
  /** Several calls became one. */
  | { readonly kind: 'merged'; readonly at: number }
  /** A part of an event or of a tool call differs. */
  | {
      readonly kind: 'part';
      readonly thing: 'call' | 'event';
      readonly at: number;
      readonly part: string;
      readonly got: unknown;
      readonly expected: unknown;
    }
  /** A text ends early, goes on, or differs from a character on. */
  | { readonly kind: 'text'; readonly how: 'cut' | 'longer' | 'other'; readonly from: number }
  /** Bytes of one character were decoded apart from each other. */
  | { readonly kind: 'undecoded' }
  /** Success where the call should have failed, or the other way round. */
  | { readonly kind: 'outcome'; readonly success: boolean }
  /** The result is right, but depends on the cuts of the bytes. */
  | { readonly kind: 'varies' }
  /** The call took too long, or longer than in proportion. */
  | { readonly kind: 'slow' }
  /** More or fewer requests than allowed. */
  | { readonly kind: 'requests'; readonly how: 'more' | 'fewer' };

/** One thing that is not as expected, where two records are compared: an answer to a case, a recorded exchange. */
export interface Difference {
  readonly what: string;
  /** The value, or fixed words for what should be there. */
  readonly expected: unknown;
  readonly actual: unknown;
  /** The change, where it says more than both values side by side. */
  readonly change?: ValueChange;
}

/** A difference as a finding. */
const foundOf = ({ what, expected, actual, change }: Difference): Mistake => ({
  wanted: {
    kind: 'value',
    path: what,
    rule: typeof expected === 'string' ? { kind: 'holds', words: expected } : { kind: 'is', value: expected },
  },
  got: actual,
  of: what,
  ...(change === undefined ? {} : { change }),
});

/** The differences of one comparison as one finding: the first, and the others beside it. */
export function foundOfAll(
  differences: readonly [Difference, ...Difference[]],
): Mistake & { readonly others?: readonly Mistake[] } {
  const [first, ...others] = differences;
  return { ...foundOf(first), ...(others.length === 0 ? {} : { others: others.map(foundOf) }) };
}
