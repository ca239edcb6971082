import { refusal } from '../../emulator/wire/answer.js';
import { about } from '../../emulator/wire/request.js';
import { beside, bodyOf, type Habit } from './habit.js';
import { LATER, type Learnt, type Visit } from './visit.js';

/** The answers of a service to a create for which it has no room. */
export const REFUSED: ReadonlySet<number> = new Set([402, 403, 409, 422, 429]);
/** The text by which two refusals are compared. */
export const refusalOf = ({ status, text }: { readonly status: number; readonly text: string }): string =>
  `${status} ${text}`.slice(0, 1_000);
/** Most reads of an intern in teardown, and ms between them. Longer teardowns are not awaited. */
const LOOKS = 30;
const APART = 1_000;
/** The number of interns that suffices for nearly every check. */
const MOST_MADE = 2;

/** Most interns at the beginning of a check, so that there is room for the ones that it makes. */
const mayStand = ({ full }: Learnt): number =>
  full === undefined ? Number.POSITIVE_INFINITY : Math.max(0, full.holds - (full.needed ?? 1));

/** Notes which interns in teardown are gone. */
async function look(visit: Visit): Promise<void> {
  for (const { id, as } of visit.made().filter(({ deleting }) => deleting === true)) {
    const { status } = await visit.send({ path: visit.pathOf(id), as });
    if (status === 404) visit.gone(id);
  }
}

/**
 * Deletes unneeded interns until no more than `most` exist, at a service with room for few. An endless teardown is awaited only
 * once.
 */
export async function makeRoom(visit: Visit, most = mayStand(visit.learnt)): Promise<void> {
  const { learnt } = visit;
  if (learnt.full !== undefined) learnt.full = { ...learnt.full, needed: undefined };
  visit.keep(Math.min(most, learnt.mayKeep));
  const keep = visit.kept();
  const unused = visit.made().filter(({ id }) => !keep.has(id));
  await visit.takeAway(unused.filter(({ deleting }) => deleting !== true));
  visit.inHand.clear();
  const left = () => visit.made().filter(({ id }) => !learnt.staying.has(id));
  for (let looks = 0; left().length > most; looks++) {
    if (looks === LOOKS) for (const { id } of left()) if (!keep.has(id)) learnt.staying.add(id);
    if (looks === LOOKS) return;
    await look(visit);
    if (left().length > most) await visit.sleep(APART);
  }
}

/** Notes that the service refused an intern for lack of room. Room is made before the next check or attempt. */
export async function noteFull(visit: Visit, refusal: string, needed?: number): Promise<void> {
  const { learnt } = visit;
  await visit.findLost();
  await look(visit);
  const there = visit.made().length;
  const held = learnt.full?.holds ?? there;
  // Others may have taken some of the run's room.
  const holds = Math.max(1, there < held ? held - 1 : held);
  learnt.full = { refusal, holds, needed };
  learnt.scarce = true;
  learnt.mayKeep = Math.max(1, holds - MOST_MADE);
}

/** Most interns of one key. */
const ROOM = 5;

export const fewInterns: Habit = {
  id: 'few-interns',
  what: 'has room for few interns',
  kit: 'runs one check at a time, and deletes unneeded interns',
  /** A workspace has room for few interns. */
  serve: (next) => {
    // The refusal of an invalid create comes first. The habit learns of it by letting the create through.
    const refused = new Set<string>();
    return async (request) => {
      if (about(request).operation !== 'create') return next(request);
      const { name } = await bodyOf(request);
      const list = await next(
        new Request(request.url, { headers: { authorization: request.headers.get('authorization') ?? '' } }),
      );
      const { data = [] } = (list.ok ? await list.json() : {}) as { data?: { id: string; name: string }[] };
      const full = data.filter(({ id, name }) => /^k.{4}-/.test(name) && !refused.has(id)).length >= ROOM;
      // A retried create needs no room.
      if (!full || data.some((one) => one.name === name)) return next(request);
      const answer = await next(request.clone());
      if (!answer.ok) return answer;
      const { id } = (await answer.json()) as { id: string };
      refused.add(id);
      await next(beside(request, id, 'DELETE'));
      return refusal(403, `This workspace may have ${ROOM} interns`, 'quota_exceeded');
    };
  },
  prepare: async (visit) => (visit.learnt.full === undefined ? undefined : makeRoom(visit)),
  /**
   * A service may refuse a create because its capacity is exhausted. It then also refuses a plain create, although it accepted
   * such ones before. Later the same refusal is enough. The run frees the capacity that it takes itself.
   */
  explains: async ({ missedSuccess, seen }, visit) => {
    const { learnt } = visit;
    const { full } = learnt;
    const last = seen.findLast(
      ({ method, path, status = 0 }) => method === 'POST' && path === '/interns' && REFUSED.has(status),
    );
    if (last?.status === undefined) return undefined;
    // The service may have room again.
    const otherwise = missedSuccess ? ({ again: LATER, perhaps: true } as const) : undefined;
    if (visit.created() === 0) return otherwise;
    let got = { status: last.status, text: last.text };
    if (refusalOf(got) !== full?.refusal) {
      const { status, text } = await visit.send(visit.creating());
      if (status < 400 || status >= 500) return otherwise;
      got = { status, text };
    }
    await noteFull(visit, refusalOf(got));
    // Teardowns under way may free enough room.
    const leaving = visit.made().some(({ deleting }) => deleting === true);
    await makeRoom(visit, leaving ? learnt.mayKeep : 0);
    const skip = { kind: 'need', because: { kind: 'full', got } } as const;
    return { again: 0, skip, ...(full === undefined ? { learnt: true } : {}) };
  },
};
