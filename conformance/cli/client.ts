import type { ClientCase } from '../../emulator/contract/client-case.js';
import { suggestion } from '../../emulator/contract/nearest.js';
import { AdapterError } from '../clients/adapter.js';
import { cases } from '../clients/index.js';
import { runClient } from '../clients/run-client.js';
import { UsageError } from '../framework/usage.js';
import { progress } from '../reporters/tty.js';
import { readBaseline, writeBaseline } from './baseline.js';
import { makeFolders } from './folders.js';
import { deliver, type Io } from './run.js';
import type { Settings } from './settings.js';

const CUTS = ['few', 'all', 'none'] as const;

/** Cases whose ids fit a pattern, in which `*` stands for anything. */
function fitting(patterns: readonly string[]): (one: ClientCase) => boolean {
  const expressions = patterns.map((pattern) => {
    const expression = new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`, 'i');
    const ids = cases.map(({ id }) => id);
    if (!ids.some((id) => expression.test(id)))
      throw new UsageError(`unknown case ${pattern}${suggestion(pattern, ids)}`);
    return expression;
  });
  return ({ id }) => expressions.some((expression) => expression.test(id));
}

/**
 * `intern-conformance client … -- COMMAND`: runs a client, behind an adapter, through the cases of the lab (LAB-9,
 * LAB-10). Returns the exit code; 3 and one line if the adapter does not begin.
 */
export async function clientCommand(
  settings: Settings,
  cutsGiven: unknown,
  command: readonly string[],
  io: Io,
): Promise<number> {
  const [program, ...args] = command;
  if (program === undefined) throw new UsageError('client: expected -- and the command of an adapter after it');
  const cuts = CUTS.find((one) => one === (cutsGiven ?? 'few'));
  if (cuts === undefined) throw new UsageError(`--cuts: expected ${CUTS.join(', ')}, got ${JSON.stringify(cutsGiven)}`);
  makeFolders(settings);
  const wanted = settings.only.length === 0 ? () => true : fitting(settings.only);
  const unwanted = settings.skip.length === 0 ? () => false : fitting(settings.skip);
  const { shard, baseline } = settings;
  const known = baseline === undefined ? undefined : readBaseline(baseline, settings.updateBaseline);
  try {
    const results = await runClient({
      command: [program, ...args],
      cases: cases
        .filter((one) => wanted(one) && !unwanted(one))
        .filter((_, at) => shard === undefined || at % shard.of === shard.index - 1),
      cuts,
      only: settings.only,
      skip: settings.skip,
      ...(settings.seed === undefined ? {} : { seed: settings.seed }),
      ...(known === undefined || settings.updateBaseline ? {} : { baseline: known }),
      host: io.host,
      signal: io.signal,
      events: progress(io.err, { colour: io.colour, live: io.live, width: io.width }),
      err: io.err,
    });
    deliver(results, settings, io);
    if (settings.updateBaseline && baseline !== undefined) {
      writeBaseline(baseline, known ?? [], results);
      io.err(`baseline written to ${baseline}\n`);
      return results.exit === 1 ? 0 : results.exit;
    }
    return results.exit;
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    io.err(`intern-conformance: the adapter ${program} did not begin: ${error.message}\n`);
    return 3;
  }
}
