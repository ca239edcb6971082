import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';

/** A server in a process of its own, and what it said of itself on its first line. */
export interface Served {
  readonly child: ChildProcess;
  readonly hello: Record<string, never> & { url?: string; base_url?: string; [key: string]: unknown };
  /** Resident memory in bytes, as the kernel counts it. */
  rss(): number;
  /** Processor time used so far, in seconds. */
  cpu(): number;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts a script of `bench/servers` and waits for the one line of JSON that says it is ready. */
export const start = (script: string, ...args: string[]): Promise<Served> =>
  startFile(new URL(`servers/${script}`, import.meta.url).pathname, args);

/** The same with a profile, which is in the folder after `stop('SIGTERM')`. */
export const startProfiled = (script: string, folder: string, ...args: string[]): Promise<Served> => {
  const ends = new URL('servers/ends.cjs', import.meta.url).pathname;
  const flags = ['--cpu-prof', '--cpu-prof-interval', '200', `--cpu-prof-dir=${folder}`, '--require', ends];
  return startFile(new URL(`servers/${script}`, import.meta.url).pathname, args, 'inherit', flags);
};

/** The same for the emulator as it is built; what it logs goes to a file descriptor, or nowhere. */
export const startCommand = (args: readonly string[], stderr: number | 'ignore'): Promise<Served> =>
  startFile(new URL('../dist/bin/intern-emulator.js', import.meta.url).pathname, ['--json', ...args], stderr);

async function startFile(
  script: string,
  args: readonly string[],
  stderr: number | 'inherit' | 'ignore' = 'inherit',
  flags: readonly string[] = [],
): Promise<Served> {
  const child = spawn(process.execPath, [...flags, script, ...args], { stdio: ['ignore', 'pipe', stderr] });
  if (!child.stdout) throw new Error(`${script} has no standard output`);
  const lines = createInterface({ input: child.stdout });
  const hello = await new Promise<string>((resolve, reject) => {
    lines.once('line', resolve);
    child.once('exit', (code) => reject(new Error(`${script} ended with ${code}`)));
  });
  const stat = () =>
    readFileSync(`/proc/${child.pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
  return {
    child,
    hello: JSON.parse(hello),
    rss: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) * 1024,
    cpu: () => (Number(stat()[11]) + Number(stat()[12])) / 100,
    stop: (signal = 'SIGKILL') =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.kill(signal);
      }),
  };
}

/**
 * Processor time of a process until it ends, or is ready, in ms, and what it printed: the same even if other work takes its
 * share of the machine.
 */
export function cpuOf(args: readonly string[], node = process.execPath): { ms: number; stdout: string } {
  const counter = new URL('servers/cpu.cjs', import.meta.url).pathname;
  const { stdout, stderr } = spawnSync(node, ['--require', counter, ...args], { encoding: 'utf8' });
  const [, ms] = /^cpu ([\d.]+)$/m.exec(stderr) ?? [];
  if (ms === undefined) throw new Error(`${args[0]} did not end by itself: ${stderr}`);
  return { ms: Number(ms), stdout };
}

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0)) / 2;
};

export const percentile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
};

/** One figure, as {@link report} leaves it for the table of docs/benchmarks.md. */
export interface Row {
  readonly script: string;
  readonly what: string;
  readonly figure: string;
  readonly target: string;
  readonly met: boolean;
  readonly beside: string;
}

/**
 * Prints one line of a comparison: what, the figure, the target, and whether it is met. With BENCH_ROWS it is kept in that
 * file too. `beside` is what it was compared with.
 */
export function report(what: string, figure: string, target: string, met: boolean, beside = ''): void {
  console.log(`${met ? 'met   ' : 'MISSED'}  ${what}: ${figure} (target ${target})`);
  if (!met) process.exitCode = 1;
  const file = process.env.BENCH_ROWS;
  const script = basename(process.argv[1] ?? '', '.ts');
  if (file) appendFileSync(file, `${JSON.stringify({ script, what, figure, target, met, beside } satisfies Row)}\n`);
}

/** One side of a comparison after one turn: what it did in a second, and its processor time for each, in µs. */
export interface Turn {
  readonly rate: number;
  readonly cost: number;
}

/**
 * How many times as much one side does as the other, turn by turn, and the median of that. The ratio is of processor time,
 * since that holds on a machine with other work on it too.
 */
export const times = (one: readonly Turn[], other: readonly Turn[]): number =>
  median(one.flatMap((a, i) => (other[i] === undefined ? [] : [other[i].cost / a.cost])));

/** `26,600/s, 37 µs CPU` */
export const shown = (turns: readonly Turn[]): string => {
  const rate = Math.round(median(turns.map((turn) => turn.rate))).toLocaleString('en');
  return `${rate}/s, ${Math.round(median(turns.map((turn) => turn.cost)))} µs CPU`;
};
