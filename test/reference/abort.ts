import type { RunLine } from '../../conformance/clients/protocol.js';
import type { Means } from './call.js';

/** The abort of a call, as its line asks for it (LAB-16). */
export function abortOf({ abort }: RunLine, { has, host, past }: Means) {
  const controller = new AbortController();
  let twice = false;
  const now = () => {
    for (let n = abort?.times ?? 1; n > 0; n--) {
      twice ||= controller.signal.aborted;
      controller.abort();
    }
    if (past !== undefined) past.aborted = true;
  };
  if (abort?.when === 'before' || (has('abortSpends') && past?.aborted === true)) now();
  const stop = abort?.when === 'ms' ? host.later(abort.ms, now) : () => {};
  return {
    get caller(): AbortSignal {
      return controller.signal;
    },
    /** The mistake of a client that does not know that it was aborted. */
    missed: has('abortUnheard') || (has('abortBeforeMissed') && abort?.when === 'before'),
    /** The n-th event was handed out. */
    handedOut(n: number) {
      if (abort?.when === 'event' && n === abort.n) now();
      if (twice && has('abortTwiceFails')) throw new TypeError('it was aborted already');
    },
    stop,
  };
}
