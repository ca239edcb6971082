import {
  type ClientCase,
  type Expectation,
  isScripted,
  type RequestsExpected,
} from '../../emulator/contract/client-case.js';
import type { LabRequest, LabRun } from '../../emulator/contract/lab-run.js';
import { bodyOf } from '../../emulator/lab/body.js';
import type { Difference } from '../model/finding.js';
import { chatOf } from './oracle/chat.js';
import { eventStream } from './oracle/event-stream.js';
import type { ClientAnswer } from './protocol.js';

/** How much earlier than allowed a request may arrive, in ms. */
const TOLERANCE = 15;

/** Values that a case can only describe. */
export type Names = Readonly<Record<string, string>>;

const valuesOf = (request: LabRequest, name: string): string[] =>
  request.headers.filter(([key]) => key.toLowerCase() === name.toLowerCase()).map(([, value]) => value);

const filled = (text: string, names: Names): string => text.replace(/\{(\w+)\}/g, (all, name) => names[name] ?? all);

/** A value whose scheme and charset are spelled in one way: both are known in any case (RFC 9110 8.3 and 11.1). */
const spelled = (value: string): string =>
  value.replace(/^bearer +/i, 'Bearer ').replace(/^(application\/json) *; *charset="?utf-8"?$/i, '$1');

function headerDifference(request: LabRequest, wanted: string, names: Names): Difference | undefined {
  const [, name = wanted, value] = /^([^:]+):\s*(.*)$/s.exec(wanted) ?? [];
  const found = valuesOf(request, name);
  const what = `request ${request.n}: header ${name}`;
  if (found.length !== 1)
    return { what, expected: 'one value', actual: found.length === 0 ? 'none' : `${found.length} values` };
  // The expected value may be a credential: only the difference is reported.
  if (value !== undefined && spelled(found[0] ?? '') !== spelled(filled(value, names)))
    return { what, expected: value, actual: value.includes('{') ? 'another value' : found[0] };
  return undefined;
}

/** The JSON of a text; undefined where it is none. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether JSON has at least what is wanted: of an object these members, of an array every item. */
function has(found: unknown, wanted: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null) return found === wanted;
  if (typeof found !== 'object' || found === null) return false;
  if (Array.isArray(wanted) && !(Array.isArray(found) && found.length === wanted.length)) return false;
  return Object.entries(wanted).every(([name, value]) => has((found as Record<string, unknown>)[name], value));
}

function one(request: LabRequest, wanted: NonNullable<RequestsExpected['each']>[number], names: Names): Difference[] {
  const differences: (Difference | undefined)[] = [];
  const differs = (what: string, expected: unknown, actual: unknown) =>
    differences.push({ what: `request ${request.n}: ${what}`, expected, actual });
  if (wanted.method !== undefined && request.method !== wanted.method) differs('method', wanted.method, request.method);
  if (wanted.path !== undefined && request.path !== wanted.path) differs('path', wanted.path, request.path);
  for (const header of wanted.with_header ?? []) differences.push(headerDifference(request, header, names));
  for (const name of wanted.without_header ?? [])
    if (valuesOf(request, name).length > 0) differs(`header ${name}`, 'not sent', 'sent');
  const { body_has: least } = wanted;
  const { body } = request;
  if (typeof least === 'string' && !body.replaceAll(/":\s+/g, '":').includes(least))
    differs('body', `has ${least}`, body.slice(0, 200));
  if (typeof least === 'object' && !has(jsonOf(body), least))
    differs('body', `has ${JSON.stringify(least)}`, body.slice(0, 200));
  return differences.filter((found) => found !== undefined);
}

/**
 * The acts of a client in the lab, compared with the right ones. `stopAfter` is where the user left, `answered`
 * when the answer came.
 */
export function compareRequests(
  expected: RequestsExpected,
  requests: readonly LabRequest[],
  names: Names = {},
  stopAfter?: number,
  answered?: number,
): Difference[] {
  const found: Difference[] = [];
  const { count } = expected;
  if (count !== undefined) {
    const [least, most] = typeof count === 'number' ? [count, count] : count;
    if (requests.length < least || requests.length > most)
      found.push({
        what: 'requests',
        expected: least === most ? least : `${least} to ${most}`,
        actual: requests.length,
        change: { kind: 'requests', how: requests.length > most ? 'more' : 'fewer' },
      });
  }
  for (const [at, wanted] of (expected.each ?? []).entries()) {
    const request = requests[at];
    if (request !== undefined) found.push(...one(request, wanted, names));
    else if (typeof count === 'number' || count === undefined)
      found.push({ what: `request ${at + 1}`, expected: wanted, actual: 'was not sent' });
  }
  if (expected.gap_at_least !== undefined) {
    for (const [at, request] of requests.entries()) {
      const before = requests[at - 1];
      if (before === undefined || before.at !== request.at || before.status === undefined || before.status < 400)
        continue;
      const gap = request.arrived - before.arrived;
      if (gap < expected.gap_at_least - TOLERANCE)
        found.push({
          what: `ms between request ${before.n} and ${request.n}`,
          expected: `${expected.gap_at_least} or more`,
          actual: Math.round(gap),
        });
    }
  }
  const closes = (what: string, request: LabRequest | undefined, from: number | undefined, within: number) => {
    const took = (request?.closed?.at ?? Number.NaN) - (from ?? Number.NaN);
    if (!(took <= within))
      found.push({
        what,
        expected: `closed within ${within} ms`,
        actual: Number.isNaN(took) ? 'still open' : `closed after ${Math.round(took)} ms`,
      });
  };
  if (expected.left_within !== undefined && answered !== undefined) {
    for (const request of requests.filter((one) => one.answered === undefined))
      closes(`request ${request.n}: the connection after the answer`, request, answered, expected.left_within);
  }
  if (expected.close_within !== undefined) {
    const [request] = requests;
    const left = stopAfter ?? 1;
    closes(`the connection after event ${left}`, request, request?.writes[left - 1], expected.close_within);
  }
  for (const what of expected.fresh ?? []) {
    const seen = requests
      .filter((request) => request.at === 'daemon')
      .flatMap((request) => request.headers)
      .filter(([name]) => name.toLowerCase().endsWith(`-${what}`))
      .map(([, value]) => value);
    if (new Set(seen).size < seen.length)
      found.push({ what: `${what} of the proofs`, expected: 'a fresh one each', actual: 'one was used again' });
  }
  return found;
}

/** How much sooner than the limit of silence an answer may come, in ms. */
const EARLY = 100;

/** When the lab was last heard of: its last write, the head, or the arrival of the request that it never answered. */
const lastByte = ({ requests }: Pick<LabRun, 'requests'>): number | undefined => {
  const times = requests.flatMap(({ arrived, headed, writes }) => [arrived, headed ?? arrived, ...writes.slice(-1)]);
  return times.length === 0 ? undefined : Math.max(...times);
};

type SeenRun = Pick<LabRun, 'requests'> & Partial<Pick<LabRun, 'started'>>;

/** Whether an answer came when the lab had been silent for as long as the client shall bear (LAB-15). */
export function compareTime(
  theCase: ClientCase,
  { idle_within }: Expectation,
  seen: { readonly run?: SeenRun; readonly answered?: number },
): Difference[] {
  const limit = theCase.run?.idle_limit;
  const last = seen.run && lastByte(seen.run);
  if (idle_within === undefined || limit === undefined || seen.answered === undefined || last === undefined) return [];
  const silent = Math.round(seen.answered - last);
  // Until the head comes, a client may count from its call, which it cannot tell from the arrival of its request.
  const headless = seen.run?.requests.every(({ headed }) => headed === undefined) === true;
  const least = headless ? seen.answered - (seen.run?.started ?? last) : silent;
  if (least >= limit - EARLY && silent <= limit + idle_within) return [];
  const what = "ms from the lab's last byte to the answer";
  return [{ what, expected: `${limit} to ${limit + idle_within}`, actual: silent }];
}

/** Whether an aborted answer holds at least what had been reported as it came (LAB-16). */
export function compareReported(theCase: ClientCase, answer: ClientAnswer, reported = 0): Difference[] {
  const [exchange] = theCase.exchanges;
  if (reported === 0 || exchange === undefined || !isScripted(exchange)) return [];
  const events = eventStream(bodyOf(exchange)).filter(({ data }) => theCase.layer === 'sse' || data !== '');
  const what = 'what was reported before the abort';
  if (theCase.layer === 'sse') {
    const got = answer.events?.length ?? 0;
    return got >= reported ? [] : [{ what, expected: `${reported} events`, actual: `${got} events` }];
  }
  const { content } = chatOf(events.slice(0, reported)).chat;
  const got = answer.chat?.content;
  return typeof content !== 'string' || (typeof got === 'string' && got.startsWith(content))
    ? []
    : [{ what, expected: content, actual: got ?? 'nothing' }];
}
