import type { CommandRow } from '../../conformance/cli/table.js';
import type { CommandModule } from './command.js';

/** A command of the emulator. Its module is loaded only when the command is used, so that a start stays quick. */
export interface EmulatorCommand extends CommandRow {
  load(): Promise<{ default: CommandModule }>;
}

/** The command that has a command line of its own. Ours only knows its name. */
export const CONFORMANCE = {
  words: ['conformance'],
  takes: '[url]',
  describe: 'Check a deployment, or an emulator of its own, with the conformance kit',
  load: () => import('../../conformance/cli/main.js'),
} as const;

/** The command of a call that names none. */
export const DEFAULT: EmulatorCommand = {
  words: ['serve'],
  describe: 'Listen until stopped (the default)',
  load: () => import('./serve.js'),
};

export const COMMANDS: readonly EmulatorCommand[] = [
  DEFAULT,
  {
    words: ['exec'],
    describe: 'Run a command beside an emulator of its own: exec [flags] -- command',
    load: () => import('./exec.js'),
  },
  {
    words: ['explore'],
    describe: 'Run a command once per thing that can go wrong: explore [flags] -- command',
    load: () => import('./explore/command.js'),
  },
  {
    words: ['scripts'],
    takes: '[action] [file..]',
    describe: 'scripts validate: say whether files are valid scripts',
    load: () => import('./scripts.js'),
  },
  {
    words: ['record'],
    takes: '[url]',
    describe: 'Record a deployment: a proxy that writes down each exchange, without credentials',
    load: () => import('./record.js'),
  },
  {
    words: ['mcp'],
    describe: 'Serve coding agents over standard input and output (Model Context Protocol)',
    load: () => import('./mcp.js'),
  },
  { words: ['sign'], describe: 'Make a proof from a key at hand', load: () => import('./sign.js') },
  { words: ['verify'], describe: 'Verify a signed request as a daemon would', load: () => import('./verify.js') },
  {
    words: ['explain'],
    describe: 'Verify a signed request, and explain how: fields, bytes, first difference',
    load: () => import('./explain.js'),
  },
];
