import { type ClientCase, isScripted, type Scripted } from '../../emulator/contract/client-case.js';
import { bodyOf } from '../../emulator/lab/body.js';
import { serve, type Taken } from '../../emulator/lab/serve.js';
import { type Host, stopwatch, systemHost } from '../probe/time.js';
import { dueOf } from './attempt.js';
import { type Cuts, cutsOf, shrinkCuts } from './cuts.js';
import { type CaseJudgement, judge } from './judge.js';
import type { ClientAnswer } from './protocol.js';
import { scaled, steepness } from './steepness.js';

/** Bodies below this size are also cut at every two places. */
const PAIRS_BELOW = 200;

/** How long an event may take to come out, in ms. */
const PROMPT = 1_000;

/**
 * The reading of a response by a client: everything, once it has ended. It calls `onEvent` as each event (in chat, each
 * chunk) comes out; without such calls, promptness is not evaluated.
 */
export type Reader = (response: Response, theCase: ClientCase, onEvent: () => void) => Promise<ClientAnswer>;

export interface Counterexample {
  /** The smallest set of offsets that fails; undefined is the uncut body. */
  readonly cuts: Cuts | undefined;
  readonly judgement: CaseJudgement;
  readonly answer: ClientAnswer;
}

const codingOf = ({ encoding, headers }: Scripted) => encoding ?? headers['content-encoding'];

/** Whether a case is one of bytes alone, so that a `Response` serves it whole. */
export const isInProcess = (theCase: ClientCase): boolean =>
  theCase.layer !== 'signing' &&
  theCase.exchanges.length === 1 &&
  theCase.needs === undefined &&
  theCase.exchanges.every(
    (one) => isScripted(one) && !one.before && !codingOf(one) && (one.status < 300 || one.status > 399),
  ) &&
  theCase.expect.requests === undefined;

/** Holds each chunk back until the events due so far are out, or one was late, and records which were. */
function createGate(due: readonly number[], host: Host) {
  const prompt: { due: number; out: number }[] = [];
  let out = 0;
  let reported = () => {};
  const taken: Taken = async (chunks) => {
    const wanted = due[chunks - 1] ?? 0;
    const late = prompt.some((write) => write.out < write.due);
    if (out < wanted && !late) {
      const enough = new AbortController();
      reported = () => {
        if (out >= wanted) enough.abort();
      };
      await host.sleep(PROMPT, enough.signal).catch(() => {});
      // If the machine stood still for that long, so did the client: it may still report what it has by now.
      if (out < wanted) await host.turn();
    }
    prompt.push({ due: wanted, out });
  };
  return {
    taken,
    onEvent() {
      out++;
      reported();
    },
    /** The input of promptness; undefined if no event was reported. */
    seen: () => (out === 0 ? undefined : { requests: [], prompt }),
  };
}

/**
 * Reads a case cut everywhere, and returns the smallest set of cuts whose answer is wrong, or differs from the uncut
 * one (LAB-6). A case flagged `linear` is also read in two sizes, and its time compared.
 *
 * @example
 * ```ts
 * import { cases, checkInProcess } from 'intern-emulator/lab';
 *
 * for (const one of cases.filter(({ id }) => id.startsWith('sse-comment'))) {
 *   const { counterexample } = await checkInProcess(one, async (response) => {
 *     const text = await response.text();
 *     const events = text.split('\n\n').filter((block) => block.startsWith('data: '));
 *     return { outcome: 'complete', events: events.map((block) => ({ event: 'message', data: block.slice(6), id: '' })) };
 *   });
 *   console.log(one.id, counterexample?.judgement.differences ?? 'right');
 * }
 * ```
 */
export async function checkInProcess(
  theCase: ClientCase,
  read: Reader,
  options: {
    readonly cuts?: 'none' | 'few' | 'all';
    /** The measure of time of a `linear` case. Default: the work on this machine. */
    readonly stopwatch?: typeof stopwatch;
    /** The host whose time a held chunk waits for. Default: this machine. */
    readonly host?: Host;
  } = {},
): Promise<{ readonly runs: number; readonly counterexample?: Counterexample }> {
  const [exchange] = theCase.exchanges;
  const small = exchange !== undefined && isScripted(exchange) && bodyOf(exchange).length < PAIRS_BELOW;
  const { cuts: wanted = 'all', stopwatch: begun = stopwatch, host = systemHost } = options;
  let runs = 0;
  let met: number | undefined;
  const attempt = async (cuts: Cuts | undefined) => {
    runs++;
    const gate = createGate(cuts === undefined && theCase.expect.prompt === true ? dueOf(theCase) : [], host);
    const answer = await read(serve(theCase, cuts, 0, gate.taken), theCase, gate.onEvent);
    const run = gate.seen();
    return { answer, judgement: judge(theCase, answer, run === undefined ? {} : { run }) };
  };
  const isBad = (judgement: CaseJudgement) =>
    judgement.verdict === 'fail' || (met !== undefined && judgement.met !== met);
  // First: a quadratic client may never finish the whole.
  if (theCase.flags?.includes('linear') === true) {
    let answer: ClientAnswer = { outcome: 'complete' };
    const steep = await steepness(async (share) => {
      const response = serve(scaled(theCase, share));
      const taken = begun();
      answer = await read(response, theCase, () => {});
      runs++;
      return taken();
    }, Number.POSITIVE_INFINITY);
    if (steep !== undefined)
      return {
        runs,
        counterexample: { cuts: undefined, answer, judgement: { verdict: 'fail', differences: [steep] } },
      };
  }
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
