import type { Emulator } from '../../emulator/emulator.js';
import type { Factories } from '../../emulator/factories.js';

/** A server of requests: an emulator, or an emulator with middleware around it. */
export type Handler = (request: Request) => Promise<Response>;

/** An emulator that is wrong in one way, made from the outside of one that is right. */
export interface Mutation {
  /** Middleware around the whole emulator, its control interface included. Called once for each emulator. */
  readonly around?: (next: Handler, emulator: Emulator) => Handler;
  /** Middleware around the fake daemons. */
  readonly aroundDaemon?: (next: Handler) => Handler;
  /** Wraps factories of the parts of an emulator. Called once for each emulator. */
  readonly factories?: (usual: Factories) => Partial<Factories>;
}

/** A named mutant. The checks that see it are computed (`npm run mutants -- --all`). */
export interface Mutant {
  readonly name: string;
  /** A function if its contents must be made anew for each emulator. */
  readonly mutation: Mutation | (() => Mutation);
}

/** Mutants by their names. One call per file. */
export const defineMutants = (rows: Readonly<Record<string, Mutant['mutation']>>): readonly Mutant[] =>
  Object.entries(rows).map(([name, mutation]) => ({ name, mutation }));

/** Several mutations as one: of middleware the last is the outermost, and factories are wrapped one after another. */
export function together(...mutations: readonly Mutation[]): Mutation {
  return {
    around: (next, emulator) => mutations.reduce((inner, { around }) => around?.(inner, emulator) ?? inner, next),
    aroundDaemon: (next) => mutations.reduce((inner, { aroundDaemon }) => aroundDaemon?.(inner) ?? inner, next),
    factories: (usual) => {
      const made = { ...usual };
      for (const { factories } of mutations) Object.assign(made, factories?.(made));
      return made;
    },
  };
}
