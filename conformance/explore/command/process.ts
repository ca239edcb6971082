import type { ChildProcessByStdio } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { spawn } from '../../../emulator/contract/spawn.js';
import { inWords } from '../../../emulator/contract/system-error.js';
import { systemHost } from '../../probe/time.js';

/** The kept part of the output, in characters: a time line is read by people. */
const KEPT = 256 * 1024;
/** The beginning and the end of standard error that a failure is reported with, each in characters: either may say why. */
const TAIL = 16_000;
/** How long processes may take to follow the command that started them, in ms. */
const FOLLOW = 300;

/** The command could not be started: no schedule can be tried. */
export class NotStarted extends Error {
  override readonly name = 'NotStarted';
}

export interface Ended {
  readonly status: number;
  /** The signal that ended it, its own or one that a shell tells of. */
  readonly signal: string | undefined;
  /** The beginning and the end of what it wrote to standard error. */
  readonly stderr: string;
  /** Characters of output beyond those that were kept. */
  readonly dropped: number;
  /** Processes that it had started were still there, and were ended. */
  readonly left: boolean;
}

const POSIX = process.platform !== 'win32';
/** In the environment of all that a run starts, unless it takes it out: it tells whose processes they are. */
const MARK = 'INTERN_EXPLORE_RUN';

/** Signals that a program gets for its own mistake. A shell tells of them as a status. */
const CRASHES: Readonly<Record<number, string>> = Object.fromEntries(
  (['SIGILL', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGSEGV'] as const).map((name) => [128 + constants.signals[name], name]),
);

/**
 * Runs a command to its end. Its standard input is empty. Processes that it leaves behind end with it, as all of it does when
 * `signal` aborts.
 *
 * @throws NotStarted, or the reason of the signal
 */
export async function runProcess(
  [file, ...args]: readonly [string, ...string[]],
  {
    env,
    folder,
    signal,
    print,
    begun,
  }: {
    readonly env: NodeJS.ProcessEnv;
    readonly folder: string;
    readonly signal: AbortSignal;
    print(text: string): void;
    /** Is given what tells the processes of the run. */
    begun?(pids: () => readonly number[]): void;
  },
): Promise<Ended> {
  signal.throwIfAborted();
  const run = systemHost.tag(16);
  // A session of its own, so that what it starts is ended with it, and a Ctrl-C is ours alone.
  const child = spawn(file, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...env, [MARK]: run },
    cwd: folder,
    detached: POSIX,
  }) as ChildProcessByStdio<null, Readable, Readable>;
  const killed = new Set<number>();
  const end = () => endAll(child.pid, run, killed);
  begun?.(() => remaining(child.pid, run));
  signal.addEventListener('abort', end, { once: true });
  let [head, tail] = ['', ''];
  let room = KEPT;
  let dropped = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const kept = text.slice(0, room);
    room -= kept.length;
    dropped += text.length - kept.length;
    if (kept !== '') print(kept);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    const room = TAIL - head.length;
    head += text.slice(0, room);
    tail = (tail + text.slice(room)).slice(-TAIL);
  });
  try {
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
    const [status, name] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
      child.once('error', (error: NodeJS.ErrnoException) =>
        reject(new NotStarted(`${file}: ${error.code === 'ENOENT' ? 'command not found' : inWords(error)}`)),
      );
      child.once('exit', (code, by) => resolve([code, by]));
    });
    const left = await staysAny(() => remaining(child.pid, run));
    if (left) end();
    // A signal is sent at once, and followed when its process has its turn.
    await staysAny(() => [...killed].filter(isThere));
    // A process that has left the session, its environment too, may hold the output for ever.
    const late = systemHost.later(FOLLOW, () => {
      child.stdout.destroy();
      child.stderr.destroy();
    });
    await closed;
    late();
    signal.throwIfAborted();
    return { status: status ?? 128, signal: name ?? CRASHES[status ?? 0], stderr: head + tail, dropped, left };
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** Waits a moment for processes to end; whether some stay. */
async function staysAny(processes: () => readonly number[]): Promise<boolean> {
  for (let waited = 0; waited < FOLLOW; waited += 20) {
    if (processes().length === 0) return false;
    await systemHost.sleep(20);
  }
  return processes().length > 0;
}

/**
 * Processes of a run, as `kill` names them. On Linux: processes of its session, those with its name in their environment,
 * and the children of all of these. Elsewhere its group alone.
 */
function remaining(pid: number | undefined, run: string): number[] {
  if (!POSIX || pid === undefined) return [];
  if (process.platform === 'linux') return ofRun(pid, `${MARK}=${run}\0`);
  return isThere(-pid) ? [-pid] : [];
}

/** Whether a process, or a group, still runs. On Linux one that has ended keeps its number until its parent asks for it. */
function isThere(its: number): boolean {
  if (process.platform === 'linux') return statOf(its) !== undefined;
  try {
    process.kill(its, 0);
    return true;
  } catch {
    return false;
  }
}

/** All of a run, those too that begin while it is looked for: the one that started them may be gone when its turn comes. */
function ofRun(session: number, mark: string): number[] {
  const seen = new Map<number, Traits | undefined>();
  for (;;) {
    const fresh = processes().filter((its) => !seen.has(its));
    if (fresh.length === 0) return withChildren(seen);
    for (const its of fresh) seen.set(its, traitsOf(its, session, mark));
  }
}

/** The processes of the run, and their children, whatever the session and environment of these is. */
function withChildren(all: ReadonlyMap<number, Traits | undefined>): number[] {
  const found = new Set<number>();
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const [its, traits] of all) if (traits?.own || found.has(traits?.parent ?? 0)) found.add(its);
  }
  return [...found];
}

function processes(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** The marks by which the run of a process is known. */
interface Traits {
  readonly parent: number;
  readonly own: boolean;
}

function traitsOf(its: number, session: number, mark: string): Traits | undefined {
  const stat = statOf(its);
  if (stat === undefined) return undefined;
  const { parent, leader } = stat;
  try {
    return { parent, own: leader === session || readFileSync(`/proc/${its}/environ`).includes(mark) };
  } catch {
    // It is gone, or somebody else's.
    return undefined;
  }
}

/** The parent and the session of a process of Linux; undefined where it has ended. */
function statOf(its: number): { readonly parent: number; readonly leader: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${its}/stat`, 'utf8');
    // Behind the name, which may hold anything: state, parent, group, session.
    const [state, parent, , leader] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' || state === 'X' ? undefined : { parent: Number(parent), leader: Number(leader) };
  } catch {
    return undefined;
  }
}

/** How often what is there is looked for: a process may start another while it is being ended. */
const ROUNDS = 5;

function endAll(pid: number | undefined, run: string, killed: Set<number>): void {
  if (pid === undefined) return;
  // Windows has no groups: what a shell started is ended as its tree.
  if (!POSIX) spawn('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore' }).on('error', () => {});
  for (let round = 0; round < ROUNDS; round++) {
    const all = remaining(pid, run);
    for (const its of all) {
      try {
        process.kill(its, 'SIGKILL');
        killed.add(its);
      } catch {
        // It is gone.
      }
    }
    if (all.length === 0) return;
  }
}
