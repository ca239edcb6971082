import { equal, fail } from '../../framework/assert.js';
import { checksOf } from '../../framework/check.js';
import type { Ctx } from '../../framework/context.js';
import type { Met, Watch, Watched } from '../../framework/watch.js';
import { createLives } from '../../helpers/lives.js';
import { isRow, nameOf, rowsOf } from '../../helpers/met.js';

/** Habits that are measured here: what a service does by itself is held against it only where it is seen not to do it. */
const MEASURES = ['suspends-idle', 'tidied-up'];

/** Follows the interns of a run, for a watch that says what it sees of them. */
function following(watched: Watched) {
  const lives = createLives(watched);
  const { asks, forgets, strays, unread } = lives;
  return { lives, watch: { lasts: true, measures: MEASURES, asks, forgets, strays, unread } satisfies Watch };
}

/** What was refused is not done, what was accepted is, and a suspended intern sleeps until it is provisioned. */
function statuses(watched: Watched): Watch {
  const { lives, watch } = following(watched);
  return {
    ...watch,
    sees(met) {
      const { judged, wrong } = lives.sees(met);
      if (wrong !== undefined) fail(...wrong);
      return judged;
    },
  };
}

/** Whether a list leaves out nothing that its caller may see: it is the whole of it, and nothing is filtered. */
function isWhole({ query, answer: { json } }: Met, workspaceId: string): boolean {
  if (!isRow(json) || json.has_more !== false) return false;
  return [...query].every(([key, value]) => key === 'limit' || (key === 'workspace_id' && value === workspaceId));
}

/** "Lists the interns visible to the key." What was shown to be there some seconds ago, and nobody has deleted, is in it. */
function whole(watched: Watched): Watch {
  const { lives, watch } = following(watched);
  const { creatorOf, workspaceId } = watched;
  /** Those that a list has left out, until a read of its own shows one again: others may have deleted it. */
  const missing = new Set<string>();
  return {
    ...watch,
    sees(met) {
      if (nameOf(met) !== 'list' || met.answer.status !== 200 || !isWhole(met, workspaceId)) {
        lives.sees(met);
        if (nameOf(met) === 'get' && met.answer.status === 200 && met.id !== undefined) missing.delete(met.id);
        return false;
      }
      const listed = new Set(rowsOf(met).map(({ id }) => id));
      const there = lives.there(met).filter((id) => creatorOf(id) === met.as && !missing.has(id));
      const lacking = there.filter((id) => !listed.has(id));
      lives.sees(met);
      for (const id of lacking) for (const ids of [lives.unread, lives.strays, missing]) ids.add(id);
      equal(lacking, [], 'interns that a list leaves out');
      return there.length > 0;
    },
  };
}

/** Lifecycle writes that are refused and accepted, each followed by reads and lists. */
async function meet({ api, interns, send, target }: Ctx): Promise<void> {
  const looks = async (id: string) => {
    await api.get(id);
    await api.list();
    await api.list({ workspace_id: target.workspaceId });
  };
  const { id } = await interns.running();
  const other = await interns.stopped();
  await looks(id);
  for (const [method, path, one] of [
    ['POST', '/suspend', id],
    ['POST', '/provision', other.id],
    ['DELETE', '', other.id],
  ] as const) {
    await looks(one);
    const json = { unknown: true };
    await send({ method, path: `/interns/${one}${path}`, json });
    await looks(one);
    await send({
      method,
      path: `/interns/${one}${path}`,
      body: JSON.stringify({}),
      headers: { 'content-type': 'text/plain' },
    });
    await looks(one);
    if (target.foreignWorkspaceId !== undefined)
      await send({ method, path: `/interns/${one}${path}`, as: 'foreign_api_key' });
    await looks(one);
  }
  await api.suspend(id);
  await looks(id);
  await looks(id);
  await api.remove(other.id);
  await looks(other.id);
  await interns.untilGone(other.id);
  await looks(other.id);
}

/** LIFE-1: what the interns of a run were shown to be. */
export const LIVES_AS_MET = checksOf('LIFE-1', {
  'as-met/status': {
    title:
      'Every record that the run met shows what the lifecycle calls that were accepted made of its intern, and no refused one.',
    needs: [],
    watch: statuses,
    run: meet,
  },
  'as-met/list-whole': {
    requirement: 'LIST-1',
    title: 'Every whole list that the run met has each intern that reads showed, running or suspended.',
    needs: [],
    watch: whole,
    run: meet,
  },
});
