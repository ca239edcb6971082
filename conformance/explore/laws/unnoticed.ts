import type { Seen, SeenRequest, Wrong } from '../types.js';
import { promptOf } from './once.js';

/** The requests that are answered by what an intern says. */
const REPLIES: ReadonlySet<string> = new Set(['chat', 'answer']);

/** Whether a client was shown all of an answer: of a stream a finish reason, before which all of the text comes. */
function isWhole({ status, ended, writes }: SeenRequest): boolean {
  if (status === undefined || status >= 300) return false;
  if (writes === undefined) return ended === 'complete';
  return writes.some(({ text }) => /"finish_reason": ?"(?:stop|tool_calls)"/.test(text));
}

/** A reply that never came as a whole, where the program passes and prints as in the undisturbed run. */
export function unnoticedIn(seen: Seen, straight: Seen, plain: (text: string) => string): Wrong | undefined {
  if (plain(seen.stdout) !== plain(straight.stdout)) return undefined;
  const met = seen.requests.find(({ disturbed }) => disturbed !== undefined);
  if (met === undefined || !REPLIES.has(met.operation) || isWhole(met)) return undefined;
  const likeIt = (one: SeenRequest) =>
    one.method === met.method && one.path === met.path && promptOf(one) === promptOf(met) && isWhole(one);
  // It has asked once more, and read that.
  if (seen.requests.filter(likeIt).length >= straight.requests.filter(likeIt).length) return undefined;
  return { message: 'it passed as if the whole reply had come', request: met.operation, did: 'passes' };
}
