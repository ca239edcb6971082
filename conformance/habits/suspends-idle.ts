import { isRecord } from '../../emulator/wire/json.js';
import { about, isPrompt } from '../../emulator/wire/request.js';
import { beside, type Habit, idIn } from './habit.js';
import { boots } from './measured.js';
import type { Visit } from './visit.js';

/** ms after which this habit suspends an idle intern. */
const IDLE = 4_000;

/** The longest wait, in ms, until the idle intern is as old as the one that stopped. */
const LONGEST = 30_000;

/** Whether the idle intern has stopped; undefined if that is unknown. */
async function stopsIdle(visit: Visit, idler: string): Promise<boolean | undefined> {
  if (idler === 'none') return undefined;
  const { status, json } = await visit.send({ path: visit.pathOf(idler) });
  return status === 200 && isRecord(json) ? json.status !== 'running' : undefined;
}

export const suspendsIdle: Habit = {
  id: 'suspends-idle',
  what: 'suspends idle interns',
  kit: 'provisions again, three times at most; skips the checks that needed the intern to keep running',
  serve: (next, { host, keys }) => {
    const idleSince = new Map<string, number>();
    return async (request) => {
      const { operation, id } = about(request);
      if (id !== undefined && host.now() - (idleSince.get(id) ?? Number.POSITIVE_INFINITY) > IDLE) {
        idleSince.delete(id);
        await next(beside(request, id, 'POST', '/suspend', keys.api[0]));
      }
      // Another client may have left a question or a run open.
      if (id !== undefined && isPrompt(operation)) idleSince.delete(id);
      const response = await next(request);
      if (response.status === 202 && operation === 'provision' && id !== undefined)
        idleSince.set(id, host.now() + 1_000);
      if (response.status === 201 && operation === 'create') idleSince.set(await idIn(response), host.now() + 1_000);
      return response;
    };
  },
  /**
   * An intern of the check or the finding has stopped, and the run did not stop it. The habit is confirmed if another intern, made for
   * this and left idle, stops as well.
   */
  explains: async ({ about, at, check, seen }, visit) => {
    const { dealings, inHand, learnt, pathOf, send, shared } = visit;
    const age = (id: string) => visit.now() - (dealings.with(id).made?.at ?? visit.now());
    // If only the finding names the intern, a stop explains only its lifecycle.
    const named = check.requirement === 'LIFE-1' ? about : [];
    for (const id of new Set([...inHand, shared() ?? [], ...named, ...seen.map((one) => one.id ?? [])].flat())) {
      if (dealings.with(id).ran) await send({ path: pathOf(id) }).catch(() => undefined);
      const gone = dealings.with(id).went;
      // A check judges only later events than its own beginning. A rule may have been broken before.
      if (gone === undefined || (gone.before === true && !(named.includes(id) && gone.at >= at))) continue;
      const skip = { kind: 'race', because: { kind: 'went', status: gone.status } } as const;
      if (learnt.habits.get('suspends-idle') === true || visit.readOnly) return { skip };
      if (learnt.idler === undefined) {
        const again = Math.min(age(id), LONGEST);
        learnt.idler = await boots(visit);
        // Older interns may have been idle for longer than the new one will be.
        visit.forget();
        return { again, learnt: true, skip };
      }
      const stops = await stopsIdle(visit, learnt.idler);
      if (stops === true) learnt.habits.set('suspends-idle', true);
      if (stops !== false) return { skip };
      // The idle intern is still younger than the stopped one was: it may stop later.
      const younger = age(id) - (visit.now() - gone.at) - age(learnt.idler);
      if (younger > 0) return { again: Math.min(younger, LONGEST), skip };
    }
    return undefined;
  },
  silent: true,
};
