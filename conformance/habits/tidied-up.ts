import { about } from '../../emulator/wire/request.js';
import type { Serve } from '../../emulator/wire/serve.js';
import type { CredentialName } from '../probe/request.js';
import { beside, type Habit, idIn } from './habit.js';
import type { Visit } from './visit.js';

/** ms after which somebody deletes an intern. */
const AGED = 15_000;

/** Somebody else deletes interns of some age. */
const serve: Serve = (next, { host, keys }) => {
  const born = new Map<string, number>();
  return async (request) => {
    for (const [id, at] of born) {
      if (host.now() - at < AGED) continue;
      born.delete(id);
      await next(beside(request, id, 'DELETE', '', keys.api[0]));
    }
    const response = await next(request);
    const { operation, token } = about(request);
    if (operation === 'create' && response.status === 201 && token === keys.api[0])
      born.set(await idIn(response), host.now());
    return response;
  };
};

/** Longest wait, in ms, until the witness is as old as the deleted intern. */
const LONGEST = 30_000;

/** Whether an intern is gone, or in teardown. */
async function isGoing(visit: Visit, id: string, as: CredentialName): Promise<boolean> {
  const { status, json } = await visit.send({ path: visit.pathOf(id), as });
  const shown = (json as { status?: unknown } | undefined)?.status;
  return status === 404 || shown === 'destroying' || shown === 'destroy_failed';
}

/** Most interns that are read. */
const LOOKED_AT = 8;
/** So many existing interns show that nobody deletes them. */
const STANDING = 3;

/**
 * Whether others delete unused interns of the run. They do not if several interns of the same maker still exist, unused for as
 * long as the missing one existed. Otherwise a new intern, the witness, is observed until it is as old. A number is the ms
 * until then.
 */
async function othersDelete(visit: Visit, id: string, as: CredentialName, at: number): Promise<boolean | number> {
  const { dealings, learnt, now } = visit;
  const unused = (one: string) => now() - Math.max(dealings.with(one).made?.at ?? now(), dealings.with(one).wrote);
  const lived = at - (dealings.with(id).made?.at ?? at);
  const others = visit
    .made()
    .filter(({ id: one, as: maker, deleting }) => one !== id && maker === as && deleting !== true);
  let standing = 0;
  for (const { id: one } of others.filter(({ id: one }) => unused(one) >= lived).slice(-LOOKED_AT)) {
    if (!(await isGoing(visit, one, as))) standing += 1;
    if (standing === STANDING) return false;
  }
  const { witness } = learnt;
  if (witness !== undefined && others.some(({ id: one }) => one === witness))
    return (await isGoing(visit, witness, as)) || (unused(witness) < lived && lived - unused(witness));
  const { json, status } = await visit.send(visit.creating());
  const made = (json ?? {}) as { id?: unknown };
  learnt.witness = status < 300 && typeof made.id === 'string' ? made.id : undefined;
  return lived;
}

/**
 * Somebody else has deleted an intern of the check. The other interns are as old, so they are not used again.
 */
const explains: Habit['explains'] = async ({ about, at, seen }, visit) => {
  const ids = new Set([...seen.flatMap(({ id }) => id ?? []), ...visit.inHand, ...about]);
  const ours = visit.made().filter(({ id, deleting }) => ids.has(id) && deleting !== true);
  // Only the intern of the finding counts, not others that the check used before.
  const those = ours.filter(({ id }) => about.includes(id));
  for (const { id, as } of those.length > 0 ? those : ours) {
    if (!(await isGoing(visit, id, as))) continue;
    const others = await othersDelete(visit, id, as, at);
    if (others !== false) visit.forget();
    if (others === true) return { again: 0, skip: { kind: 'race', because: { kind: 'deleted' } } };
    // At the next attempt the witness is as old.
    if (others !== false) return { again: Math.min(others, LONGEST) };
  }
  return undefined;
};

export const tidiedUp: Habit = {
  id: 'tidied-up',
  what: 'has users who delete unused interns of others',
  kit: 'makes other interns; skips checks whose interns were deleted meanwhile',
  serve,
  explains,
};
