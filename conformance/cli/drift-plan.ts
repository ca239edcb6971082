import { counted } from '../../emulator/contract/counted.js';
import type { Scenario } from '../drift/drift.js';
import { isRead } from '../drift/exchange.js';
import { recordedBefore } from '../drift/recorded-before.js';

export interface DriftPlan {
  readonly scenarios: readonly Scenario[];
  /** The address that would be compared; undefined is an emulator in this process. */
  readonly url: string | undefined;
  readonly readOnly: boolean;
}

/** How many interns a run makes because a scenario writes to them and did not create them. */
function madeFor(scenario: Scenario): number {
  const before = recordedBefore(scenario.map(({ exchange }) => exchange));
  return [...before.there].filter(before.isWrittenTo).length;
}

/** The requests and the writes of a drift, from the recordings alone: nothing is sent for it. */
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
