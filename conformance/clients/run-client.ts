import { ABILITIES, type ClientCase, LAYERS } from '../../emulator/contract/client-case.js';
import { ownCommand } from '../../emulator/contract/pasted.js';
import { createEmulator } from '../../emulator/index.js';
import { cases as allCases } from '../../emulator/lab/cases.js';
import { createLab, type Lab } from '../../emulator/lab/lab.js';
import type { Because } from '../model/skip.js';
import type { Host } from '../probe/time.js';
import { createEnding } from '../run/limits.js';
import type { CheckResult, Results } from '../run/results.js';
import { select } from '../run/select.js';
import { type EngineOptions, type RunTarget, run, type Unit } from '../run/units.js';
import { type Adapter, createPool, type Pool, startAdapter } from './adapter.js';
import { type CaseResult, type EvaluateOptions, evaluate } from './evaluate.js';
import { headOf, toCheckResult, twice } from './report.js';

export interface ClientRunOptions extends EngineOptions {
  /** The adapter's command and its arguments. */
  readonly command: readonly [string, ...string[]];
  /** Default: all that there are. */
  readonly cases?: readonly ClientCase[];
  readonly cuts: EvaluateOptions['cuts'];
  /** Upper limits of time are this many times as long, for a busy machine. Default: 1. */
  readonly patience?: number;
  /** Of the random cuts. */
  readonly seed?: string;
  readonly host: Host;
  /** Receives the adapter's standard error. */
  err(text: string): void;
  /** Receives each case as it ends, with what the lab saw of it. */
  shown?(shown: ShownCase): void;
}

/** A case that has ended: its row, and its run. */
export interface ShownCase {
  readonly client: string;
  readonly row: CheckResult;
  readonly result: CaseResult;
}

/** The client of a run, and what its cases need of it. */
interface CaseClient {
  readonly adapter: Adapter;
  /** More of its processes, for the cases that wait. */
  readonly others: Pool;
  readonly lab: Lab;
  readonly seed: string;
  /** Takes note of the run of a case that is asked for, and of how many requests came of the case so far. */
  asked(run: string, id: string): void;
  saw(id: string, requests: number): void;
}

/** A client by what its adapter says of it. */
const nameOf = ({ hello: { adapter, version } }: Adapter): string =>
  version === undefined || version === null ? adapter : `${adapter} ${version}`;

/** Processes of an adapter beside the first, at most: what they do is wait. */
const OTHERS = 4;

/** Whether a case is mostly waiting, for silence or an abort: such cases overlap. */
const isWaiting = ({ needs = [] }: ClientCase): boolean => needs.includes('idle') || needs.includes('abort');

/** The needs of a case, as a unit names them. */
const needsLayer = (layer: string): string => `layer:${layer}`;
const needsAbility = (ability: string): string => `ability:${ability}`;

export const unitsOf = (cases: readonly ClientCase[]) =>
  cases.map((theCase) => ({
    id: theCase.id,
    requirement: 'LAB-3',
    level: 'C' as const,
    needs: [
      needsLayer(theCase.layer),
      ...(theCase.needs ?? []).map(needsAbility),
      ...(theCase.expect.prompt === true ? ['events-as-they-come'] : []),
    ],
    heads: [headOf(theCase)],
    theCase,
  }));

function rejectedBy(signal: AbortSignal): Promise<never> {
  const rejected = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  rejected.catch(() => {});
  return rejected;
}

function doneBy(client: CaseClient, options: ClientRunOptions, cases: readonly ClientCase[]): Unit[] {
  const { adapter: first, asked, lab, others, saw, seed } = client;
  const { cuts, host, patience = 1 } = options;
  /** One for all cases: many overlap, and each would listen to the same signal. */
  let ended: Promise<never> | undefined;
  return unitsOf(cases).map(({ theCase, ...unit }) => ({
    ...unit,
    async run({ free, signal }) {
      ended ??= rejectedBy(signal);
      const over = ended;
      const waits = isWaiting(theCase);
      if (waits) free();
      const adapter = waits ? await Promise.race([others.take(), over]) : first;
      const from = host.now();
      let requests = 0;
      const watched = {
        get tells() {
          return adapter.tells;
        },
        async call(line: Parameters<Adapter['call']>[0], onEvent: () => void) {
          asked(line.run, theCase.id);
          const outcome = await adapter.call(line, onEvent);
          requests += lab.raw(line.run)?.requests.length ?? 0;
          saw(theCase.id, requests);
          return outcome;
        },
        ended: (run: string) => adapter.ended?.(run),
      };
      const evaluating = evaluate(theCase, watched, lab, { cuts, seed, host, patience });
      const result = await Promise.race([
        evaluating.then(({ watching }) => {
          if (waits) others.give(adapter);
          else free();
          return watching;
        }),
        over,
      ]);
      saw(theCase.id, result.requests);
      const words = ['client', '--only', theCase.id, '--seed', seed, '--cuts', cuts, '--', ...options.command];
      const again = ownCommand('intern-conformance', words);
      const row = toCheckResult(theCase, result, { duration: host.now() - from, again });
      options.shown?.({ client: nameOf(first), row, result });
      return { rows: [row] };
    },
  }));
}

function lackOf(need: string, { abilities, layers, tells }: Adapter): Because<'need'> | undefined {
  if (need === 'events-as-they-come') return tells === false ? { kind: need } : undefined;
  const layer = LAYERS.find((one) => need === needsLayer(one));
  if (layer !== undefined) return layers.includes(layer) ? undefined : { kind: 'layer', layer };
  const ability = ABILITIES.find((one) => need === needsAbility(one));
  return ability === undefined || abilities.includes(ability) ? undefined : { kind: 'abilities', abilities: [ability] };
}

/**
 * Runs an adapter through cases and returns the results, in the form of every run of the kit.
 *
 * @throws SelectionError for a pattern that fits no case
 * @throws AdapterError if the adapter does not begin correctly
 */
export async function runClient(options: ClientRunOptions): Promise<Results> {
  const { host, cases = allCases } = options;
  const [command, ...args] = options.command;
  const seed = options.seed ?? host.tag(6);
  const idOf = new Map<string, string>();
  const again = new Set<string>();
  const sent = new Map<string, number>();
  // Before anything is started for it.
  select(unitsOf(cases), options, 'case');
  const start = () =>
    startAdapter({
      command,
      args,
      host,
      signal: options.signal,
      err: options.err,
      answeredAgain: (run) => void again.add(idOf.get(run) ?? ''),
    });
  const adapter = await start();
  const client: CaseClient = {
    adapter,
    others: createPool(start, OTHERS),
    lab: createLab({ id: () => host.tag(12), emulator: createEmulator }),
    seed,
    asked: (run, id) => void idOf.set(run, id),
    saw: (id, requests) => void sent.set(id, requests),
  };
  const { maxTime, maxRequests: most, signal } = options;
  const limits = maxTime === undefined ? {} : { time: { most: maxTime, stop: { kind: 'time', ms: maxTime } as const } };
  const ending = createEnding(host, { limits, signal });
  const target: RunTarget = {
    about: {
      kind: 'client',
      url: nameOf(adapter),
      profile: 'svc',
      published: false,
    },
    host,
    tag: host.tag(4),
    ending,
    concurrency: 1,
    scarce: false,
    get lost() {
      return adapter.lost === undefined ? undefined : ({ kind: 'adapter', detail: adapter.lost } as const);
    },
    get sent() {
      return [...sent.values()].reduce((sum, requests) => sum + requests, 0);
    },
    lacks: (need) => lackOf(need, adapter),
    async begin() {
      ending.begin();
      return ending.stopped;
    },
    clean: (data) => data,
    async close() {
      ending.close();
      // A second answer to the last run may still be on its way.
      await host.turn();
      await Promise.all([adapter.close(), client.others.close()]);
      await client.lab.close();
      return undefined;
    },
    revised: (row) => (again.has(row.id) ? twice(row) : row),
    summary: () => ({ options: { seed } }),
  };
  return run(doneBy(client, options, cases), target, {
    ...options,
    kind: 'case',
    without: () => (most !== undefined && target.sent >= most ? { kind: 'requests', most } : undefined),
  });
}
