import type { RequirementId } from '../requirements/index.js';
import type { Alterations } from './alterations.js';

/** Answers a request of the control interface. */
export type Controls = (request: Request) => Promise<Response>;

/** Parts that are exchanged, and what is changed about the control interface, which stands before all of them. */
export type Changes = Alterations & { readonly control?: (usual: Controls) => Controls };

/** One way to be wrong, as a small change of the emulator's parts. */
export interface Deviation {
  readonly name: string;
  /** What it breaks. */
  readonly requirement: RequirementId;
  /** What a client meets, in one sentence. */
  readonly description: string;
  /** The parts that are exchanged; a function where several of them have to know of each other. */
  readonly alters: Changes | (() => Changes);
  /** Ids of the checks that have to fail. */
  readonly caughtBy: readonly string[];
}

/** Keeps rows literal and typed. One call per file. */
export const defineDeviations = <const Rows extends readonly Deviation[]>(rows: Rows): Rows => rows;

/** The changes of several, one after another where they meet in the same part. */
export function together(...all: readonly Changes[]): Changes {
  const changes: Record<string, (part: never) => unknown> = {};
  for (const alterations of all) {
    for (const [name, change] of Object.entries(alterations) as [string, (part: unknown) => unknown][]) {
      const before = changes[name] as ((part: unknown) => unknown) | undefined;
      changes[name] = before === undefined ? change : (part) => change(before(part));
    }
  }
  return changes as Changes;
}
