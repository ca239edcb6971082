import type { FlagTable } from '../../conformance/cli/arguments.js';

/** The part of the process that a command may use. */
export interface Io {
  stdout(text: string): void;
  stderr(text: string): void;
  env: NodeJS.ProcessEnv;
  folder: string;
  /** Whether standard error shows colours. */
  colors: boolean;
  exit(status: number): void;
}

/**
 * The input of a command: its flags by their names on the command line, positionals by theirs, and what follows `--`.
 */
export interface Call {
  argv: Record<string, unknown>;
  rest: string[];
  io: Io;
}

/**
 * A command: its flags, and what it does. Resolves with the exit status. A UsageError becomes one line and status 2.
 */
export interface CommandModule {
  options(): FlagTable;
  run(call: Call): Promise<number>;
}
