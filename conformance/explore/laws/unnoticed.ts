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

const isChange = ({ method, operation }: SeenRequest): boolean => method !== 'GET' && !REPLIES.has(operation);
const acted = ({ acted: status }: SeenRequest): boolean => status !== undefined && status < 300;
const sawRunning = ({ requests }: Seen): boolean =>
  requests.some(({ answer }) => answer.includes('"status":"running"'));
const placeOf = ({ method, path }: SeenRequest): string => `${method} ${path}`;
/** Whether it turned to something that it leaves alone undisturbed, such as another intern. */
function didElse(seen: Seen, straight: Seen): boolean {
  const known = new Set(straight.requests.map(placeOf));
  return seen.requests.some((one) => one.method !== 'GET' && !known.has(placeOf(one)));
}
/** Disturbances by which somebody else brings about what a request is for. */
const DONE_BY_OTHERS: ReadonlySet<string> = new Set(['deleted delete', 'deleted suspend', 'suspended suspend']);

/** The part that a disturbed run lacks: a whole reply, a change, or the boot of an intern that the undisturbed run sees running. */
function missing(seen: Seen, straight: Seen, met: SeenRequest): string | undefined {
  const fewer = (likeIt: (one: SeenRequest) => boolean) =>
    seen.requests.filter(likeIt).length < straight.requests.filter(likeIt).length;
  // It may have asked once more, and read that.
  if (REPLIES.has(met.operation)) {
    const likeIt = (one: SeenRequest) =>
      one.method === met.method && one.path === met.path && promptOf(one) === promptOf(met) && isWhole(one);
    return !isWhole(met) && fewer(likeIt) ? 'the whole reply had come' : undefined;
  }
  if (didElse(seen, straight)) return undefined;
  if (met.disturbed === 'boot-fails')
    return sawRunning(straight) && !sawRunning(seen) ? 'the intern had booted' : undefined;
  if (!isChange(met) || acted(met) || DONE_BY_OTHERS.has(`${met.disturbed} ${met.operation}`)) return undefined;
  return fewer((one) => one.operation === met.operation && acted(one))
    ? `the ${met.operation} had been done`
    : undefined;
}

/** The lack of a disturbed run in which the program passes and prints as in the undisturbed run. */
export function unnoticedIn(seen: Seen, straight: Seen, plain: (text: string) => string): Wrong | undefined {
  if (plain(seen.stdout) !== plain(straight.stdout)) return undefined;
  const met = seen.requests.find(({ disturbed }) => disturbed !== undefined);
  const what = met && missing(seen, straight, met);
  if (!what) return undefined;
  return { message: `it passed as if ${what}`, request: met.operation, did: 'passes' };
}
