import type { Journaled, Shield } from './journal-entry.js';
import type { JudgedRun } from './lab-run.js';
import type { Profile } from './profile.js';

/** The part of the conformance kit that agents run. It is handed in, since the emulator does not import the kit. */
export interface CheckRequest {
  /** Ids or patterns of checks or cases; without it, all. */
  readonly only: readonly string[] | undefined;
  readonly signal: AbortSignal;
  progress(done: number, of: number): void;
}

export interface ServerRequest extends CheckRequest {
  /** Base address; without it, an emulator of its own. */
  readonly url: string | undefined;
  /** Whether the credentials of the environment (`INTERN_…`) are for this address. */
  readonly environment: boolean;
  /** Of the control interface, where the target is the emulator that is attached. */
  readonly controlToken: string | undefined;
}

export interface ClientRequest extends CheckRequest {
  readonly command: readonly [string, ...string[]];
  /** Default: few. */
  readonly cuts?: 'few' | 'all' | 'none' | undefined;
  /** Receives each case as it ends. */
  shown?(run: JudgedRun): void;
}

export interface BrokenRule {
  /** A requirement (`CREATE-1`), or the row of a page (`docs/client-rules.md#…`). */
  readonly name: string;
  readonly sentence: string;
  /** The source of the rule: the interface, a standard, the lab. */
  readonly where: string;
}

/** The results of a run: findings that say the same are one. */
export interface Checked {
  readonly headline: string;
  readonly counts: Readonly<Record<string, number>>;
  /** Why nothing, or not all, could be checked. */
  readonly reasons: readonly string[];
  readonly findings: readonly {
    readonly title: string;
    readonly checks: readonly string[];
    /** Each once; of a client's case all that it rests on. */
    readonly rules: readonly BrokenRule[];
    readonly what: string;
    readonly expected: string;
    readonly actual: string;
    /** The title of the first case, and the odd writes of the lab in it. Null of a server. */
    readonly sent: string | null;
    readonly curl: string | null;
    readonly replay: string;
  }[];
}

/** Holds exchanges against the rules, in the light of all that were handed in before, in the order of their ends. */
export type JudgeTraffic = (entry: Journaled) => Shield;

/** Begins to judge the traffic of an emulator. `emulated` is false where it answers from recordings of a deployment. */
export type BeginJudge = (profile: Profile, emulated: boolean) => JudgeTraffic;

/** @throws Error whose message says what kept it from beginning, in one line */
export interface Checks {
  server(request: ServerRequest): Promise<Checked>;
  client(request: ClientRequest): Promise<Checked>;
  /** Judges recordings and HAR files, and sends nothing. */
  judge(files: readonly string[], request?: Partial<Pick<CheckRequest, 'only' | 'signal'>>): Promise<Checked>;
  /** Undefined: no rules are known of that profile. */
  traffic(profile: string): JudgeTraffic | undefined;
}

export type LoadChecks = () => Promise<Checks>;
