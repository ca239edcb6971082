import type { Serve } from '../../emulator/wire/serve.js';
import { makeRoom, noteFull, REFUSED, refusalOf } from './capacity.js';
import type { Habit } from './habit.js';
import { LATER } from './visit.js';
import { about, beside, bodyOf, refusal } from './wire.js';

/** How many interns one key may have at once. */
const ROOM = 5;

/** A workspace may have a few interns only. */
const serve: Serve = (next) => {
  // Made to see what is wrong with the create itself, which comes first.
  const refused = new Set<string>();
  return async (request) => {
    const { creates } = about(request);
    if (!creates) return next(request);
    const { name } = await bodyOf(request);
    const list = await next(
      new Request(request.url, { headers: { authorization: request.headers.get('authorization') ?? '' } }),
    );
    const { data = [] } = (list.ok ? await list.json() : {}) as { data?: { id: string; name: string }[] };
    const full = data.filter(({ id, name }) => /^k.{4}-/.test(name) && !refused.has(id)).length >= ROOM;
    // One that is there already is answered as ever.
    if (!full || data.some((one) => one.name === name)) return next(request);
    const answer = await next(request.clone());
    if (!answer.ok) return answer;
    const { id } = (await answer.json()) as { id: string };
    refused.add(id);
    await next(beside(request, id, 'DELETE'));
    return refusal(403, `This workspace may have ${ROOM} interns`, 'quota_exceeded');
  };
};

/**
 * A create was refused because the capacity is exhausted, which no sentence forbids. If so, a create that asks only for
 * a name is refused too, although others like it were accepted. Once that is known, the same answer is enough. Frees
 * capacity, as far as the run itself takes it.
 */
const explains: Habit['explains'] = async ({ missedSuccess, seen }, visit) => {
  const { learnt } = visit;
  const { full } = learnt;
  const last = seen.findLast(
    ({ method, path, status = 0 }) => method === 'POST' && path === '/interns' && REFUSED.has(status),
  );
  if (last?.status === undefined) return undefined;
  // There may be capacity now that was missing a moment ago.
  const otherwise = missedSuccess ? ({ again: LATER, perhaps: true } as const) : undefined;
  if (visit.created() === 0) return otherwise;
  let got = { status: last.status, text: last.text };
  if (refusalOf(got) !== full?.refusal) {
    const { status, text } = await visit.send(visit.creating());
    if (status < 400 || status >= 500) return otherwise;
    got = { status, text };
  }
  await noteFull(visit, refusalOf(got));
  // Where some were on their way, the others need not go.
  const leaving = visit.made().some(({ deleting }) => deleting === true);
  await makeRoom(visit, leaving ? learnt.mayKeep : 0);
  const skip = { kind: 'need', because: { kind: 'full', got } } as const;
  return { again: 0, skip, ...(full === undefined ? { learnt: true } : {}) };
};

export const fewInterns: Habit = {
  id: 'few-interns',
  what: 'has room for few interns',
  kit: 'runs one check at a time and deletes what is not needed',
  serve,
  prepare: async (visit) => (visit.learnt.full === undefined ? undefined : makeRoom(visit)),
  explains,
};
