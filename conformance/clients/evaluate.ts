import { type ClientCase, isScripted } from '../../emulator/contract/client-case.js';
import { given } from '../../emulator/contract/given.js';
import type { LabRun } from '../../emulator/contract/lab-run.js';
import type { Lab } from '../../emulator/lab/lab.js';
import type { Difference } from '../model/finding.js';
import { lacking, type Skip, type Skipped } from '../model/skip.js';
import type { Host } from '../probe/time.js';
import type { NoAnswerGot } from '../probe/wait.js';
import { type CaseClient, type CaseRun, createAttempts } from './attempt.js';
import { type Cuts, cutsOf, shrinkCuts } from './cuts.js';
import type { CaseJudgement } from './judge.js';
import { TIMEOUT } from './protocol.js';
import { steepness } from './steepness.js';

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

/** A finding, with everything needed to see it again. */
export interface CaseFinding {
  /** Each difference, if there was an answer; else why there was none. */
  readonly differences: readonly Difference[];
  readonly noAnswer?: NoAnswerGot;
  /** Offsets the body was cut at; null if it was sent uncut. */
  readonly cuts: Cuts | null;
}

/** Why a case has no verdict: the adapter broke the protocol, or answered a run twice. */
export type CaseFault = { readonly kind: 'broken'; readonly message: string } | { readonly kind: 'twice' };

/** The result of a case (LAB-10). */
export interface CaseResult {
  readonly id: string;
  readonly verdict: CaseJudgement['verdict'] | 'skip' | 'error';
  readonly runs: number;
  /** Requests that the lab saw. */
  readonly requests: number;
  /** The lab's record of the run that failed, else of the last one. */
  readonly run?: LabRun;
  /** Where the body of that run was cut. */
  readonly cuts?: Cuts;
  readonly skip?: Skip;
  readonly fault?: CaseFault;
  /** The clause of the alternative that it passed by. */
  readonly why?: string;
  readonly finding?: CaseFinding;
}

export interface EvaluateOptions {
  readonly cuts: 'none' | 'few' | 'all';
  readonly seed: string;
  readonly host: Host;
  /** How many times as long as the cases say anything may take at most: for a busy machine, default 1. */
  readonly patience?: number;
}

function findingOf({ outcome, judgement, ...ran }: CaseRun): CaseFinding {
  const cuts = ran.cuts ?? null;
  if (outcome.kind === 'hung' || outcome.kind === 'crashed')
    return { noAnswer: { kind: outcome.kind, detail: outcome.message }, cuts, differences: [] };
  return { cuts, differences: judgement?.differences ?? [] };
}

/**
 * Evaluates a client by a case: sends it cut in each requested way, and evaluates the outcome. The promise resolves
 * when the client is free for the next case; `watching`, when all is seen.
 */
export async function evaluate(
  asWritten: ClientCase,
  client: CaseClient,
  lab: Lab,
  options: EvaluateOptions,
): Promise<{ readonly watching: Promise<CaseResult> }> {
  const { patience = 1 } = options;
  const theCase = patient(asWritten, patience);
  const { id } = theCase;
  let runs = 0;
  let requests = 0;
  let last: Pick<CaseResult, 'run' | 'cuts'> = {};
  const seenOf = ({ cuts, run }: CaseRun): typeof last => given({ run, cuts });
  const result = (verdict: CaseResult['verdict'], rest: Partial<CaseResult> = {}): CaseResult => ({
    id,
    verdict,
    runs,
    requests,
    ...last,
    ...rest,
  });
  const held = (judgement: CaseJudgement | undefined) =>
    result(judgement?.verdict ?? 'error', given({ why: judgement?.why }));
  const done = (found: CaseResult) => ({ watching: Promise.resolve(found) });
  const skip = ({ skip: why }: Skipped) => done(result('skip', { skip: why }));

  const prompt = theCase.expect.prompt === true;

  const attempts = createAttempts(theCase, client, lab, { host: options.host, patience });
  const attempt = async (cuts: Cuts | undefined): Promise<CaseRun> => (await attempts.begin(cuts)).judged;
  const counted = (ran: CaseRun): CaseRun => {
    runs++;
    requests += ran.run?.requests.length ?? 0;
    last = seenOf(ran);
    return ran;
  };
  /** The expectation that the case met uncut: every cut must meet the same. */
  let met: CaseJudgement | undefined;
  const isBad = ({ judgement }: CaseRun): boolean =>
    judgement === undefined || judgement.verdict === 'fail' || (met !== undefined && judgement.met !== met.met);

  const failed = (ran: CaseRun): CaseResult => {
    const { outcome, judgement } = ran;
    if (outcome.kind === 'broken') return result('error', { fault: outcome });
    last = seenOf(ran);
    const finding = findingOf(ran);
    if (judgement === undefined || judgement.verdict === 'fail') return result('fail', { finding });
    const what = 'the answer depends on how the bytes are cut';
    const [expected, actual] = [met, judgement].map((one) => one?.why ?? 'as expected');
    return result('fail', {
      finding: { ...finding, differences: [{ what, expected, actual, change: { kind: 'varies' } }] },
    });
  };

  /** The same with the fewest cuts that still fail. */
  const smallest = async (ran: CaseRun): Promise<CaseRun> => {
    let least = ran;
    if (ran.cuts === undefined || ran.cuts.length < 2 || ran.outcome.kind !== 'answer') return least;
    await shrinkCuts(ran.cuts, async (fewer) => {
      const again = counted(await attempt(fewer));
      if (isBad(again)) least = again;
      return isBad(again);
    });
    return least;
  };

  if (theCase.flags?.includes('linear') === true) {
    const steep = await steepness(attempts.time, theCase.timeout ?? TIMEOUT);
    if (steep !== undefined) return done(result('fail', { finding: { cuts: null, differences: [steep] } }));
  }

  if (theCase.expect.requests !== undefined || theCase.run !== undefined) {
    const { judged } = await attempts.begin(undefined);
    return {
      watching: judged.then((ran) => {
        counted(ran);
        return isBad(ran) ? failed(ran) : held(ran.judgement);
      }),
    };
  }
  for (const cuts of cutsOf(theCase, { cuts: options.cuts, seed: options.seed })) {
    const ran = counted(await attempt(cuts));
    if (prompt && client.tells === false && ran.outcome.kind === 'answer')
      return skip(lacking({ kind: 'events-as-they-come' }));
    if (isBad(ran)) return done(failed(await smallest(ran)));
    met ??= ran.judgement;
  }
  return done(held(met));
}
