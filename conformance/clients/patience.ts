import { type ClientCase, isScripted } from '../../emulator/contract/client-case.js';
import { TIMEOUT } from './protocol.js';

/** A step, its wait this many times as long. */
const slowed = <T extends object>(step: T, patience: number): T =>
  'wait' in step && typeof step.wait === 'number' ? { ...step, wait: step.wait * patience } : step;

/**
 * A case whose upper limits are this many times as long, for a busy machine. If the case is about the limit of the
 * client, the server's waits grow with it. Lower limits, such as the gaps of Retry-After, stay: load can only make them
 * longer.
 */
export function patient(theCase: ClientCase, patience = 1): ClientCase {
  if (patience === 1) return theCase;
  const { timeout = TIMEOUT, expect, run } = theCase;
  const { within, idle_within, requests } = expect;
  const { close_within, left_within } = requests ?? {};
  const exchanges =
    timeout >= TIMEOUT && run?.idle_limit === undefined
      ? theCase.exchanges
      : theCase.exchanges.map((one) =>
          isScripted(one)
            ? {
                ...one,
                ...(one.before && { before: one.before.map((step) => slowed(step, patience)) }),
                steps: one.steps.map((step) => slowed(step, patience)),
              }
            : one,
        );
  return {
    ...theCase,
    timeout: timeout * patience,
    exchanges,
    ...(run?.idle_limit === undefined ? {} : { run: { ...run, idle_limit: run.idle_limit * patience } }),
    expect: {
      ...expect,
      ...(within === undefined ? {} : { within: within * patience }),
      ...(idle_within === undefined ? {} : { idle_within: idle_within * patience }),
      ...(requests === undefined
        ? {}
        : {
            requests: {
              ...requests,
              ...(close_within === undefined ? {} : { close_within: close_within * patience }),
              ...(left_within === undefined ? {} : { left_within: left_within * patience }),
            },
          }),
    },
  };
}
