import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Broken } from './law.js';

const ROOT = resolve(import.meta.dirname, '../..');
/** How long a process may take to be ready: this machine may be busy with others. */
const START_MS = 60_000;
/** What is kept of what it writes. */
const TAIL = 8_000;
const PAGE = 4_096;

/** A process under test. */
export interface Child {
  readonly process: ChildProcess;
  /** What it wrote on standard error since it was last looked at, or its end. */
  errors(): string;
  /** MB that it holds; undefined where this system does not say. */
  memory(): number | undefined;
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

/**
 * Starts a TypeScript file of ours in a process of its own, and waits for its first line. `plant` is a module that is loaded
 * before it: a test plants a defect with it.
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
    errors() {
      const said = errors;
      errors = '';
      return said;
    },
    memory: () => megabytes(child.pid),
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
    // What it prints later is nobody's, and must not fill the pipe.
    child.stdout?.resume();
    return text.split('\n')[0] ?? '';
  })();
  const line = await Promise.race([first, delay(START_MS, '', { ref: false })]);
  if (line !== '') return { child: under, line };
  await under.stop();
  throw new Error(`${file} did not start: ${errors.trim() || `nothing came within ${START_MS / 1_000} s`}`);
}

/** A line of the log that tells of a mistake of ours. */
const OURS = /"event":"internal_error"|UnhandledPromiseRejection|unhandledRejection/;

/** Holds a process against the laws that any input leaves it under. @throws Broken */
export function checkChild(child: Child, mostMegabytes: number): void {
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

/** How long a process may take to answer what is nothing out of the common. */
export const LIVELY_MS = 1_000;

/** Whether `probe` answers in time. A machine that is busy with something else is late once, not each of three times. */
export async function checkLively(again: () => Promise<void>, probe: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    const before = performance.now();
    await probe();
    const took = performance.now() - before;
    if (took <= LIVELY_MS) return;
    if (tries === 3) throw new Broken('a probe is answered within 1 s', `it took ${Math.round(took)} ms, three times`);
    await again();
  }
}
