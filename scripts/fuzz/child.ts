import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Broken } from './law.js';

const ROOT = resolve(import.meta.dirname, '../..');
/** How long a process may take to be ready: the machine may be busy with others. */
const START_MS = 60_000;
/** How much of its output is kept. */
const TAIL = 8_000;
const PAGE = 4_096;

/** A process under test. */
export interface Child {
  readonly process: ChildProcess;
  /** Resolves when it has ended, and all its output is here. */
  readonly closed: Promise<unknown>;
  /** The end of what it wrote on standard error. */
  errors(): string;
  /** MB that it holds; undefined if this system does not say. */
  memory(): number | undefined;
  /** ms of a processor that it has taken; undefined if this system does not say. */
  worked(): number | undefined;
  stop(): Promise<void>;
}

function megabytes(pid: number | undefined): number | undefined {
  try {
    const [, pages] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ');
    return (Number(pages) * PAGE) / 1_048_576;
  } catch {
    return undefined;
  }
}

/** In ticks of 10 ms, user and system, behind the name in brackets. */
function workedMs(pid: number | undefined): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return undefined;
  }
}

/**
 * Starts a TypeScript file of ours in a process of its own, and waits for its first line. `plant` is a module that is
 * loaded before it: a test plants a defect with it.
 *
 * @returns the process, and its first line
 */
export async function startChild(
  file: string,
  args: readonly string[],
  plant: string | undefined,
): Promise<{ child: Child; line: string }> {
  const planted = plant === undefined ? [] : ['--import', plant];
  const child = spawn(process.execPath, ['--import', 'tsx', ...planted, join(ROOT, file), ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, INTERN_EMULATOR_EXIT_WITH_PARENT: 'true' },
  });
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-TAIL);
  });
  const under: Child = {
    process: child,
    closed: once(child, 'close'),
    errors: () => errors,
    memory: () => megabytes(child.pid),
    worked: () => workedMs(child.pid),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
  const first = (async () => {
    let text = '';
    for await (const piece of child.stdout?.setEncoding('utf8').iterator({ destroyOnReturn: false }) ?? []) {
      text += piece;
      if (text.includes('\n')) break;
    }
    // Nobody reads its later output, which must not fill the pipe.
    child.stdout?.resume();
    return text.split('\n')[0] ?? '';
  })();
  const line = await Promise.race([first, delay(START_MS, '', { ref: false })]);
  if (line !== '') return { child: under, line };
  await under.stop();
  throw new Error(`${file} did not start: ${errors.trim() || `nothing came within ${START_MS / 1_000} s`}`);
}

/** A line of the log that reports a mistake of ours. */
const OURS = /"event":"internal_error"|UnhandledPromiseRejection|unhandledRejection/;

/** Connections of an ending process are gone before its end is known. */
const END_MS = 1_000;

/** Checks the laws that a process must keep under any input. `silent`: it did not answer. @throws Broken */
export async function checkChild(child: Child, mostMegabytes: number, silent = false): Promise<void> {
  if (silent || child.process.exitCode !== null) await Promise.race([child.closed, delay(END_MS, '', { ref: false })]);
  const { exitCode, signalCode } = child.process;
  const errors = child.errors();
  if (exitCode !== null || signalCode !== null)
    throw new Broken('the process lives', `it ended with ${exitCode ?? signalCode}: ${errors.trim().slice(-1_500)}`);
  const wrong = errors.split('\n').find((line) => OURS.test(line));
  if (wrong !== undefined) throw new Broken('nothing of ours throws', wrong.slice(0, 1_500));
  const held = child.memory();
  if (held !== undefined && held > mostMegabytes)
    throw new Broken('memory stays bounded', `${Math.round(held)} MB are held, of ${mostMegabytes} MB at most`);
}

/**
 * The work, while the process lives. A process that ends loses its connections first: what failed for that is its end.
 *
 * @throws Broken for a process that has ended, else what the work throws
 */
export async function whileItLives<T>(child: Child, work: Promise<T>): Promise<T> {
  return work.catch(async (error: unknown) => {
    if (!(error instanceof Broken)) await checkChild(child, Number.POSITIVE_INFINITY, true);
    throw error;
  });
}

/** How long a process may take to answer an ordinary request. */
export const LIVELY_MS = 1_000;

/**
 * Checks that `probe` is answered in time, or by less work than that: a machine may be busy with others. `again`
 * repeats what must leave a process lively. @throws Broken
 */
export async function checkLively(
  child: Child,
  again: () => Promise<void>,
  probe: () => Promise<unknown>,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const before = performance.now();
    const worked = child.worked();
    await probe();
    const work =
      worked === undefined ? Number.POSITIVE_INFINITY : (child.worked() ?? Number.POSITIVE_INFINITY) - worked;
    const took = Math.min(performance.now() - before, work);
    if (took <= LIVELY_MS) return;
    if (tries === 3) throw new Broken('a probe is answered within 1 s', `it took ${Math.round(took)} ms, three times`);
    await again();
  }
}
