import type { ChildProcessByStdio } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { spawn } from '../../../emulator/contract/spawn.js';
import { inWords } from '../../../emulator/contract/system-error.js';
import { systemHost } from '../../probe/time.js';

/** What of the output is kept, in characters: a time line is read by people. */
const KEPT = 256 * 1024;
/** The end of standard error that a failure is reported with. */
const TAIL = 2_000;
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
  /** The end of what it wrote to standard error. */
  readonly stderr: string;
  /** Characters of output beyond those that were kept. */
  readonly dropped: number;
  /** Processes that it had started were still there, and were ended. */
  readonly left: boolean;
}

const POSIX = process.platform !== 'win32';

/** Signals that a program gets for its own mistake. A shell tells of them as a status. */
const CRASHES: Readonly<Record<number, string>> = Object.fromEntries(
  (['SIGILL', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGSEGV'] as const).map((name) => [128 + constants.signals[name], name]),
);

/**
 * Runs a command to its end. Its standard input is empty. What it leaves behind is ended with it, as all of it is when
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
  }: {
    readonly env: NodeJS.ProcessEnv;
    readonly folder: string;
    readonly signal: AbortSignal;
    print(text: string): void;
  },
): Promise<Ended> {
  signal.throwIfAborted();
  // A group of its own, so that what it starts is ended with it, and a Ctrl-C is ours alone.
  const child = spawn(file, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env,
    cwd: folder,
    detached: POSIX,
  }) as ChildProcessByStdio<null, Readable, Readable>;
  const end = () => endGroup(child.pid);
  signal.addEventListener('abort', end, { once: true });
  let stderr = '';
  let room = KEPT;
  let dropped = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const kept = text.slice(0, room);
    room -= kept.length;
    dropped += text.length - kept.length;
    if (kept !== '') print(kept);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-TAIL);
  });
  try {
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
    const [status, name] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
      child.once('error', (error: NodeJS.ErrnoException) =>
        reject(new NotStarted(`${file}: ${error.code === 'ENOENT' ? 'command not found' : inWords(error)}`)),
      );
      child.once('exit', (code, by) => resolve([code, by]));
    });
    const left = await follow(child.pid);
    if (left) end();
    await closed;
    signal.throwIfAborted();
    return { status: status ?? 128, signal: name ?? CRASHES[status ?? 0], stderr, dropped, left };
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** Waits a moment for the rest of a group; whether some of it stays. */
async function follow(pid: number | undefined): Promise<boolean> {
  for (let waited = 0; waited < FOLLOW; waited += 10) {
    if (!isThere(pid)) return false;
    await systemHost.sleep(10);
  }
  return isThere(pid);
}

function isThere(pid: number | undefined): boolean {
  if (!POSIX || pid === undefined) return false;
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    // Windows has no groups: what a shell started is ended as its tree.
    if (POSIX) process.kill(-pid, 'SIGKILL');
    else spawn('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore' }).on('error', () => {});
  } catch {
    // It is gone.
  }
}
