import type { Command } from '../../conformance/cli/table.js';

/** The part of the process that a command may use. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  env: NodeJS.ProcessEnv;
  folder: string;
  /** Whether standard error shows colours. */
  colors: boolean;
  exit(status: number): void;
}

/** A command of the emulator, in its own module. */
export type CommandModule = Command<Io>;
