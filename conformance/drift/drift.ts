import { byKey } from '../../emulator/contract/by-key.js';
import { shellWord } from '../../emulator/contract/pasted.js';
import type { PlacedExchange } from '../../emulator/recording/read.js';
import { type Finding, foundOfAll } from '../model/finding.js';
import { UNLIMITED } from '../run/limits.js';
import { type OpenRun, openRun } from '../run/open.js';
import type { RunnerOptions } from '../run/options.js';
import type { CheckResult, Results, RowHead } from '../run/results.js';
import { faultOf, run, type Unit } from '../run/units.js';
import { createNames } from './exchange.js';
import { type Played, play } from './play.js';

export { readRecording } from '../../emulator/recording/read.js';

/** The options of a drift. Times in ms. */
export interface DriftOptions extends Omit<RunnerOptions, 'checks'> {
  readonly exchanges: readonly PlacedExchange[];
  /** The command line of this drift, so that it can be repeated. */
  readonly command: string;
}

/** The rules that every exchange is held against. */
const RECORDED = {
  sentence:
    'A recorded request is answered as it was recorded in what matters: status, reason, retryable, keys and their types, kinds and order of events, how it ended, headers of the contract.',
  where: 'Surface, Recordings',
};

/** The id of an exchange: scenario, place and operation. */
export const idOf = ({ exchange }: PlacedExchange): string =>
  `drift/${exchange.scenario ?? 'unnamed'}/${exchange.n}-${exchange.operation ?? 'other'}`;

/** The row of an exchange before it is sent. */
const headOf = (placed: PlacedExchange): RowHead => ({
  id: idOf(placed),
  requirement: 'REC-3',
  level: 'C',
  clause: RECORDED,
  title: `${placed.exchange.request.method} ${placed.exchange.request.path} (${placed.file}:${placed.line})`,
});

/** A finding without the requirement that it breaks: drift reports every finding under its own requirement. */
const lookOf = ({ found: { breaks: _, ...look } }: Finding): ReturnType<typeof foundOfAll> => look;

/** The verdict on an exchange. */
function judged({ compared, error, met, placed, skip }: Played, { clean }: Pick<OpenRun, 'clean'>, command: string) {
  if (error !== undefined) return { verdict: 'error', error: { ...clean(faultOf(error)), transcript: [] } } as const;
  if (skip !== undefined) return { verdict: 'skip', skip: clean(skip) } as const;
  const [finding, ...findings] = compared.findings;
  const [warning, ...warnings] = compared.warnings;
  const failed = met ? lookOf(met) : finding && foundOfAll([finding, ...findings]);
  const found = failed ?? (warning && foundOfAll([warning, ...warnings]));
  if (found === undefined) return { verdict: 'pass' } as const;
  const replay = `${command} # ${placed.file}:${placed.line}`;
  return { verdict: failed ? 'fail' : 'warn', finding: { ...clean(found), transcript: [], replay } } as const;
}

/** Exchanges that depend on one another, in their order. */
export type Scenario = readonly PlacedExchange[];

/** The selected scenarios of each file of recordings. An alias stands for the same value within one scenario. */
export const scenariosOf = (exchanges: readonly PlacedExchange[]) =>
  [...byKey(exchanges, ({ file, exchange }) => `${file} ${exchange.scenario ?? ''}`).values()].map(
    (scenario: Scenario) => ({
      id: `drift/${scenario[0]?.exchange.scenario ?? 'unnamed'}`,
      requirement: 'REC-3',
      level: 'C' as const,
      heads: scenario.map(headOf),
      scenario,
    }),
  );

/**
 * Sends the requests of recordings to a target and compares its answers with the recorded ones in what matters (REC-3);
 * what matters is the table in `compared.ts`. A difference is a finding, a further key a warning, and what an intern did
 * otherwise on a deployment a skip. Nothing is written to an intern that the run did not make, and those are taken away.
 *
 * @throws SelectionError for a pattern that fits no scenario
 */
export async function drift(options: DriftOptions): Promise<Results> {
  const opened = openRun(
    { ...UNLIMITED, ...options, seed: '', runs: 1, concurrency: 1, blocking: false },
    { puts: options.readOnly !== true },
  );
  const names = createNames(opened.session.prefix);
  const deps = { ...opened, client: opened.session.running, names };
  const units = scenariosOf(options.exchanges).map(
    ({ scenario, ...unit }): Unit => ({
      ...unit,
      needs: [],
      async run() {
        const all = await play(scenario, deps);
        const rows = all.map(
          (played): CheckResult => ({
            ...headOf(played.placed),
            duration: played.duration,
            requests: played.requests,
            properties: [],
            ...judged(played, opened, `${options.command} --only ${shellWord(unit.id)}`),
          }),
        );
        return { rows };
      },
    }),
  );
  // A baseline may also hold rows of other recordings.
  return run(units, opened, { ...options, kind: 'scenario', partial: true });
}
