import type { ClientCase } from '../../emulator/contract/client-case.js';
import { createEmulator } from '../../emulator/index.js';
import { cases as allCases } from '../../emulator/lab/cases.js';
import { createLab } from '../../emulator/lab/lab.js';
import { assemble } from '../engine/assemble.js';
import { asKnown, type Baseline } from '../engine/baseline.js';
import type { CheckResult, Results, RunEvents } from '../engine/results.js';
import type { Skip } from '../framework/skip.js';
import type { Stop } from '../framework/stop.js';
import type { Host } from '../probe/time.js';
import { type Adapter, startAdapter } from './adapter.js';
import { type CaseResult, evaluate } from './evaluate.js';
import { toCheckResult } from './report.js';

export interface ClientRunOptions {
  /** The adapter's command and its arguments. */
  readonly command: readonly [string, ...string[]];
  readonly cases: readonly ClientCase[];
  readonly cuts: 'none' | 'few' | 'all';
  /** Upper limits of time are this many times as long, for a busy machine. Default: 1. */
  readonly patience?: number;
  readonly seed?: string;
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  readonly baseline?: Baseline;
  readonly host: Host;
  readonly signal: AbortSignal;
  readonly events?: RunEvents;
  /** Receives the adapter's standard error. */
  err(text: string): void;
}

const quoted = (word: string): string => (/^[\w:/.@%=+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/**
 * Runs an adapter through cases and returns the results, in the form of every run of the kit.
 *
 * @throws AdapterError if the adapter does not begin correctly
 */
export async function runClient(options: ClientRunOptions): Promise<Results> {
  const { host, signal, cuts, patience = 1 } = options;
  const [command, ...args] = options.command;
  const seed = options.seed ?? host.tag(6);
  const began = host.now();
  const rows = new Map<string, CheckResult>();
  const runs = new Map<string, ClientCase>();
  const again = new Set<string>();
  const adapter: Adapter = await startAdapter({
    command,
    args,
    host,
    err: options.err,
    answeredAgain(run) {
      const theCase = runs.get(run);
      if (theCase !== undefined)
        put(theCase, { id: theCase.id, verdict: 'error', runs: 1, requests: 0, fault: { kind: 'twice' } }, 0);
    },
  });
  const lab = createLab({ id: () => host.tag(12), emulator: createEmulator });
  const { hello } = adapter;
  const target: Results['target'] = {
    kind: 'client',
    url: hello.version === undefined || hello.version === null ? hello.adapter : `${hello.adapter} ${hello.version}`,
    profile: 'svc',
    published: false,
  };
  const of = options.cases.length;

  function put(theCase: ClientCase, result: CaseResult, duration: number): void {
    if (result.fault?.kind === 'twice') again.add(theCase.id);
    const found: CaseResult = again.has(theCase.id)
      ? { ...result, verdict: 'error', fault: { kind: 'twice' } }
      : result;
    const words = [
      'intern-conformance',
      'client',
      '--only',
      theCase.id,
      '--seed',
      seed,
      '--cuts',
      cuts,
      '--',
      ...options.command,
    ];
    const made = toCheckResult(theCase, found, { duration, again: words.map(quoted).join(' ') });
    const row = asKnown(made, options.baseline, host.now());
    const isNew = !rows.has(theCase.id);
    rows.set(theCase.id, row);
    if (isNew || row.verdict === 'error') options.events?.checkEnd?.(row, { index: rows.size - 1, of });
  }

  options.events?.start?.({ checks: of, target });
  let stopped: Stop | undefined;
  const ending: Promise<void>[] = [];
  try {
    for (const [index, theCase] of options.cases.entries()) {
      if (signal.aborted) stopped = { kind: 'interrupted' };
      if (adapter.lost !== undefined) stopped = { kind: 'adapter', detail: adapter.lost };
      if (stopped !== undefined) {
        const skip: Skip = { kind: 'stopped', because: { kind: 'over', stop: stopped } };
        put(theCase, { id: theCase.id, verdict: 'skip', runs: 0, requests: 0, skip }, 0);
        continue;
      }
      options.events?.checkStart?.({ id: theCase.id, index, of });
      const from = host.now();
      const counting = {
        layers: adapter.layers,
        get tells() {
          return adapter.tells;
        },
        call: (line: Parameters<Adapter['call']>[0], onEvent: () => void) => {
          runs.set(line.run, theCase);
          return adapter.call(line, onEvent);
        },
      };
      const { watching } = await evaluate(theCase, counting, lab, { cuts, seed, host, patience });
      ending.push(watching.then((result) => put(theCase, result, host.now() - from)));
    }
    await Promise.all(ending);
    // A second answer to the last run may still be on its way.
    await host.turn();
  } finally {
    await adapter.close();
    await lab.close();
  }
  const checks = options.cases.map(({ id }) => rows.get(id)).filter((row) => row !== undefined);
  return assemble(checks, {
    tag: host.tag(4),
    began,
    now: host.now(),
    target,
    options: { seed, only: options.only ?? [], skip: options.skip ?? [] },
    requests: checks.reduce((sum, check) => sum + check.requests, 0),
    stopped,
    baseline: options.baseline,
    exists: (id) => allCases.some((one) => one.id === id),
  });
}
