import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';

/** Where a call of the system that waits for connections has its limit: a number of ms, or the address of seconds and their parts. */
interface Waits {
  readonly at: number;
  /** How many parts a second has. */
  readonly parts?: number;
}
const NANO = 1e9;
const CALLS: Readonly<Record<string, Readonly<Record<number, Waits>>>> = {
  // poll, select, epoll_wait, pselect6, ppoll, epoll_pwait, epoll_pwait2
  x64: {
    7: { at: 3 },
    23: { at: 5, parts: 1e6 },
    232: { at: 4 },
    270: { at: 5, parts: NANO },
    271: { at: 3, parts: NANO },
    281: { at: 4 },
    441: { at: 4, parts: NANO },
  },
  // epoll_pwait, pselect6, ppoll, epoll_pwait2
  arm64: { 22: { at: 4 }, 72: { at: 5, parts: NANO }, 73: { at: 3, parts: NANO }, 441: { at: 4, parts: NANO } },
};

/** Two numbers of 64 bits at an address of another process. */
function pairAt(pid: number, address: number): [number, number] {
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  try {
    const bytes = Buffer.alloc(16);
    readSync(memory, bytes, 0, 16, address);
    return [Number(bytes.readBigInt64LE(0)), Number(bytes.readBigInt64LE(8))];
  } finally {
    closeSync(memory);
  }
}

/** How long the call that a thread is in may wait, in ms. */
function limitOfThread(pid: number, thread: string): number {
  // The number of the call, and its arguments.
  const words = readFileSync(`/proc/${pid}/task/${thread}/syscall`, 'utf8').split(' ').map(Number);
  const waits = CALLS[process.arch]?.[words[0] ?? -1];
  const value = waits && words[waits.at];
  if (waits === undefined || value === undefined) return 0;
  // -1 is none: of a number of ms the lower half counts.
  if (waits.parts === undefined) return Math.max(0, value | 0);
  if (value === 0) return 0;
  const [seconds, parts] = pairAt(pid, value);
  return 1_000 * (seconds + parts / waits.parts);
}

/**
 * How long the longest wait for connections that these processes are in may take, in ms. 0 where each waits without a limit, or
 * nothing can be known of it: the system tells it on Linux alone.
 */
export function limitOf(pids: readonly number[]): number {
  const limits = pids.flatMap((pid) => {
    try {
      return readdirSync(`/proc/${pid}/task`).map((thread) => limitOfThread(pid, thread));
    } catch {
      // It is gone, or not to be looked into.
      return 0;
    }
  });
  return Math.max(0, ...limits);
}
