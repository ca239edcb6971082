import { failed } from '../answers.js';
import { type Call, withBody } from '../call.js';
import { named } from '../ways/named.js';
import type { Next, Way, World } from '../world.js';
import { knowingRuns, steerExtends } from './runs.js';
import { as, bodyOf, isMember, person } from './tools.js';

const OWNED = 'A `session_id` is accepted only from the caller it was issued to, on the same intern.';
const REFUSED =
  'Any other, including sessions started from a chat tool or from the chat endpoint, is refused with 404.';
const CONTINUES = 'Sending the same `session_id` later continues the conversation.';

interface Issued {
  readonly who: string;
  readonly id: string;
  readonly session: string;
}

/** Which sessions invoke issued, and which request is sent in the place of one. */
function knowingSessions(w: World, other: (call: Call, issued: readonly Issued[]) => Request | undefined) {
  const issued: Issued[] = [];
  return async (call: Call, next: Next) => {
    if (call.op !== 'invoke') return next();
    const changed = other(call, issued);
    if (changed) w.hit();
    const r = await next(changed);
    const { session_id: session } = r.ok ? await bodyOf(r) : {};
    if (!changed && typeof session === 'string') issued.push({ who: call.who, id: call.id.toLowerCase(), session });
    return r;
  };
}

const goesOn = (status: string | undefined) => status === 'running' || status === 'waiting';

export const invoking: readonly Way[] = [
  named('invoke answers 200', 'answers 202 with the `session_id` once the intern accepts it', (w) =>
    w.later('invoke', (r) =>
      r.status === 202 ? new Response(r.body, { status: 200, headers: r.headers }) : undefined,
    ),
  ),
  named('a session is accepted from another caller', OWNED, (w) =>
    knowingSessions(w, (call, issued) => {
      const known = issued.find(({ session, id }) => session === call.body.session_id && id === call.id.toLowerCase());
      return known && isMember(call.who) && person(known.who) !== person(call.who) ? as(w, call, known.who) : undefined;
    }),
  ),
  named('an unknown session is begun under its name', REFUSED, (w) => {
    const real = new Map<unknown, string>();
    const seen = new Set<unknown>();
    const note = w.stream(() => (_, chunk) => {
      if (typeof chunk?.session_id === 'string') seen.add(chunk.session_id);
      return undefined;
    });
    return async (call, next) => {
      if (call.op !== 'invoke') return note(call, next);
      const { session_id: given, ...rest } = call.body;
      const renamed = async (r: Response) => {
        if (!r.ok) return r;
        w.hit();
        const body = await bodyOf(r);
        real.set(given, real.get(given) ?? String(body.session_id));
        return Response.json({ ...body, session_id: given }, { status: r.status });
      };
      const known = real.get(given);
      if (known !== undefined) return renamed(await next(withBody(call, { ...rest, session_id: known })));
      const r = await next();
      if (r.ok) seen.add((await bodyOf(r)).session_id);
      if (r.status !== 404 || typeof given !== 'string' || seen.has(given)) return r;
      return renamed(await w.next(withBody(call, rest)));
    };
  }),
  named(
    'invoke says of a prompt that is delivered that it started a run',
    'the prompt is delivered into it and the status is steered',
    (w) =>
      w.ok('invoke', (body) => {
        if (body.status === 'steered') body.status = 'started';
      }),
  ),
  steerExtends,
  knowingRuns(
    {
      name: 'invoke answers when its run is over, or after ten minutes',
      quote: 'Starts a run on an intern and returns a session identifier at once.',
    },
    (runs) => (w) =>
      w.later('invoke', async (r, call) => {
        if (!r.ok) return undefined;
        const { session_id: session, status } = await bodyOf(r);
        if (status !== 'started') return undefined;
        const going = () =>
          goesOn(
            runs()
              .list(call.id.toLowerCase())
              .find((run) => run.session_id === session)?.status,
          );
        if (!going()) return undefined;
        w.hit();
        const { host } = w.setting;
        for (const end = host.now() + 600_000; going() && host.now() < end; ) await host.sleep(250);
        return undefined;
      }),
  ),
  knowingRuns(
    { name: 'a session is forgotten with the end of its run', quote: CONTINUES },
    (runs) => (w) =>
      w.instead('invoke', ({ id, body }) => {
        const of = runs()
          .list(id.toLowerCase())
          .filter(({ session_id, origin }) => session_id === body.session_id && origin === 'invoke');
        return of.length > 0 && !of.some(({ status }) => goesOn(status))
          ? failed(404, 'Session not found', 'not_found')
          : undefined;
      }),
  ),
  named('a session is found whatever its case', REFUSED, (w) =>
    knowingSessions(w, (call, issued) => {
      const { session_id: given } = call.body;
      if (typeof given !== 'string') return undefined;
      const known = issued.find(
        ({ session, id, who }) =>
          session !== given &&
          session.toLowerCase() === given.toLowerCase() &&
          id === call.id.toLowerCase() &&
          person(who) === person(call.who),
      );
      return known && withBody(call, { ...call.body, session_id: known.session });
    }),
  ),
];
