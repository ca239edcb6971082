import type { Emulator } from '../../emulator/emulator.js';
import type { Factories } from '../../emulator/factories.js';

/** A server of requests: an emulator, or an emulator with middleware around it. */
export type Handler = (request: Request) => Promise<Response>;

/** An emulator that is wrong in one way, made from the outside of one that is right. */
export interface Mutant {
  /** Middleware around the whole emulator, its control interface included. Called once for each emulator. */
  readonly around?: (next: Handler, emulator: Emulator) => Handler;
  /** Middleware around the fake daemons. */
  readonly aroundDaemon?: (next: Handler) => Handler;
  /** Wraps factories of the parts of an emulator. Called once for each emulator. */
  readonly factories?: (usual: Factories) => Partial<Factories>;
}

/** A named mutant. The checks that see it are computed (`npm run deviations -- --all`). */
export interface Deviation {
  readonly name: string;
  /** A function if its contents must be made anew for each emulator. */
  readonly mutant: Mutant | (() => Mutant);
}

/** Deviations by their names. One call per file. */
export const defineDeviations = (rows: Readonly<Record<string, Deviation['mutant']>>): readonly Deviation[] =>
  Object.entries(rows).map(([name, mutant]) => ({ name, mutant }));

/** Several mutations as one: of middleware the last is the outermost, and factories are wrapped one after another. */
export function together(...mutants: readonly Mutant[]): Mutant {
  return {
    around: (next, emulator) => mutants.reduce((inner, { around }) => around?.(inner, emulator) ?? inner, next),
    aroundDaemon: (next) => mutants.reduce((inner, { aroundDaemon }) => aroundDaemon?.(inner) ?? inner, next),
    factories: (usual) => {
      const made = { ...usual };
      for (const { factories } of mutants) Object.assign(made, factories?.(made));
      return made;
    },
  };
}
