import {
  type CaseExchange,
  type ClientCase,
  type Expectation,
  isScripted,
} from '../../emulator/contract/client-case.js';
import type { LabRun } from '../../emulator/contract/lab-run.js';
import type { Difference } from '../model/finding.js';
import { compareChat, compareEvents } from './compare.js';
import { compareReported, compareRequests, compareTime, type Names } from './compare-requests.js';
import type { ClientAnswer } from './protocol.js';

/** Observations beside the answer. Missing ones are not evaluated. */
export interface ObservedClient {
  /** The lab's record, headers as received. */
  readonly run?: Pick<LabRun, 'requests' | 'prompt'> & Partial<Pick<LabRun, 'started'>>;
  /** ms of real time until the answer. */
  readonly took?: number;
  /** When it came, by the clock of the lab. */
  readonly answered?: number;
  /** Events that the client reported before it. */
  readonly reported?: number;
  /** The outcome of the call after it (`then`). */
  readonly next?: ClientAnswer;
  /** Connections that brought all requests. */
  readonly connections?: number;
  /** Values of `{key}` and `{daemon_token}`. */
  readonly names?: Names;
}

/** The verdict on a client's answer to a case (LAB-10). */
export interface CaseJudgement {
  readonly verdict: 'pass' | 'pass-alternative' | 'fail';
  /** The clause of the alternative that it passed by. */
  readonly why?: string;
  /** The expectation that it met: 0 is the first, n the n-th alternative. */
  readonly met?: number;
  /** Compared with the first expectation, if none was met. */
  readonly differences: readonly Difference[];
}

function against(theCase: ClientCase, expected: Expectation, answer: ClientAnswer, seen: ObservedClient): Difference[] {
  const found: Difference[] = [];
  const differs = (what: string, wanted: unknown, got: unknown) => found.push({ what, expected: wanted, actual: got });
  if (answer.outcome !== expected.outcome) {
    const message = answer.error?.message;
    found.push({
      what: 'outcome',
      expected: expected.outcome,
      actual: message ? `${answer.outcome}: ${message.slice(0, 300)}` : answer.outcome,
      change: { kind: 'outcome', success: answer.outcome === 'complete' },
    });
  }
  const prefix = expected.outcome !== 'complete';
  if (expected.events !== undefined && (!prefix || answer.events))
    found.push(...compareEvents(expected.events, answer.events ?? [], prefix));
  if (expected.chat !== undefined)
    found.push(
      ...compareChat(expected.chat, answer.chat, { prefix, bytes: theCase.flags?.includes('bytes') === true }),
    );
  const status = answer.error?.status ?? answer.status ?? undefined;
  const wanted = expected.error?.status;
  const head = (one: CaseExchange) => isScripted(one) && one.status === status;
  if (wanted === null && status !== undefined && !theCase.exchanges.some(head))
    differs('status of the error', 'none, for none came', status);
  if (typeof wanted === 'number' && status !== wanted) differs('status of the error', wanted, status ?? 'none');
  const code = expected.error?.code;
  if (code !== undefined && answer.error?.code !== code && !answer.error?.message?.includes(String(code)))
    differs('code of the error', code, answer.error?.code ?? answer.error?.message ?? 'none');
  const needle = expected.error?.message_has;
  if (needle !== undefined && !(answer.error?.message ?? '').includes(needle))
    differs('message of the error', `has ${needle}`, answer.error?.message ?? 'none');
  if (expected.status !== undefined && (answer.status ?? answer.error?.status) !== expected.status)
    differs('status', expected.status, answer.status ?? answer.error?.status ?? 'none');
  if (expected.within !== undefined && seen.took !== undefined && seen.took > expected.within)
    differs('ms until the answer', `${expected.within} or less`, Math.round(seen.took));
  if (expected.requests !== undefined && seen.run !== undefined)
    found.push(...compareRequests(expected.requests, seen.run.requests, seen.names, theCase.stop_after, seen.answered));
  found.push(...compareTime(theCase, expected, seen));
  if (answer.outcome === 'aborted') found.push(...compareReported(theCase, answer, seen.reported));
  const { connections } = expected.requests ?? {};
  if (connections !== undefined && seen.connections !== undefined && seen.connections !== connections)
    differs('connections', connections, seen.connections);
  if (theCase.then === 'call' && seen.next !== undefined && seen.next.outcome !== 'complete')
    differs('the next call of the same client', 'complete', seen.next.error?.message ?? seen.next.outcome);
  if (expected.prompt === true && seen.run !== undefined) {
    const late = seen.run.prompt.findIndex(({ due, out }) => out < due);
    const entry = seen.run.prompt[late];
    if (entry !== undefined) differs(`events out after write ${late + 1}`, entry.due, entry.out);
  }
  return found;
}

/** Evaluates an answer to a case: by what the case expects, then by each alternative. */
export function judge(theCase: ClientCase, answer: ClientAnswer, seen: ObservedClient = {}): CaseJudgement {
  const differences = against(theCase, theCase.expect, answer, seen);
  if (differences.length === 0) return { verdict: 'pass', met: 0, differences: [] };
  for (const [at, alternative] of (theCase.alternatives ?? []).entries()) {
    if (against(theCase, alternative, answer, seen).length === 0)
      return { verdict: 'pass-alternative', met: at + 1, why: alternative.why, differences: [] };
  }
  return { verdict: 'fail', differences };
}
