import type { Answer } from '../probe/client.js';
import type { Send } from '../probe/request.js';
import type { Tried, Visit } from './visit.js';

/** Sends a request of the check with another body, by the credential that sent it. */
export async function instead(
  visit: Visit,
  { as, method, url }: Tried,
  body: Pick<Send, 'json' | 'body' | 'headers'>,
): Promise<Answer | undefined> {
  return as === undefined ? undefined : visit.send({ method, url, as, ...body });
}
