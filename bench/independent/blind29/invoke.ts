import { type Json, withBody } from '../call.js';
import { as, bodyOf, person, shown } from '../newer/tools.js';
import type { Answer, Way, World } from '../world.js';
import { heard, isLast, named, session } from './tools.js';

const _ACCEPTED = 'Starts a run on one intern and answers 202 with the `session_id` once the intern accepts it.';
const STEERED = 'If the session already has a run going, the prompt is delivered into it and the status is steered.';
const ONLY = 'A `session_id` is accepted only from the caller it was issued to, on the same intern.';
const DEADLINE =
  'A run started by `invoke` ends when the intern finishes it, or after its execution deadline, 1 hour by default.';
const _CONTINUES = 'Sending the same `session_id` later continues the conversation.';
const HOUR = 3_600_000;

interface Run {
  readonly started: number;
  steered: number;
}
/** Invocations that were accepted, with the run that their session had before. */
const accepted = (w: World, then: (body: Json, r: Response, run: Run, now: number) => Response | undefined): Answer => {
  const runs = new Map<string, Run>();
  return async (call, next) => {
    const r = await next();
    if (call.op !== 'invoke' || !r.ok) return r;
    const body = await bodyOf(r);
    const id = String(body.session_id);
    const now = w.setting.host.now();
    const before = runs.get(id);
    const run = before ?? { started: now, steered: now };
    const other = then(body, r, run, now);
    if (other) w.hit();
    if (body.status === 'steered') run.steered = now;
    else runs.set(id, { started: now, steered: now });
    if (!runs.has(id)) runs.set(id, run);
    return other ?? r;
  };
};
/** A prompt that is refused for its session is sent in another form. */
const unrefused =
  (w: World, other: (call: Parameters<Answer>[0], id: string) => Request | undefined): Answer =>
  async (call, next) => {
    const r = await next();
    const id = session(call);
    if (call.op !== 'invoke' || r.status !== 404 || id === '') return r;
    const request = other(call, id);
    const given = request && (await w.next(request));
    if (!given?.ok) return r;
    w.hit();
    return given;
  };

export const invocations: readonly Way[] = [
  named('the second prompt into a run is said to have started one', STEERED, (w) => {
    const times = new Map<unknown, number>();
    return accepted(w, (body, r) => {
      if (body.status !== 'steered') return undefined;
      const time = (times.get(body.session_id) ?? 0) + 1;
      times.set(body.session_id, time);
      return time > 1 ? Response.json({ ...body, status: 'started' }, { status: r.status }) : undefined;
    });
  }),
  named('an invoked run is over after half an hour', DEADLINE, (w) =>
    accepted(w, (body, r, { started }, now) =>
      body.status === 'steered' && now - started > HOUR / 2
        ? Response.json({ ...body, status: 'started' }, { status: r.status })
        : undefined,
    ),
  ),
  named('a prompt into a run begins its hour anew', DEADLINE, (w) =>
    accepted(w, (body, r, { started, steered }, now) =>
      body.status !== 'steered' && steered > started && now - started >= HOUR && now - steered < HOUR
        ? Response.json({ ...body, status: 'steered' }, { status: r.status })
        : undefined,
    ),
  ),
  named('a session that was continued once is for everybody', ONLY, (w) => {
    const runs = new Map<string, string>();
    const open = unrefused(w, (call, id) => {
      const who = runs.get(id);
      return who !== undefined && person(who) !== person(call.who) ? as(w, call, who) : undefined;
    });
    return async (call, next) => {
      const r = await open(call, next);
      if (call.op === 'invoke' && r.ok && session(call) !== '' && !runs.has(session(call)))
        runs.set(session(call), call.who);
      return r;
    };
  }),
  named('a session of one intern is accepted on another', ONLY, (w) => {
    const issued = new Map<string, string>();
    return async (call, next) => {
      const r = await next();
      if (call.op !== 'invoke') return r;
      if (r.ok) issued.set(String((await bodyOf(r)).session_id), person(call.who));
      if (r.status !== 404 || issued.get(session(call)) !== person(call.who) || !(await shown(w, call))) return r;
      const { session_id, ...rest } = call.body;
      const other = await w.next(withBody(call, rest));
      if (!other.ok) return r;
      w.hit();
      return Response.json({ session_id, status: 'started' }, { status: 202 });
    };
  }),
  named(
    'the session of a chat that is over is accepted',
    'including sessions started from a chat tool or from the chat endpoint',
    (w) => {
      const chats = new Set<string>();
      const open = unrefused(w, (call, id) => {
        const { session_id, ...rest } = call.body;
        return chats.has(`${person(call.who)} ${id}`) ? withBody(call, rest) : undefined;
      });
      return async (call, next) => {
        const r = await open(call, next);
        if (call.op !== 'chat' || r.status !== 200) return r;
        return heard(r, (chunk) => {
          if (isLast(chunk) && chunk.usage) chats.add(`${person(call.who)} ${String(chunk.session_id)}`);
        });
      };
    },
  ),
  named('an intern that is not up accepts an invocation', 'once the intern accepts it', (w) =>
    w.later('invoke', (r) =>
      r.status === 409
        ? Response.json({ session_id: crypto.randomUUID(), status: 'started' }, { status: 202 })
        : undefined,
    ),
  ),
];
