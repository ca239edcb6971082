import { type ClientCase, isScripted } from '../../emulator/contract/client-case.js';
import { bodyOf } from '../../emulator/lab/body.js';
import { serve } from '../../emulator/lab/serve.js';
import type { Answer } from './answer.js';
import { type Cuts, cutsOf, shrinkCuts } from './cuts.js';
import { type Judgement, judge } from './judge.js';

/** Bodies below this size are also cut at every two places. */
const PAIRS_BELOW = 200;

/** What a client makes of a response: everything, once it has ended. */
export type Reader = (response: Response, theCase: ClientCase) => Promise<Answer>;

export interface Counterexample {
  /** The smallest set of offsets that fails; undefined is the body as it stands. */
  readonly cuts: Cuts | undefined;
  readonly judgement: Judgement;
  readonly answer: Answer;
}

/** Whether a case is one of bytes alone, so that a `Response` serves it whole. */
export const isInProcess = (theCase: ClientCase): boolean =>
  theCase.layer !== 'signing' &&
  theCase.exchanges.length === 1 &&
  theCase.exchanges.every((one) => isScripted(one) && !one.before && (one.status < 300 || one.status > 399)) &&
  theCase.expect.requests === undefined;

/**
 * Reads a case cut everywhere, small ones at every two places too, and answers the smallest set of cuts that fails:
 * where the answer is wrong, or not what it is uncut (LAB-6).
 */
export async function checkInProcess(
  theCase: ClientCase,
  read: Reader,
  options: { readonly cuts?: 'none' | 'few' | 'all' } = {},
): Promise<{ readonly runs: number; readonly counterexample?: Counterexample }> {
  const [exchange] = theCase.exchanges;
  const small = exchange !== undefined && isScripted(exchange) && bodyOf(exchange).length < PAIRS_BELOW;
  const { cuts: wanted = 'all' } = options;
  let runs = 0;
  let met: number | undefined;
  const attempt = async (cuts: Cuts | undefined) => {
    runs++;
    const answer = await read(serve(theCase, cuts), theCase);
    return { answer, judgement: judge(theCase, answer) };
  };
  const isBad = (judgement: Judgement) => judgement.verdict === 'fail' || (met !== undefined && judgement.met !== met);
  for (const cuts of cutsOf(theCase, { cuts: wanted === 'all' && small ? 'pairs' : wanted })) {
    const { judgement } = await attempt(cuts);
    if (isBad(judgement)) {
      const smallest =
        cuts === undefined ? cuts : await shrinkCuts(cuts, async (fewer) => isBad((await attempt(fewer)).judgement));
      const last = await attempt(smallest);
      return { runs, counterexample: { cuts: smallest, ...last } };
    }
    met ??= judgement.met;
  }
  return { runs };
}
