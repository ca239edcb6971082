import { type ClientCase, isScripted } from '../../emulator/contract/client-case.js';
import { joined, movesOf } from '../../emulator/lab/body.js';
import type { Lab } from '../../emulator/lab/lab.js';
import type { Host } from '../framework/time.js';
import type { Answer } from './answer.js';
import type { Difference } from './compare.js';
import { type Cuts, cutsOf, shrinkCuts } from './cuts.js';
import { type Judgement, judge } from './judge.js';
import { eventStream } from './oracle/event-stream.js';
import { type RunLine, runLine } from './protocol.js';

/** What came of one call of a client. */
export type Outcome =
  | { readonly kind: 'answer'; readonly answer: Answer; readonly took: number }
  | { readonly kind: 'hung' | 'crashed'; readonly message: string; readonly took: number }
  /** It broke the protocol: nothing can be said of the case. */
  | { readonly kind: 'broken'; readonly message: string };

/** Something that makes the calls of cases. */
export interface Client {
  readonly layers: readonly string[];
  /** Whether it tells of events as they come; undefined while that is not known. */
  readonly tells: boolean | undefined;
  call(line: RunLine, onEvent: () => void): Promise<Outcome>;
}

/** What a case came to. */
export interface CaseResult {
  readonly id: string;
  readonly verdict: Judgement['verdict'] | 'skip' | 'error';
  readonly runs: number;
  /** Why it was skipped, passed by an alternative, or could not be judged. */
  readonly why?: string;
  readonly finding?: {
    readonly what: string;
    readonly expected: unknown;
    readonly actual: unknown;
    /** Offsets the body was cut at; null where it was sent as it stands. */
    readonly cuts: Cuts | null;
    readonly differences: readonly Difference[];
  };
}

export interface EvaluateOptions {
  readonly cuts: 'none' | 'few' | 'all';
  readonly seed: string;
  readonly host: Host;
}

/** Events that are due after each write of a body that is sent as it stands: those of its beginning until there. */
function dueOf(theCase: ClientCase): number[] {
  const [exchange] = theCase.exchanges;
  if (exchange === undefined || !isScripted(exchange)) return [];
  const writes = movesOf(exchange.steps).filter((move) => 'bytes' in move);
  return writes.map((_, at) => {
    const events = eventStream(joined(writes.slice(0, at + 1)));
    return theCase.layer === 'chat'
      ? events.filter(({ data }) => data !== '' && data !== '[DONE]').length
      : events.length;
  });
}

const describe = (difference: Difference): string => difference.what;

/** How much longer four times as much may take: linear is 4, quadratic 16. */
const STEEPEST = 9;
/** Times below this say nothing, in ms. */
const SHORTEST = 150;

interface Ran {
  readonly outcome: Outcome;
  readonly judgement?: Judgement;
}

/** Makes the runs of a case and judges them. `watching` may go on after the client is free for the next case. */
export async function evaluate(
  theCase: ClientCase,
  client: Client,
  lab: Lab,
  options: EvaluateOptions,
): Promise<{ readonly watching: Promise<CaseResult> }> {
  const { host } = options;
  const { id } = theCase;
  const now = (result: CaseResult) => ({ watching: Promise.resolve(result) });
  const skip = (why: string) => now({ id, verdict: 'skip', runs: 0, why });
  if (!client.layers.includes(theCase.layer)) return skip(`layer: ${theCase.layer} is not offered`);
  const prompt = theCase.expect.prompt === true;
  const untold = 'events as they come: no {"run","event"} lines are written';
  if (prompt && client.tells === false) return skip(untold);

  const due = prompt ? dueOf(theCase) : undefined;
  const start = async (cuts: Cuts | undefined, scale = 1) => {
    const run = await lab.start({ case: theCase, cuts, scale, due });
    const outcome = await client.call(runLine(theCase, run), () => lab.told(run.run));
    return { run, outcome };
  };
  const finish = async ({ run, outcome }: Awaited<ReturnType<typeof start>>): Promise<Ran> => {
    try {
      if (outcome.kind !== 'answer') return { outcome };
      await watch(run.run);
      const raw = lab.raw(run.run);
      const names = { key: run.key, ...(run.daemon_token === undefined ? {} : { daemon_token: run.daemon_token }) };
      return {
        outcome,
        judgement: judge(theCase, outcome.answer, {
          took: outcome.took,
          names,
          ...(raw === undefined ? {} : { run: raw }),
        }),
      };
    } finally {
      await lab.finish(run.run);
    }
  };
  const watch = async (run: string) => {
    const { watched_for = 0, close_within } = theCase.expect.requests ?? {};
    if (watched_for > 0) await host.sleep(watched_for);
    for (let waited = 0; close_within !== undefined && waited < close_within; waited += 50) {
      if (lab.raw(run)?.requests.every((request) => request.closed !== undefined) === true) return;
      await host.sleep(50);
    }
  };

  const failed = (runs: number, ran: Ran, cuts: Cuts | undefined): CaseResult => {
    const { outcome, judgement } = ran;
    if (outcome.kind === 'broken') return { id, verdict: 'error', runs, why: outcome.message };
    if (outcome.kind !== 'answer') {
      const finding = {
        what: outcome.kind,
        expected: theCase.expect.outcome,
        actual: outcome.message,
        cuts: cuts ?? null,
        differences: [],
      };
      return { id, verdict: 'fail', runs, finding };
    }
    const differences = judgement?.differences ?? [];
    const [first] = differences;
    return {
      id,
      verdict: 'fail',
      runs,
      finding: {
        what: differences.map(describe).join(', ') || 'differs',
        expected: first?.expected,
        actual: first?.actual,
        cuts: cuts ?? null,
        differences,
      },
    };
  };

  if (theCase.flags?.includes('linear') === true) {
    const steep = await steepness(async (scale) => {
      const began = host.now();
      const { run, outcome } = await start(undefined, scale);
      await lab.finish(run.run);
      return outcome.kind === 'answer' ? host.now() - began : undefined;
    });
    if (steep !== undefined)
      return now({
        id,
        verdict: 'fail',
        runs: 2,
        finding: {
          what: 'time',
          expected: 'linear: 4 times as long for 4 times as much',
          actual: `${steep.toFixed(1)} times as long`,
          cuts: null,
          differences: [],
        },
      });
  }

  let runs = 0;
  let met: number | undefined;
  let why: string | undefined;
  let pending: Promise<Ran> | undefined;
  for (const cuts of cutsOf(theCase, { cuts: options.cuts, seed: options.seed })) {
    const begun = await start(cuts);
    runs++;
    const ending = finish(begun);
    // What is watched on holds nobody up, where the case has one run alone.
    if (theCase.expect.requests !== undefined) {
      pending = ending;
      continue;
    }
    const ran = await ending;
    if (prompt && client.tells === false) return skip(untold);
    const { judgement } = ran;
    const other = judgement?.met !== undefined && met !== undefined && judgement.met !== met;
    if (judgement === undefined || judgement.verdict === 'fail' || other) {
      const smallest =
        cuts === undefined || cuts.length < 2 || ran.outcome.kind !== 'answer'
          ? cuts
          : await shrinkCuts(cuts, async (fewer) => {
              runs++;
              const again = await finish(await start(fewer));
              return again.judgement === undefined || again.judgement.verdict === 'fail' || again.judgement.met !== met;
            });
      const result = failed(runs, ran, smallest);
      if (!other || result.finding === undefined) return now(result);
      const finding = {
        ...result.finding,
        what: 'the answer depends on how the bytes are cut',
        expected: 'the same as uncut',
        actual: judgement?.why ?? 'as expected',
      };
      return now({ ...result, finding });
    }
    met = judgement.met;
    why = judgement.why;
  }
  const watching = (async (): Promise<CaseResult> => {
    const last = await pending;
    if (last !== undefined) {
      if (last.judgement === undefined || last.judgement.verdict === 'fail') return failed(runs, last, undefined);
      met = last.judgement.met;
      why = last.judgement.why;
    }
    return { id, verdict: met === 0 ? 'pass' : 'pass-alternative', runs, ...(why === undefined ? {} : { why }) };
  })();
  return { watching };
}

/** How many times longer a half takes than an eighth, where that is too much; measured again before it counts. */
async function steepness(time: (scale: number) => Promise<number | undefined>): Promise<number | undefined> {
  let least: number | undefined;
  for (let tries = 0; tries < 2; tries++) {
    const small = await time(1 / 8);
    const large = await time(1 / 2);
    if (small === undefined || large === undefined || large < SHORTEST) return undefined;
    const ratio = large / Math.max(small, 1);
    if (ratio <= STEEPEST) return undefined;
    least = Math.min(least ?? ratio, ratio);
  }
  return least;
}
