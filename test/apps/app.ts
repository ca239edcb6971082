import type { LawName, ProgramContext } from '../../conformance/explore/types.js';

/** The context of an app: a run of `explore`, or its own process with the `INTERN_*` variables. */
export type AppContext = Pick<ProgramContext, 'target' | 'fetch' | 'signal' | 'print'> & Partial<ProgramContext>;

/** A test of a small app, as people write them. Wrong ones show that `explore` finds, right ones that it does not blame. */
export interface App {
  readonly id: string;
  /** Its behaviour, or its mistake, in one sentence. */
  readonly what: string;
  readonly run: (context: AppContext) => Promise<void>;
}

/** An app that is wrong in one way, and the law that finds it. */
export interface WrongApp extends App {
  /** Where it was seen: `owner/repo#n`, and what was reported there. */
  readonly seen: string;
  readonly law: LawName;
  /** Other laws that it breaks by the same mistake, and how; it keeps the rest. */
  readonly also?: Partial<Readonly<Record<LawName, string>>>;
}
