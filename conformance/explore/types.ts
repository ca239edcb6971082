import type { Fault } from '../../emulator/contract/fault.js';
import type { Emulator, EmulatorOptions, Target } from '../../emulator/index.js';

/**
 * The shape of `explore`: what a program gets, what may be asked, what comes back. Everything else in this folder is how.
 *
 * `explore(program, options)` runs the program undisturbed, once alone and twice at once, then once per schedule, each time
 * beside an emulator of its own whose clock takes no time. A command is a program that lets `emulator` listen, starts the command, and
 * throws {@link ProgramFailed} or {@link ProgramCrashed} unless it ends well.
 */

/** The context of a program in one run. Nothing of it outlives the run. */
export interface ProgramContext {
  /** The emulator of this run alone, with the clock `auto`. It listens nowhere until asked to. */
  readonly emulator: Emulator;
  readonly target: Target;
  /** The `fetch` of the emulator and its daemons, without a socket: pass it to the client under test. */
  readonly fetch: typeof globalThis.fetch;
  /** Aborts when the run is given up. */
  readonly signal: AbortSignal;
  /** The words of the program to its user: the time line shows them, and the law `told` compares them. */
  print(text: string): void;
}

/** The test of an app: it passes by returning, and fails by throwing. */
export type Program = (context: ProgramContext) => unknown;

/** Thrown by programs that have an exit status. Only the message of any other error counts. */
export class ProgramFailed extends Error {
  override readonly name = 'ProgramFailed';
  constructor(
    message: string,
    readonly exit: number | undefined,
    /** Whether it said so itself, or an assertion of its test alone noticed. */
    readonly by: 'app' | 'test' = 'app',
  ) {
    super(message);
  }
}

/** The program ended by a signal or an unhandled rejection: a breach of `quiet`. */
export class ProgramCrashed extends Error {
  override readonly name = 'ProgramCrashed';
}

/** The program ended without having settled, as Node does where only a promise is left: a breach of `settles`. */
export class ProgramStuck extends Error {
  override readonly name = 'ProgramStuck';
}

/** The undisturbed run fails, or an option cannot be used: `explore` rejects with it. The command exits 2. */
export class ExploreError extends Error {
  override readonly name = 'ExploreError';
}

/** Nothing that is wanted can happen to the program. */
export class NothingFits extends ExploreError {}

export const CLASSES = ['harmless', 'transient', 'final'] as const;
/** `harmless`: nothing a right client may notice. `transient`: over when tried again. `final`: only the user can decide what now. */
export type DisturbanceClass = (typeof CLASSES)[number];

/** The laws of findings. `unnoticed` is one where it is asked for (`failOn`), and else a verdict of its own. */
export const LAWS = ['settles', 'harmless-passes', 'once', 'unnoticed', 'polite', 'tidy', 'quiet'] as const;
export type LawName = (typeof LAWS)[number];

/** A place in a program's conversation with the service, named so that it is found again in another run. */
export interface Moment {
  /** As in the journal; `answer` is a chat request that answers a question, `daemon-request` one to a daemon. */
  readonly operation: string;
  /** The number of the request of the operation, from 1. */
  readonly nth: number;
  /** Of a stream: `first`, `content:n`, `tool-arguments:n`, `before-finish`, `before-final`, `before-done`, `after-done`. */
  readonly write?: string;
  /** Of a question: once it was asked, or when its answer arrives. */
  readonly state?: 'asked' | 'answer-sent';
}

/** One disturbance at one moment (two with `pairs`): a chaos profile, so `intern-emulator --chaos FILE` serves the same. */
export interface ScheduleFile {
  /** Missing in files of the first format, which hold faults alone. */
  readonly format?: 2;
  readonly name: string;
  /** Each a fault with `operation`, `nth`, `disturb`, and where it applies `write`, `state`, `times: 'always'`. */
  readonly faults: readonly FaultInput[];
  readonly explore?: VerdictRests;
}
/** The evidence of a verdict beside the faults: it is so again where the schedule is run alone. */
export interface VerdictRests extends Pick<ExploreOptions, 'require' | 'failOn' | 'patience' | 'runTimeout'> {
  readonly class: DisturbanceClass;
  readonly law?: string;
  readonly seed: string;
  /** Names of the laws of one's own; the files that hold them where they were given as files. */
  readonly laws?: readonly string[];
  /** Settings of the emulators, as flags in camelCase. */
  readonly emulator?: Readonly<Record<string, unknown>>;
  /** With `--each`: the test that shows it. */
  readonly test?: string;
}
export type FaultInput = Partial<Fault> & Pick<Fault, 'operation'>;

/**
 * `survived`: it passed. `unnoticed`: it passed and said the same, although the whole reply never came. `surfaced`: it failed in
 * an orderly way. `breach`: it broke a law. `not-reached`: the moment did not come.
 */
export type Verdict = 'survived' | 'unnoticed' | 'surfaced' | 'breach' | 'not-reached';

/** One request as the emulator saw it, with what the client was shown. Times are ms of real time since the run began. */
export interface SeenRequest {
  /** Place among all requests of the run, from 1. */
  readonly n: number;
  readonly operation: string;
  readonly nth: number;
  readonly method: string;
  /** Path and query, from the interface's base on. */
  readonly path: string;
  readonly at: number;
  readonly body: string;
  readonly credential?: string;
  readonly idempotencyKey?: string;
  /** Status and body as the client was shown them; no status where it got no answer. */
  readonly status?: number;
  readonly reason?: string;
  readonly retryable?: boolean;
  /** Seconds of `Retry-After`. */
  readonly retryAfter?: number;
  readonly answer: string;
  /** Status that the emulator itself gave, before any disturbance: tells whether the request took effect. */
  readonly acted?: number;
  /** Id of the intern that it made. */
  readonly madeId?: string;
  /** Of a stream: what was written to the client, with the names of the writes. */
  readonly writes?: readonly SeenWrite[];
  /** How the answer ended: read to its end, left by the client, broken off, still open when the run ended. */
  readonly ended: 'complete' | 'left' | 'broken' | 'open';
  readonly endedAt?: number;
  /** When the client got the head of the answer. */
  readonly answeredAt?: number;
  /** Kind of the disturbance that it met. */
  readonly disturbed?: string;
}
export interface SeenWrite {
  readonly at: number;
  readonly text: string;
  /** Names of the moments in it. */
  readonly names: readonly string[];
}

export interface SeenQuestion {
  readonly id: string;
  /** The arguments of the tool call, parsed. */
  readonly ask: unknown;
  /** The prompts that were delivered to the run. */
  readonly answers: readonly unknown[];
  /** How many of them came from somebody else, who answered first. */
  readonly others?: number;
}

/** The evidence for a law: all that the emulator saw, and how the program ended. */
export interface Seen {
  readonly requests: readonly SeenRequest[];
  /** As `GET /_emulator/runs` shows them, with their prompts. */
  readonly runs: readonly {
    readonly id: string;
    readonly intern_id: string;
    readonly status: string;
    readonly ended?: string;
    readonly prompt: string;
  }[];
  readonly questions: readonly SeenQuestion[];
  /** Interns that are there at the end. */
  readonly interns: readonly { readonly id: string; readonly name: string; readonly status: string }[];
  /** The output of the program. */
  readonly stdout: string;
  readonly exit: number | undefined;
  readonly outcome: Outcome;
}

/** How the program ended. */
export type Outcome =
  | { readonly kind: 'passed' }
  | { readonly kind: 'failed'; readonly message: string; readonly by: 'app' | 'test' }
  /** Nothing was under way, no timer was due, and it had not ended; or it outlived the limit of a run. */
  | { readonly kind: 'hung'; readonly waitsFor: string /** The operation of that request. */; readonly at?: string }
  | { readonly kind: 'crashed'; readonly message: string };

/** A law of one's own: it throws where it is broken. `straight` is the undisturbed run. */
export type Law = (seen: Seen, straight: Seen) => void | Promise<void>;

/** Flags of `intern-emulator explore` in camelCase. Durations are ms, or texts such as `10s`. */
export interface ExploreOptions {
  /** The options of the emulators: seed file, scripts, profile, settings. Clock and chaos are explore's own. */
  readonly emulator?: Omit<EmulatorOptions, 'clock' | 'chaos' | 'data' | 'replay'>;
  /** Two disturbances at a time, too. */
  readonly pairs?: boolean;
  /** `default`: the named writes of each stream. `all`: each write, and each character boundary. */
  readonly moments?: 'default' | 'all';
  /** Runs at work at once, beside those that only wait. Default 4 in process. */
  readonly jobs?: number;
  readonly seed?: string;
  /** `2/4` is the second of four parts. */
  readonly shard?: string;
  /** Kinds of disturbances, classes of them, or operations. */
  readonly only?: string | readonly string[];
  readonly maxRuns?: number;
  readonly maxTime?: number | string;
  /** How long a program may wait for nothing. Default 5 minutes of a clock that can be moved, else 40 s. */
  readonly patience?: number | string;
  /** Real time of a run. Default: the longest of 60 s, ten undisturbed runs, twice the patience. */
  readonly runTimeout?: number | string;
  /** `transient`: an orderly failure under a transient schedule is a breach too. */
  readonly require?: 'transient';
  /** `unnoticed`: passing as if nothing were missing is a breach. */
  readonly failOn?: 'unnoticed';
  /** Laws of one's own, by name. */
  readonly laws?: readonly Law[] | Readonly<Record<string, Law>>;
  /** Runs this schedule alone, beside the undisturbed runs. */
  readonly schedule?: ScheduleFile;
  /** Ends the exploration early, with what there is. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}
export interface Progress {
  readonly done: number;
  readonly total: number;
  readonly breaches: number;
  /** Name of the schedule that has just ended; empty where none has. */
  readonly last: string;
  /** Of a suite: which of its tests is on. */
  readonly test?: string;
  /** How long the rest will take, about, in ms. */
  readonly left: number;
}

export interface ScheduleResult {
  readonly id: string;
  readonly class: DisturbanceClass;
  readonly kind: string;
  readonly moment: Moment;
  readonly verdict: Verdict;
  /** With `--each`: the test that ran. */
  readonly test?: string;
  /** Of a breach. */
  readonly law?: string;
  /** Of what surfaced or broke a law: in the program's or the law's words. */
  readonly message?: string;
}

/** A mistake of a program about one request, whatever brings it about; the smallest schedule is shown. */
export interface Finding {
  readonly law: string;
  /** The request that the program got wrong. */
  readonly request: string;
  /** The disturbance of the smallest schedule, and where it happens. */
  readonly operation: string;
  readonly kind: string;
  /** All that bring it about, each with the names of its schedules, the smallest first. */
  readonly disturbances: readonly {
    readonly kind: string;
    readonly operation: string;
    readonly schedules: readonly string[];
  }[];
  readonly sentence: string;
  readonly schedule: Required<ScheduleFile>;
  readonly count: number;
  /** The sentence of the law. */
  readonly message: string;
  readonly timeLine: readonly TimeLineEntry[];
  /** With `--each`: the test that shows it, the command that runs it alone, and its undisturbed run. */
  readonly test?: {
    readonly name: string;
    readonly command: readonly string[];
    readonly timeLine: readonly TimeLineEntry[];
  };
}

/** A line of a run: requests, writes, the disturbance, what the program printed, how it ended. */
export interface TimeLineEntry {
  readonly kind: 'request' | 'answer' | 'write' | 'end' | 'disturbance' | 'print' | 'outcome';
  readonly text: string;
  /** The request that it belongs to, by its place in the run. */
  readonly request?: number;
}

/** Orderly failures with one message. */
export interface Surfaced {
  /** `app`: it said so itself. `test`: an assertion noticed, and where there is no test nobody would have. */
  readonly by: 'app' | 'test';
  readonly message: string;
  readonly class: DisturbanceClass;
  readonly kinds: readonly string[];
  readonly count: number;
}

/** The result. Equal seed and program: equal, but for `timing`. */
export interface ExploreReport {
  readonly format: 'intern-explore';
  readonly version: 1;
  readonly seed: string;
  readonly straight: {
    readonly requests: number;
    readonly moments: readonly Moment[];
    /** Moments that one of the two undisturbed runs alone had. */
    readonly leftOut: readonly Moment[];
    readonly timeLine: readonly TimeLineEntry[];
  };
  readonly schedules: readonly ScheduleResult[];
  readonly findings: readonly Finding[];
  /** Disturbances that passed as if nothing were missing. With `failOn` these are findings. */
  readonly unnoticed: readonly Finding[];
  readonly surfaced: readonly Surfaced[];
  readonly counts: {
    readonly schedules: number;
    readonly run: number;
    readonly survived: number;
    readonly unnoticed: number;
    readonly surfaced: number;
    /** Of those that surfaced: by an assertion of the test alone. */
    readonly byTest: number;
    readonly breach: number;
    readonly notReached: number;
    /** Disturbed answers that the program read to the end, and all of them. */
    readonly readToEnd: number;
    readonly disturbed: number;
  };
  readonly warnings: readonly string[];
  /** Why not all was tried: `max-runs`, `max-time`, `interrupted`, `not-reached` (over a tenth), `crossed` (a run
   * passed without a request of its own); of a suite `not-alone` (tests fail alone), `not-theirs` (over a tenth of
   * the requests are of no known test). */
  readonly incomplete: readonly string[];
  readonly timing: { readonly ms: number; readonly msPerRun: number };
  /** The report in words. */
  readonly text: string;
}

/** A mistake of a program. Breaches of one law that did the same to the same request are one finding. */
export interface Wrong {
  readonly message: string;
  /** The operation of the request that it got wrong; the one that was disturbed where none is named. */
  readonly request?: string | undefined;
  readonly did: string;
}
