import type { Learnt, Visit } from './visit.js';

/** The answers of a service to a create for which it has no room. */
export const REFUSED: ReadonlySet<number> = new Set([402, 403, 409, 422, 429]);
/** A refusal, as it is compared with another. */
export const refusalOf = ({ status, text }: { readonly status: number; readonly text: string }): string =>
  `${status} ${text}`.slice(0, 1_000);
/** How often to read interns that are torn down, and ms in between: longer teardowns are not waited for. */
const LOOKS = 30;
const APART = 1_000;
/** How many interns most checks make at most. */
const MOST_MADE = 2;

/** How many interns there may be when a check begins: the first that it makes finds room, and while it boots, another is gone. */
const mayStand = ({ full }: Learnt): number =>
  full === undefined ? Number.POSITIVE_INFINITY : Math.max(0, full.holds - (full.needed ?? 1));

/** Notes which of the interns that are torn down are gone by now. */
async function look(visit: Visit): Promise<void> {
  for (const { id, as } of visit.made().filter(({ deleting }) => deleting === true)) {
    const { status } = await visit.send({ path: visit.pathOf(id), as });
    if (status === 404) visit.gone(id);
  }
}

/**
 * At a service that holds few interns: takes away what no check needs any more, until no more than `most` are there. One whose
 * teardown does not end is waited for once.
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

/** The service has refused an intern for which it has no room. Room is made before the next check, or the next try of this one. */
export async function noteFull(visit: Visit, refusal: string, needed?: number): Promise<void> {
  const { learnt } = visit;
  await visit.findLost();
  await look(visit);
  const there = visit.made().length;
  const held = learnt.full?.holds ?? there;
  // Others may have taken what the run had before.
  const holds = Math.max(1, there < held ? held - 1 : held);
  learnt.full = { refusal, holds, needed };
  learnt.scarce = true;
  learnt.mayKeep = Math.max(1, holds - MOST_MADE);
}
