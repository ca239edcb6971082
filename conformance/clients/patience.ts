import { type ClientCase, isScripted } from '../../emulator/contract/client-case.js';
import { given } from '../../emulator/contract/given.js';
import { TIMEOUT } from './protocol.js';

/** Limits, each this many times as long. */
const times = <Name extends string>(patience: number, limits: { readonly [N in Name]: number | undefined }) =>
  given(
    Object.fromEntries(
      Object.entries<number | undefined>(limits).map(([name, limit]) => [name, limit && limit * patience]),
    ) as typeof limits,
  );

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
    ...given({ run: run && { ...run, ...times(patience, { idle_limit: run.idle_limit }) } }),
    expect: {
      ...expect,
      ...times(patience, { within, idle_within }),
      ...given({ requests: requests && { ...requests, ...times(patience, { close_within, left_within }) } }),
    },
  };
}
