import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { hostEvery } from '../clock/host.js';

/** How often it is looked whether the process is still there, in ms. */
const LOOK_EVERY = 1_000;

/** How far up npm may be: a shell or two are between it and what it runs. */
const FARTHEST = 4;

interface Found {
  /** Its parent's id; 0 where that is not known. */
  parent: number;
  command: string;
}

/** A process as the system knows it; undefined for one that is not there, or where that can't be told. */
function look(pid: number): Found | undefined {
  try {
    if (process.platform === 'linux') {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const [state = '', parent = '0'] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      // One that ended but whose parent has not taken note is gone.
      if (state === 'Z' || state === 'X') return undefined;
      return { parent: Number(parent), command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ') };
    }
    if (process.platform === 'win32') return undefined;
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
    // What belongs to somebody else is there.
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
 * Resolves once the process that started this one is gone: npm, where it runs under npm, else its parent (WEB-3). Never
 * resolves where there is none to begin with, as in a container.
 */
export function parentGone(env: NodeJS.ProcessEnv): Promise<void> {
  const parent = process.ppid;
  if (parent <= 1) return new Promise(() => {});
  const watched = (isUnderNpm(env) ? findNpm() : undefined) ?? parent;
  return new Promise((resolve) => {
    const stop = hostEvery(LOOK_EVERY, () => {
      // An orphan gets another parent at once, whoever has the old one's number next.
      if (!isGone(watched) && (watched !== parent || process.ppid === parent)) return;
      stop();
      resolve();
    });
  });
}
