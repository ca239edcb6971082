import { type ClientCase, isScripted, type Step } from '../../emulator/contract/client-case.js';
import { TIMEOUT } from './protocol.js';

/** A step, its wait this many times as long. */
const slowed = <T extends Step | { readonly informational: number }>(step: T, patience: number): T =>
  'wait' in step ? { ...step, wait: step.wait * patience } : step;

/**
 * A case whose upper limits are this many times as long, for a busy machine. If the case is about the limit of the
 * client, the server's waits grow with it. Lower limits, such as the gaps of Retry-After, stay: load can only make them
 * longer.
 */
export function patient(theCase: ClientCase, patience = 1): ClientCase {
  if (patience === 1) return theCase;
  const { timeout = TIMEOUT, expect } = theCase;
  const { within, requests } = expect;
  const exchanges =
    timeout >= TIMEOUT
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
    expect: {
      ...expect,
      ...(within === undefined ? {} : { within: within * patience }),
      ...(requests?.close_within === undefined
        ? {}
        : { requests: { ...requests, close_within: requests.close_within * patience } }),
    },
  };
}
