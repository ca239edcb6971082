import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

/** A line may hold a string of 10 MB several times over, no more. */
const LONGEST_LINE = 64 * 1024 * 1024;

export interface ChildHandlers {
  line(line: string): void;
  /** A line grew beyond what any answer needs. */
  tooLong(): void;
  /** Its output has ended, or it could not be started. Called once. */
  ended(why: string): void;
  /** Its standard error, as it comes. */
  err(text: string): void;
}

/** The ends of the children that are there. Where this process ends in the middle of a run, nobody else would end them. */
const kills = new Set<() => void>();
const killAll = () => {
  for (const kill of kills) kill();
};

/** Starts a command whose output is read by lines. */
export function startChild(command: string, args: readonly string[], on: ChildHandlers) {
  const posix = process.platform !== 'win32';
  const child: ChildProcessByStdio<Writable, Readable, Readable> = spawn(command, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    // A group of its own, so that what it started is ended with it.
    detached: posix,
  });
  let over = false;
  let parts: Buffer[] = [];
  let size = 0;
  const end = (why: string) => {
    if (over) return;
    over = true;
    on.ended(why);
  };
  const take = (chunk: Buffer) => {
    let from = 0;
    for (let at = chunk.indexOf(10); at !== -1 && !over; at = chunk.indexOf(10, from)) {
      parts.push(chunk.subarray(from, at));
      const line = Buffer.concat(parts).toString();
      parts = [];
      size = 0;
      from = at + 1;
      if (line.trim() !== '') on.line(line);
    }
    const rest = chunk.subarray(from);
    size += rest.length;
    if (size > LONGEST_LINE) {
      parts = [];
      size = 0;
      if (!over) on.tooLong();
    } else if (rest.length > 0) parts.push(rest);
  };
  child.stdout.on('data', take);
  child.stderr.on('data', (chunk: Buffer) => on.err(chunk.toString()));
  child.stdin.on('error', () => {});
  child.on('error', (error: NodeJS.ErrnoException) =>
    end(`it cannot be started: ${error.code === 'ENOENT' ? `${command} does not exist` : error.message}`),
  );
  child.on('close', (code, signal) =>
    end(signal === null ? `it ended with status ${code}` : `it was ended by ${signal}`),
  );
  const kill = () => {
    try {
      if (posix && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      else child.kill('SIGKILL');
    } catch {
      child.kill('SIGKILL');
    }
  };
  // One listener for all: Node warns of more than ten.
  if (kills.size === 0) process.on('exit', killAll);
  kills.add(kill);
  child.once('close', () => {
    kills.delete(kill);
    if (kills.size === 0) process.off('exit', killAll);
  });
  return {
    write: (line: string) => void child.stdin.write(`${line}\n`),
    /** No more runs: its input ends. */
    finish: () => void child.stdin.end(),
    /** Ends it and what it started, at once. */
    kill,
  };
}
export type Child = ReturnType<typeof startChild>;
