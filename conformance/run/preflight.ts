import { Finding } from '../framework/assert.js';
import type { Client } from '../probe/client.js';
import { NoAnswer } from '../probe/client.js';

/**
 * Looks whether the target can be judged at all. Undefined where it can; else one sentence that says what is in the way:
 * nobody answers, a redirect, no interface there, a key that opens nothing.
 */
export async function preflight(client: Client): Promise<string | undefined> {
  try {
    const list = await client.send({ path: '/interns', query: { limit: 1 } });
    const type = list.headers.get('content-type') ?? 'no content type';
    if (list.status >= 300 && list.status < 400) {
      return `the target redirects GET /interns to ${list.headers.get('location') ?? 'nowhere'} (${list.status}); redirects are not followed, give the address it leads to`;
    }
    if (list.json === undefined && !/json/i.test(type)) {
      return `the target answers GET /interns with ${list.status} ${type} instead of JSON; is its base address right?`;
    }
    if (list.status === 401) {
      const one = await client.send({ path: '/interns/00000000-0000-4000-8000-000000000000' });
      if (one.status === 401) return 'the target does not accept the API key (401 on every request)';
    }
    return undefined;
  } catch (error) {
    if (error instanceof NoAnswer) return `the target cannot be reached: ${error.actual}`;
    if (error instanceof Finding) return error.message;
    throw error;
  }
}
