import { type ClientCase, type Expectation, isScripted } from '../../emulator/contract/client-case.js';
import type { LabRun } from '../../emulator/contract/lab-run.js';
import { bodyOf } from '../../emulator/lab/body.js';
import type { Difference } from '../model/finding.js';
import type { ClientAnswer } from './answer.js';
import { chatOf } from './oracle/chat.js';
import { eventStream } from './oracle/event-stream.js';

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
