import { Finding } from '../framework/assert.js';
import type { Answer, Client } from '../probe/client.js';
import { NoAnswer } from '../probe/no-answer.js';
import { Stopped } from './stopped.js';

const typeOf = (answer: Answer) => answer.headers.get('content-type') ?? 'no content type';

/** Why an answer to `GET /interns` is no list of interns (LIST-1); undefined where it is one. */
function noList(answer: Answer): string | undefined {
  if (answer.status !== 200) return `answers GET /interns with ${answer.status} ${answer.text.slice(0, 120)}`;
  if (answer.json === undefined) return `answers GET /interns with ${typeOf(answer)} that is no JSON`;
  const { data } = answer.json as { data?: unknown };
  if (!Array.isArray(data)) return 'answers GET /interns without a list of interns in "data"';
  const odd = data.find((entry) => typeof (entry as { id?: unknown } | null)?.id !== 'string');
  return odd === undefined ? undefined : 'lists interns without an id in answer to GET /interns';
}

/** Pages of the list that are read before the first create, at most. */
const PAGES = 10;

/** Reads the rest of the list, as far as it is looked at: whatever is there before a create is none of the run's. */
async function readOn(client: Pick<Client, 'send'>, first: Answer, limited: boolean): Promise<void> {
  let next = (first.json as { next_cursor?: unknown }).next_cursor;
  for (let pages = 1; pages < PAGES && typeof next === 'string'; pages++) {
    const query = { ...(limited ? { limit: 500 } : {}), starting_after: next };
    next = ((await client.send({ path: '/interns', query })).json as { next_cursor?: unknown } | undefined)
      ?.next_cursor;
  }
}

/**
 * Looks whether the target can be evaluated at all. Undefined where it can; else one sentence that says what is in the
 * way: nobody answers, a redirect, no interface there, a key that opens nothing. Sends nothing but reads. An emulator is
 * known by its control interface: what it answers here is for the checks to say.
 */
export async function preflight(client: Pick<Client, 'send'>, isEmulator: boolean): Promise<string | undefined> {
  try {
    const list = await client.send({ path: '/interns', query: { limit: isEmulator ? 1 : 500 } });
    if (list.status >= 300 && list.status < 400) {
      return `the target redirects GET /interns to ${list.headers.get('location') ?? 'nowhere'} (${list.status}); redirects are not followed, give the address it leads to`;
    }
    if (list.json === undefined && !/json/i.test(typeOf(list))) {
      return `the target answers GET /interns with ${list.status} ${typeOf(list)} instead of JSON; is its base address right?`;
    }
    if (list.status === 401) {
      const one = await client.send({ path: '/interns/00000000-0000-4000-8000-000000000000' });
      if (one.status === 401) return 'the target does not accept the API key (401 on every request)';
    }
    if (isEmulator) return undefined;
    // The interface does not state paging: a target that does not know `limit` may refuse it.
    const plain = list.status === 400 ? await client.send({ path: '/interns' }) : list;
    const why = noList(plain);
    if (why !== undefined) return `the target ${why}; nothing was created. Is its base address right?`;
    await readOn(client, plain, plain === list);
    return undefined;
  } catch (error) {
    if (error instanceof NoAnswer) return `the target cannot be reached: ${error.actual}`;
    if (error instanceof Finding || error instanceof Stopped) return error.message;
    throw error;
  }
}
