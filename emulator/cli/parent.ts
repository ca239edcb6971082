import { readFileSync } from 'node:fs';
import { hostEvery } from '../clock/host.js';
import type { Io } from './command.js';

/** How often to check whether the process still exists, in ms. */
const LOOK_EVERY = 1_000;

/** How many levels up to look for npm: a shell or two are between npm and what it runs. */
const FARTHEST = 4;

interface KnownProcess {
  /** The parent's id; 0 if unknown. */
  parent: number;
  command: string;
}

/** A process as the system knows it; undefined if it does not exist, or if that cannot be known. */
function look(pid: number): KnownProcess | undefined {
  try {
    if (process.platform === 'linux') {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const [state = '', parent = '0'] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      // A zombie is gone: it ended, and its parent has not yet collected it.
      if (state === 'Z' || state === 'X') return undefined;
      return { parent: Number(parent), command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ') };
    }
    if (process.platform === 'win32') return undefined;
    // Loaded here alone: a start on Linux never needs it.
    const { execFileSync } = process.getBuiltinModule('node:child_process');
    const line = execFileSync('ps', ['-o', 'ppid=,command=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return { parent: Number.parseInt(line, 10), command: line.replace(/^\d+\s*/, '') };
  } catch {
    return undefined;
  }
}

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // A process of another user exists.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return true;
  }
  return process.platform === 'linux' && look(pid) === undefined;
}

/** Whether npm runs this process, or one above it: as a script or through npx. */
const isUnderNpm = (env: NodeJS.ProcessEnv): boolean => env.npm_lifecycle_event !== undefined;

const NPM = /(?:^|[\s/])(?:npm|npx|pnpm|yarn|bun)(?:-cli)?(?:\.c?js)?(?:\s|$)/;

/** A shell that was given a line to run, as npm starts what it runs. */
const SHELL = /^\S*sh\b.* -c /;

/** The process that adopts one whose parent is gone, beside the first process of all: the head of a login session. */
const ADOPTS = /^\S*systemd\b/;

/**
 * The nearest process above that is npm, or another that runs scripts as npm does. `gone` if there are only shells up
 * to what takes in orphans: npm was killed before this process looked for it. Undefined if neither is certain.
 */
function findNpm(): number | 'gone' | undefined {
  let pid = process.ppid;
  let shellsAlone = true;
  for (let step = 0; step < FARTHEST; step++) {
    const found = look(pid);
    if (!found) return undefined;
    if (NPM.test(found.command)) return pid;
    if (pid === 1 || ADOPTS.test(found.command)) return shellsAlone ? 'gone' : undefined;
    shellsAlone &&= SHELL.test(found.command);
    pid = found.parent;
  }
  return undefined;
}

/** Resolves once the process that started this one is gone: `npm` where that is known, else its parent. */
function goneBy(npm: number | 'gone' | undefined): Promise<void> {
  const parent = process.ppid;
  if (npm === 'gone') return Promise.resolve();
  // In a container there is no parent to begin with.
  if (parent <= 1) return new Promise(() => {});
  const watched = npm ?? parent;
  return new Promise((resolve) => {
    const stop = hostEvery(LOOK_EVERY, () => {
      // An orphan gets another parent at once, even if another process gets the old parent's id.
      if (!isGone(watched) && (watched !== parent || process.ppid === parent)) return;
      stop();
      resolve();
    });
  });
}

/**
 * Resolves once the process that started this one is gone: npm, if it runs under npm, else its parent (WEB-3).
 *
 * @param follows the setting; undefined follows under npm alone
 * @param advice how to go on without npm
 * @returns undefined if it follows nobody
 */
export function parentGone(
  follows: boolean | undefined,
  { env, err }: Pick<Io, 'env' | 'err'>,
  advice = ' (to go on: --exit-with-parent=false)',
): Promise<void> | undefined {
  const underNpm = isUnderNpm(env);
  if (!(follows ?? underNpm)) return undefined;
  const npm = underNpm ? findNpm() : undefined;
  if (npm === 'gone') err(`npm started this process and is gone, so it stops${advice}\n`);
  return goneBy(npm);
}
