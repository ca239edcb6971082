import { type ClientCase, isScripted } from '../../emulator/contract/client-case.js';
import type { LabRun } from '../../emulator/contract/lab-run.js';
import { joined, movesOf } from '../../emulator/lab/body.js';
import type { Lab } from '../../emulator/lab/lab.js';
import type { Host } from '../probe/time.js';
import type { ClientAnswer } from './answer.js';
import type { Cuts } from './cuts.js';
import { type Judgement, judge } from './judge.js';
import { eventStream } from './oracle/event-stream.js';
import { type RunLine, runLine } from './protocol.js';

/** The outcome of one call of a client. */
export type Outcome =
  | { readonly kind: 'answer'; readonly answer: ClientAnswer; readonly took: number }
  | { readonly kind: 'hung' | 'crashed'; readonly message: string; readonly took: number }
  /** It broke the protocol: the case has no verdict. */
  | { readonly kind: 'broken'; readonly message: string };

/** Something that makes the calls of cases. */
export interface CaseClient {
  readonly layers: readonly string[];
  /** Whether it reports events as they come; undefined while that is not known. */
  readonly tells: boolean | undefined;
  call(line: RunLine, onEvent: () => void): Promise<Outcome>;
}

/** One run, evaluated. */
export interface CaseRun {
  readonly cuts: Cuts | undefined;
  readonly outcome: Outcome;
  /** If there was an answer. */
  readonly judgement?: Judgement;
  /** What the lab saw, redacted. */
  readonly run: LabRun | undefined;
}

/** How often to check whether a connection has closed, in ms. */
const LOOK = 50;

/** Events that are due after each write of an uncut body: those of its beginning up to there. */
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

  /** Watches for what may come after the answer: further requests, the close of the connection. */
  const watch = async (run: string) => {
    const { watched_for = 0, close_within } = theCase.expect.requests ?? {};
    if (watched_for > 0) await host.sleep(watched_for);
    for (let waited = 0; close_within !== undefined && waited < close_within; waited += LOOK) {
      if (lab.raw(run)?.requests.every((request) => request.closed !== undefined) === true) return;
      await host.sleep(LOOK);
    }
  };

  return {
    /** Makes the call. `judged` goes on watching after the client is free. */
    async begin(cuts: Cuts | undefined): Promise<{ readonly judged: Promise<CaseRun> }> {
      const run = await lab.start({ case: theCase, cuts, due, patience });
      const outcome = await client.call(runLine(theCase, run), () => lab.reported(run.run));
      const judged = async (): Promise<CaseRun> => {
        try {
          if (outcome.kind !== 'answer') return { cuts, outcome, run: lab.read(run.run) };
          await watch(run.run);
          const raw = lab.raw(run.run);
          const names = { key: run.key, ...(run.daemon_token === undefined ? {} : { daemon_token: run.daemon_token }) };
          const seen = { took: outcome.took, names, ...(raw === undefined ? {} : { run: raw }) };
          return { cuts, outcome, judgement: judge(theCase, outcome.answer, seen), run: lab.read(run.run) };
        } finally {
          await lab.finish(run.run);
        }
      };
      return { judged: judged() };
    },
    /** ms of real time of a run with this share of its repeated writes; undefined if there was no answer. */
    async time(scale: number): Promise<number | undefined> {
      const run = await lab.start({ case: theCase, scale });
      const outcome = await client.call(runLine(theCase, run), () => {});
      await lab.finish(run.run);
      return outcome.kind === 'answer' ? outcome.took : undefined;
    },
  };
}
