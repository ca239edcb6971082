import { Finding } from '../framework/finding.js';
import { type Preflight, type Stop, Stopped } from '../framework/stop.js';
import type { Answer, Client } from '../probe/client.js';
import { whyNoAnswer } from '../probe/no-answer.js';

const typeOf = ({ headers }: Answer) => {
  const type = headers.get('content-type');
  return type === null ? {} : { type };
};

/** An answer that does not answer the request. It says nothing of the address. */
const FOR_NOW: ReadonlySet<number> = new Set([429, 503]);

/** Why an answer to `GET /interns` is no list of interns (LIST-1); undefined where it is one. */
function noList(answer: Answer): Preflight | undefined {
  if (answer.status !== 200) return { kind: 'refuses', status: answer.status, text: answer.text.slice(0, 120) };
  if (answer.json === undefined) return { kind: 'broken-json', ...typeOf(answer) };
  const { data } = answer.json as { data?: unknown };
  if (!Array.isArray(data)) return { kind: 'no-list' };
  const whole = data.every((entry) => typeof (entry as { id?: unknown } | null)?.id === 'string');
  return whole ? undefined : { kind: 'no-ids' };
}

/** Pages of the list that are read before the first create, at most. */
const PAGES = 10;

/** Reads the rest of the list, as far as it is looked at. An intern that is there before a create is not the run's. */
async function readOn(client: Pick<Client, 'send'>, first: Answer, limited: boolean): Promise<void> {
  let next = (first.json as { next_cursor?: unknown }).next_cursor;
  for (let pages = 1; pages < PAGES && typeof next === 'string'; pages++) {
    const query = { ...(limited ? { limit: 500 } : {}), starting_after: next };
    next = ((await client.send({ path: '/interns', query })).json as { next_cursor?: unknown } | undefined)
      ?.next_cursor;
  }
}

async function look(client: Pick<Client, 'send'>, isEmulator: boolean): Promise<Preflight | undefined> {
  const list = await client.send({ path: '/interns', query: { limit: isEmulator ? 1 : 500 } });
  const { status } = list;
  if (status >= 300 && status < 400) {
    const to = list.headers.get('location');
    return { kind: 'redirects', status, ...(to === null ? {} : { to }) };
  }
  if (!isEmulator && FOR_NOW.has(status)) {
    const after = list.headers.get('retry-after');
    return { kind: 'away', status, ...(after === null ? {} : { after }) };
  }
  if (list.json === undefined && !/json/i.test(list.headers.get('content-type') ?? ''))
    return { kind: 'no-json', status, ...typeOf(list) };
  if (status === 401) {
    const one = await client.send({ path: '/interns/00000000-0000-4000-8000-000000000000' });
    if (one.status === 401) return { kind: 'key-refused' };
  }
  if (isEmulator) return undefined;
  // The interface does not state paging: a target that does not know `limit` may refuse it.
  const plain = status === 400 ? await client.send({ path: '/interns' }) : list;
  const why = noList(plain);
  if (why === undefined) await readOn(client, plain, plain === list);
  return why;
}

/**
 * Looks whether the target can be evaluated at all. Undefined where it can; else what is in the way: nobody answers, a
 * redirect, no interface there, a key that opens nothing. Sends only reads. An emulator is known by its control
 * interface: what it answers here is for the checks to say.
 */
export async function preflight(client: Pick<Client, 'send'>, isEmulator: boolean): Promise<Stop | undefined> {
  try {
    const saw = await look(client, isEmulator);
    return saw === undefined ? undefined : { kind: 'preflight', saw };
  } catch (error) {
    if (error instanceof Stopped) return error.stop;
    const got = whyNoAnswer(error);
    if (got !== undefined) return { kind: 'preflight', saw: { kind: 'unreachable', got } };
    if (error instanceof Finding) return { kind: 'preflight', saw: { kind: 'found', found: error.found } };
    throw error;
  }
}
