import { noteFull, REFUSED, refusalOf } from './capacity.js';
import { TURNS } from './dealings.js';
import type { Sighting, Visit } from './visit.js';

/** Longest wait for a write to show in reads, in ms. */
const LONGEST = 10_000;
const given = (ms: number) => 1.5 * ms + 300;
/** Reads in a row that must show the write: replicas may answer in turn. */
const SURE = { list: 10, read: 6 };
/** Writes that are measured, as replicas differ. More if one is late. */
const WRITES = { least: 2, most: 3 };
/** Most measures of a run: at a quick deployment, each finding would cost one. */
const MEASURED = 3;

/** Callers that can see interns. */
const SEES: ReadonlySet<string> = new Set(['api_key', 'peer_api_key', 'foreign_api_key', 'own_key']);

/** Whether a finding is about the outcome of an accepted prompt or proof: no read decides that. */
function isOfTurn({ found, seen }: Sighting): boolean {
  const { wanted } = found;
  const shown = seen.find(({ number }) => number === found.exchange) ?? seen.at(-1);
  const { status = 0, path = '' } = shown ?? {};
  return (
    TURNS.test(path.replace(/^\/interns\/[^/]+\//, '')) &&
    status < 300 &&
    !(wanted.kind === 'status' && wanted.class === 'refusal')
  );
}

/** Whether late reads may explain a finding. */
export function mayBeLate(sighting: Sighting): boolean {
  const reads = sighting.seen.some(
    ({ as, method, path, status = 0 }) =>
      method === 'GET' &&
      /^\/interns(\/[^/]+)?$/.test(path) &&
      // Only successes and 404 can be late.
      (status < 300 || status === 404) &&
      as !== undefined &&
      SEES.has(as),
  );
  return reads && !isOfTurn(sighting);
}

/** ms until something shows in several looks in a row: 0 from the first look on, undefined if never. */
async function until(visit: Visit, inARow: number, shows: () => Promise<boolean>) {
  const began = visit.now();
  let since = 0;
  for (let row = 0; ; ) {
    row = (await shows()) ? row + 1 : 0;
    if (row === inARow) return since;
    if (row === 0 && since > LONGEST) return undefined;
    await visit.sleep(100);
    if (row === 0) since = visit.now() - began;
  }
}

/** The longest of several waits; undefined if one had no end, which is no lag. */
async function longest(wait: (nth: number) => Promise<number | undefined>): Promise<number | undefined> {
  let most = 0;
  for (let nth = 0; nth < (most > 0 ? WRITES.most : WRITES.least); nth++) {
    const took = await wait(nth);
    if (took === undefined) return undefined;
    most = Math.max(most, took);
  }
  return most;
}

/** The names in the list of interns. */
function names(visit: Visit): () => Promise<readonly unknown[]> {
  // The interface does not state paging: a service may know no limit.
  let query = { limit: 500 } as { limit?: number };
  return async () => {
    const send = () => visit.send({ path: '/interns', query, soon: true });
    let answer = await send();
    if (answer.status >= 400 && answer.status < 500 && query.limit !== undefined) {
      query = {};
      answer = await send();
    }
    const { data } = (answer.json ?? {}) as { data?: { name?: unknown }[] };
    return Array.isArray(data) ? data.map(({ name }) => name) : [];
  };
}

/**
 * Whether reads of a deployment, or of one intern, lag further than known: no sentence says that they show
 * a write at once. It is measured a few times when a check that read has found something, as several replicas may
 * answer; from then on a read waits that long after a write. A service that never shows a write, or takes longer than
 * {@link LONGEST}, is still found. It is reported if there is no capacity for the interns that this takes, unless the
 * caller copes with those that there are (`cramped`).
 */
export async function readsLag(
  sighting: Sighting,
  visit: Visit,
  { cramped = false } = {},
): Promise<boolean | 'no room'> {
  const { inHand, learnt } = visit;
  const before = learnt.lag;
  if (!mayBeLate(sighting) || visit.readOnly || before.measured >= MEASURED) return false;
  learnt.lag = { ...before, measured: before.measured + 1 };
  const listed = names(visit);

  let full: string | undefined;
  const create = async () => {
    const created = await visit.send(visit.creating());
    const { id, name } = (created.json ?? {}) as { id?: unknown; name?: unknown };
    if (REFUSED.has(created.status) && visit.created() > 0) full = refusalOf(created);
    if (created.status >= 300 || typeof id !== 'string') return undefined;
    inHand.add(id);
    return { id, name };
  };
  let made = await create();
  const measure = async (kind: 'list' | 'read', wait: (nth: number) => Promise<number | undefined>) =>
    before.never.includes(kind) ? undefined : longest(wait);
  const list = await measure('list', async (nth) => {
    if (nth > 0) made = await create();
    const name = made?.name;
    if (name === undefined) return 0;
    return until(visit, SURE.list, async () => (await listed()).includes(name));
  });
  const read = await measure('read', async (nth) => {
    if (made === undefined) return 0;
    const path = visit.pathOf(made.id);
    const description = `change ${nth}`;
    const json = { description };
    const changed = await visit.send({ method: 'PATCH', path, json, renew: () => json });
    if (changed.status >= 300) return 0;
    return until(visit, SURE.read, async () => {
      const { json } = await visit.send({ path, soon: true });
      return ((json ?? {}) as { description?: unknown }).description === description;
    });
  });
  if (full !== undefined && !cramped) {
    await noteFull(visit, full, WRITES.most + 1);
    learnt.lag = { ...learnt.lag, measured: before.measured };
    return 'no room';
  }
  const known = learnt.lag;
  const late = {
    list: Math.max(known.list, list ? given(list) : 0),
    read: Math.max(known.read, read ? given(read) : 0),
  };
  const grew = late.list > before.list || late.read > before.read;
  learnt.lag = {
    measured: known.measured,
    never: [...(list === undefined ? ['list' as const] : []), ...(read === undefined ? ['read' as const] : [])],
    ...late,
    since: grew ? visit.now() : known.since,
  };
  if (grew) visit.doubtsReads();
  return grew;
}
