import { type ClientCase, isScripted } from '../../emulator/contract/client-case.js';
import { given } from '../../emulator/contract/given.js';
import type { LabRequest, LabRun } from '../../emulator/contract/lab-run.js';
import { joined, movesOf } from '../../emulator/lab/body.js';
import type { Lab } from '../../emulator/lab/lab.js';
import type { Host } from '../probe/time.js';
import type { Cuts } from './cuts.js';
import { type CaseJudgement, judge, type ObservedClient } from './judge.js';
import { eventStream } from './oracle/event-stream.js';
import { type ClientAnswer, type RunLine, runLine } from './protocol.js';
import type { Late } from './steepness.js';

/** The outcome of one call of a client. */
export type CallEnd =
  | { readonly kind: 'answer'; readonly answer: ClientAnswer; readonly took: number }
  | { readonly kind: 'hung' | 'crashed'; readonly message: string; readonly took: number }
  /** The client broke the protocol: the case has no verdict. */
  | { readonly kind: 'broken'; readonly message: string };

/** A client that makes the calls of cases. */
export interface CaseClient {
  /** Whether it reports events as they arrive; undefined while that is unknown. */
  readonly tells: boolean | undefined;
  call(line: RunLine, onEvent: () => void): Promise<CallEnd>;
  /** Why the process that answered a run has ended by itself; undefined while it runs. */
  ended?(run: string): string | undefined;
}

export interface CaseRun {
  readonly cuts: Cuts | undefined;
  readonly outcome: CallEnd;
  /** If there was an answer. */
  readonly judgement?: CaseJudgement;
  /** The lab's record, redacted. */
  readonly run: LabRun | undefined;
}

/** How often to check whether a connection has closed, in ms. */
const LOOK = 50;

/** A client that cannot take an abort crashes within this many ms. */
const AFTER_ABORT = 1_000;

/** The line of the next call of the same client, without the abort or stop of the first. */
const nextLine = ({ abort: _, stop_after: __, ...line }: RunLine): RunLine => ({ ...line, run: `${line.run}-then` });

const thenAnswer = (outcome: CallEnd): ClientAnswer =>
  outcome.kind === 'answer' ? outcome.answer : { outcome: 'error', error: { message: outcome.message } };

/** The number of events that are complete after each write of an uncut body. */
export function dueOf(theCase: ClientCase): number[] {
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

/** Makes runs of a case, one client and one lab. */
export function createAttempts(
  theCase: ClientCase,
  client: CaseClient,
  lab: Lab,
  { host, patience }: { readonly host: Host; readonly patience: number },
) {
  const due = theCase.expect.prompt === true ? dueOf(theCase) : undefined;

  /** Waits for events after the answer: further requests, the close of the connection. */
  const watch = async (run: string) => {
    const { watched_for = 0, close_within, left_within } = theCase.expect.requests ?? {};
    if (watched_for > 0) await host.sleep(watched_for);
    const within = close_within ?? left_within ?? 0;
    for (let waited = 0; waited < within; waited += LOOK) {
      const isOver = (request: LabRequest) =>
        request.closed !== undefined || (close_within === undefined && request.answered !== undefined);
      if (lab.raw(run)?.requests.every(isOver) === true) return;
      await host.sleep(LOOK);
    }
  };

  return {
    /** Makes the call. Resolves when the client is free for another case; `judged` resolves with the evaluated run. */
    async begin(cuts: Cuts | undefined): Promise<{ readonly judged: Promise<CaseRun> }> {
      const run = await lab.start({ case: theCase, cuts, due, patience });
      let reported = 0;
      const line = runLine(theCase, run);
      const outcome = await client.call(line, () => {
        reported++;
        lab.reported(run.run);
      });
      const answered = host.now();
      const judged = async (): Promise<CaseRun> => {
        try {
          const ended = (why: CallEnd): CaseRun => ({ cuts, outcome: why, run: lab.read(run.run) });
          if (outcome.kind !== 'answer') return ended(outcome);
          await watch(run.run);
          const first = lab.raw(run.run);
          // A copy, as the next call adds to the record of the lab.
          const requests = first?.requests.map((one) => ({ ...one })) ?? [];
          const raw = first && { requests, prompt: first.prompt, started: first.started };
          const then = theCase.then === undefined ? undefined : await client.call(nextLine(line), () => {});
          if (theCase.run?.abort !== undefined && client.ended !== undefined) {
            await host.sleep(Math.max(0, AFTER_ABORT - (host.now() - answered)));
            const why = client.ended(line.run);
            if (why !== undefined) return ended({ kind: 'crashed', message: why, took: outcome.took });
          }
          if (then?.kind === 'broken' || then?.kind === 'crashed') return ended(then);
          const seen: ObservedClient = {
            took: outcome.took,
            answered,
            reported,
            names: { key: run.key, ...given({ daemon_token: run.daemon_token }) },
            ...given({ run: raw, next: then && thenAnswer(then) }),
            connections: new Set(lab.raw(run.run)?.requests.map(({ connection }) => connection)).size,
          };
          return { cuts, outcome, judgement: judge(theCase, outcome.answer, seen), run: lab.read(run.run) };
        } finally {
          await lab.finish(run.run);
        }
      };
      const result = judged();
      // The client is not free before its second call, or before the time in which it may crash.
      if (theCase.then !== undefined || theCase.run?.abort !== undefined) await result;
      return { judged: result };
    },
    /** ms of real time of a run with this share of its repeated writes; undefined without an answer. */
    async time(scale: number, limit: number): Promise<number | Late | undefined> {
      const run = await lab.start({ case: theCase, scale });
      const outcome = await client.call({ ...runLine(theCase, run), timeout: limit }, () => {});
      await lab.finish(run.run);
      if (outcome.kind === 'hung') return 'late';
      if (outcome.kind !== 'answer') return undefined;
      return outcome.took < limit ? outcome.took : 'late';
    },
  };
}
