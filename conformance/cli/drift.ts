import { counted } from '../../emulator/contract/counted.js';
import { UsageError } from '../../emulator/contract/problem.js';
import { visible } from '../../emulator/contract/visible.js';
import { drift, readRecording, type Scenario, scenariosOf } from '../drift/drift.js';
import { isRead } from '../drift/exchange.js';
import { recordedBefore } from '../drift/recorded-before.js';
import { chosenOf } from '../run/select.js';
import { atTarget, commandOf, concluded } from './engine.js';
import type { Io } from './io.js';
import type { Settings } from './settings.js';

interface DriftPlan {
  readonly scenarios: readonly Scenario[];
  /** The address of the target; undefined for an emulator in this process. */
  readonly url: string | undefined;
  readonly readOnly: boolean;
}

/** The number of interns that a run must make for a scenario, which writes to them without creating them. */
function madeFor(scenario: Scenario): number {
  const before = recordedBefore(scenario.map(({ exchange }) => exchange));
  return [...before.there].filter(before.isWrittenTo).length;
}

/** The plan of a drift, from the recordings alone. It sends nothing. */
export function driftPlan({ scenarios, url, readOnly }: DriftPlan): string {
  const exchanges = scenarios.flat();
  const lines = exchanges.map(({ exchange, file, line }) => {
    const { method, path } = exchange.request;
    const [does, writes] = isRead(exchange) ? ['send', ''] : [readOnly ? 'skip' : 'send', ', writes'];
    return `  ${does}  ${method} ${path} (${file}:${line})${writes}`;
  });
  const reads = exchanges.filter(({ exchange }) => isRead(exchange)).length;
  const made = scenarios.reduce((sum, scenario) => sum + madeFor(scenario), 0);
  const writes = readOnly
    ? ['Nothing would be written.']
    : [
        `${counted(exchanges.length - reads, 'write')} would be sent, to interns alone that the run makes and deletes.`,
        `It would make ${counted(made, 'intern')} that the recordings write to and did not create.`,
      ];
  return [
    `Plan of drift for ${url ?? 'an emulator in this process'}`,
    `${counted(reads, 'read')} would be sent, those again that time may mend.`,
    ...writes,
    'Nothing was sent.',
    '',
    ...lines,
    '',
  ].join('\n');
}

/** The recordings and the address among the words of a command line. */
export function driftTargets(words: readonly string[]): { files: string[]; url: string | undefined } {
  const urls = words.filter((word) => /^https?:\/\//.test(word));
  const files = words.filter((word) => !urls.includes(word));
  if (urls.length > 1) throw new UsageError(`drift: expected one URL, got ${urls.join(' and ')}`);
  if (files.length === 0)
    throw new UsageError('drift: name the recordings to compare with, as in: drift staging.jsonl');
  return { files, url: urls[0] };
}

/** `intern-conformance drift FILE… [URL]`: compares a target with recordings of another. Answers the exit code. */
export async function driftCommand(files: readonly string[], settings: Settings, io: Io): Promise<number> {
  const exchanges = files.flatMap((file) => readRecording(file, (message) => io.err(visible(`${message}\n`))));
  const scenarios = chosenOf(scenariosOf(exchanges), settings, 'scenario').map(({ scenario }) => scenario);
  if (settings.plan) {
    io.out(visible(driftPlan({ scenarios, url: settings.url, readOnly: settings.readOnly })));
    return 0;
  }
  const command = commandOf(settings, ['drift', ...files]);
  return concluded(settings, io, (options) =>
    atTarget(settings, io, (target) => drift({ ...target, ...options, exchanges, command })),
  );
}
