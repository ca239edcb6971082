import type { ClientCase } from '../../emulator/contract/client-case.js';
import { counted } from '../../emulator/contract/counted.js';
import { cutsOf } from '../clients/cuts.js';
import type { EvaluateOptions } from '../clients/evaluate.js';

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
