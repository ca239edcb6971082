import { readFileSync } from 'node:fs';
import { hostEvery } from '../clock/host.js';

/** How often to check whether the process still exists, in ms. */
const LOOK_EVERY = 1_000;

/** How many levels up to look for npm: a shell or two are between npm and what it runs. */
const FARTHEST = 4;

interface KnownProcess {
  /** Its parent's id; 0 if unknown. */
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
export const isUnderNpm = (env: NodeJS.ProcessEnv): boolean => env.npm_lifecycle_event !== undefined;

/** The nearest process above that is npm, or another that runs scripts as npm does. */
function findNpm(): number | undefined {
  let pid = process.ppid;
  for (let step = 0; step < FARTHEST && pid > 1; step++) {
    const found = look(pid);
    if (!found) return undefined;
    if (/(?:^|[\s/])(?:npm|npx|pnpm|yarn|bun)(?:-cli)?(?:\.c?js)?(?:\s|$)/.test(found.command)) return pid;
    pid = found.parent;
  }
  return undefined;
}

/**
 * Resolves once the process that started this one is gone: npm, if it runs under npm, else its parent (WEB-3). Never
 * resolves if there is none to begin with, as in a container.
 */
export function parentGone(env: NodeJS.ProcessEnv): Promise<void> {
  const parent = process.ppid;
  if (parent <= 1) return new Promise(() => {});
  const watched = (isUnderNpm(env) ? findNpm() : undefined) ?? parent;
  return new Promise((resolve) => {
    const stop = hostEvery(LOOK_EVERY, () => {
      // An orphan gets another parent at once, even if another process gets the old parent's id.
      if (!isGone(watched) && (watched !== parent || process.ppid === parent)) return;
      stop();
      resolve();
    });
  });
}
