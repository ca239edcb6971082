import type { Emulator, Target } from '../../../emulator/index.js';
import type { ListenAt } from '../../../emulator/serving/listening.js';
import type { OutsideContext } from '../run.js';
import { type Program, ProgramCrashed, ProgramFailed, ProgramStuck } from '../types.js';
import { limitOf } from './limits.js';
import { openPreload } from './preload.js';
import { NotStarted, runProcess } from './process.js';
import type { Talks } from './talks.js';
import { whyOf } from './why.js';

export interface CommandOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly folder: string;
  /** The variables that tell a command where its emulator is. */
  environmentOf(target: Target, at: ListenAt): Record<string, string>;
}

/** A command as a program to explore. */
export interface Command {
  readonly program: Program;
  /** Text that is the same in each run, so that the report says it once. */
  readonly warnings: ReadonlySet<string>;
  /** Why it could not be started. */
  readonly notStarted: string | undefined;
  /** It passed without a request to its emulator. */
  readonly silent: boolean;
  /** The tests that talked, where that is learnt: the last word on one counts. */
  readonly talks: readonly Talks[];
  close(): void;
}

/** Makes a program of a command (EXP-1): it passes with status 0, beside an emulator that listens for it alone. */
export async function openCommand(
  command: readonly [string, ...string[]],
  { env, folder, environmentOf }: CommandOptions,
  learns = false,
): Promise<Command> {
  const preload = await openPreload();
  const warnings = new Set<string>();
  let notStarted: string | undefined;
  let silent = false;
  const talks: Talks[] = [];
  return {
    talks,
    warnings,
    get notStarted() {
      return notStarted;
    },
    get silent() {
      return silent;
    },
    close: () => preload.close(),
    async program({ emulator, target, signal, print, outside }: OutsideContext) {
      const at = await emulator.listen({ port: 0, daemonPort: 0 });
      const ports = [at.baseUrl, at.daemonOrigin].map((url) => Number(new URL(url).port));
      const run = preload.run({ ...env, ...environmentOf(target, at) }, ports, learns);
      const { members } = run;
      let pids: () => readonly number[] = () => [];
      outside?.({ forward: members.forward, limit: () => limitOf(pids()) });
      let printed = '';
      const heard = (text: string) => {
        printed += text;
        print(text);
      };
      const begun = (its: typeof pids) => {
        pids = its;
      };
      const ended = await runProcess(command, { env: run.env, folder, signal, print: heard, begun }).catch(
        (error: unknown) => {
          if (error instanceof NotStarted) notStarted = error.message;
          throw error;
        },
      );
      silent = ended.status === 0 && (await hasNoRequests(emulator));
      const notes = run.noted();
      talks.push(...notes.flatMap((note) => note.talks ?? []));
      const rejection = notes.find((note) => note.rejection !== undefined)?.rejection;
      if (ended.left) warnings.add('The command leaves processes behind; they were ended after each run.');
      if (ended.dropped > 0)
        warnings.add('The command prints more than 256 KB; only the beginning is shown and compared.');
      if (ended.signal !== undefined) throw new ProgramCrashed(`it was ended by ${ended.signal}`);
      if (rejection !== undefined) throw new ProgramCrashed(`a rejection that nobody handled: ${firstLine(rejection)}`);
      if (ended.status !== 0 && (printed.includes(PENDING) || notes.some(({ stuck }) => stuck)))
        throw new ProgramStuck('a promise that never settles was all that was left of it');
      const why = ended.status === 0 ? undefined : whyOf(printed, ended.stderr);
      if (ended.status !== 0)
        throw new ProgramFailed(why?.message ?? `it ended with status ${ended.status}`, ended.status, why?.by);
    },
  };
}

async function hasNoRequests({ fetch }: Emulator): Promise<boolean> {
  const { data } = (await (await fetch('/_emulator/journal')).json()) as { data: readonly unknown[] };
  return data.length === 0;
}

/** The words of node:test on a test whose promise nothing is left to settle. */
const PENDING = 'Promise resolution is still pending but the event loop has already resolved';

const firstLine = (text: string): string => text.split('\n')[0] ?? '';
