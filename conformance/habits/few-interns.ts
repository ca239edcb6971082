import type { Habit } from './habit.js';
import type { Serve } from './serve.js';
import { about, beside, bodyOf, refusal } from './wire.js';

/** How many interns one key may have at once. */
const ROOM = 5;

/** A workspace may have a few interns only. */
const serve: Serve = (next) => {
  // Made to see what is wrong with the create itself, which is told first.
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

export const fewInterns: Habit = {
  id: 'few-interns',
  what: 'has room for few interns',
  kit: 'does one check at a time and takes away what is not needed',
  serve,
};
