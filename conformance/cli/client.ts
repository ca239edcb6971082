import type { ClientCase } from '../../emulator/contract/client-case.js';
import { counted } from '../../emulator/contract/counted.js';
import { given } from '../../emulator/contract/given.js';
import { UsageError } from '../../emulator/contract/problem.js';
import { AdapterError } from '../clients/adapter.js';
import { cutsOf } from '../clients/cuts.js';
import type { EvaluateOptions } from '../clients/evaluate.js';
import { cases } from '../clients/index.js';
import { runClient, unitsOf } from '../clients/run-client.js';
import { chosenOf } from '../run/select.js';
import { concluded } from './engine.js';
import type { Io } from './io.js';
import type { Settings } from './settings.js';
import { showAt } from './show.js';
import { createValues } from './values.js';

/** The plan of a run of client cases, from the catalogue alone: no adapter is started for it. */
export function clientPlan(
  cases: readonly ClientCase[],
  {
    command,
    cuts,
    seed = '',
  }: Pick<EvaluateOptions, 'cuts'> & { readonly seed: string | undefined; readonly command: readonly string[] },
): string {
  const rows = cases.map((theCase) => ({ theCase, runs: [...cutsOf(theCase, { cuts, seed })].length }));
  const runs = rows.reduce((sum, row) => sum + row.runs, 0);
  return [
    `Plan of client cases for ${command.join(' ')}`,
    `${counted(rows.length, 'case')} would be run, ${counted(runs, 'time')} in all. What the adapter does not offer is skipped.`,
    'The adapter was not started.',
    '',
    ...rows.map((row) => `  run   ${row.theCase.id}  ${row.theCase.layer}, ${counted(row.runs, 'run')}`),
    '',
  ].join('\n');
}

/**
 * `intern-conformance client … -- COMMAND`: runs a client, behind an adapter, through the cases of the lab (LAB-9,
 * LAB-10). Returns the exit code; 3 and one line if the adapter does not begin.
 */
export async function clientCommand(
  settings: Settings,
  { cuts: cutsGiven, show: address }: { readonly cuts: unknown; readonly show: unknown },
  command: readonly string[],
  io: Io,
): Promise<number> {
  const [program, ...args] = command;
  if (program === undefined) throw new UsageError('client: expected -- and the command of an adapter after it');
  const cuts = createValues({ cuts: cutsGiven }).choice('cuts', ['few', 'all', 'none']) ?? 'few';
  const selected = chosenOf(unitsOf(cases), settings, 'case');
  if (settings.plan) {
    io.out(
      clientPlan(
        selected.map(({ theCase }) => theCase),
        { cuts, seed: settings.seed, command },
      ),
    );
    return 0;
  }
  const show = address === undefined ? undefined : await showAt(String(address), io);
  const { err, host } = io;
  try {
    const readable = settings.reports.every(({ file, kind }) => file !== undefined || kind === 'tty');
    return await concluded(
      settings,
      io,
      (options) =>
        runClient({
          ...options,
          ...given({ seed: settings.seed, shown: show?.send }),
          command: [program, ...args],
          cuts,
          host,
          err,
        }),
      readable ? io.out : undefined,
    );
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    io.err(`intern-conformance: the adapter ${program} did not begin: ${error.message}\n`);
    return 3;
  } finally {
    await show?.done();
  }
}
