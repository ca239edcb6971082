import type { IncomingMessage, ServerResponse } from 'node:http';
import { transferCoding } from './headers.js';
import { originForm } from './operations.js';
import { Passage, type PassOptions, refuse } from './passage.js';

/** Why a request cannot be recorded, and the status that says so; undefined if it can. */
function unrecordable({ url = '', headers }: IncomingMessage): { status: number; message: string } | undefined {
  const target = originForm(url);
  if (!target.startsWith('/'))
    return { status: 400, message: `A request for ${JSON.stringify(target)} cannot be recorded` };
  const coding = transferCoding(headers);
  if (coding === undefined) return undefined;
  return { status: 501, message: `The transfer coding ${JSON.stringify(coding)} cannot be recorded` };
}

/**
 * Passes requests on to a deployment, and its answers back, unchanged in both directions. If one side disconnects, so
 * does the other. An answer that cannot be passed on becomes a 502 with the reason. Nothing that happens in one exchange ends
 * another. The result of a call resolves when its exchange is recorded.
 */
export function createPass<Place>(
  options: PassOptions<Place>,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  let count = 0;
  return async (request, response) => {
    const n = ++count;
    const refused = unrecordable(request);
    if (refused) return void refuse(response, refused.status, refused.message, 'not_recordable');
    let place: Place;
    try {
      place = options.observer.begin(request);
    } catch (error) {
      return void refuse(response, 409, (error as Error).message, 'not_recordable');
    }
    await new Passage(options, { n, place, request, response }).ended;
    options.observer.over?.(place);
  };
}
