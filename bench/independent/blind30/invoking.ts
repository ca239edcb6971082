import { failed } from '../answers.js';
import type { Call } from '../call.js';
import type { Answer, Way, World } from '../world.js';
import { again, isFinal, sessionOf, way } from './helpers.js';

const ACCEPTS = 'Starts a run on one intern and answers 202 with the `session_id` once the intern accepts it.';
const CONTINUES = 'Sending the same `session_id` later continues the conversation.';
const STEERED = 'If the session already has a run going, the prompt is delivered into it and the status is steered.';
const ISSUED = 'A `session_id` is accepted only from the caller it was issued to, on the same intern.';
const REFUSED =
  'Any other, including sessions started from a chat tool or from the chat endpoint, is refused with 404.';

interface Issued {
  readonly who: string;
  readonly id: string;
}

/** Knows to whom sessions were issued; `refused` may serve what was refused by 404. */
const knowing = (
  w: World,
  refused: (call: Call, issued: Issued | undefined) => Promise<Response> | undefined,
): Answer => {
  const sessions = new Map<unknown, Issued>();
  return async (call, next) => {
    const r = await next();
    if (call.op !== 'invoke') return r;
    if (r.ok) {
      const { session_id } = (await r.clone().json()) as { session_id: unknown };
      if (!sessions.has(session_id)) sessions.set(session_id, { who: call.who, id: call.id });
      return r;
    }
    const session = sessionOf(call);
    const other = r.status === 404 && session !== undefined ? await refused(call, sessions.get(session)) : undefined;
    if (!other?.ok) return r;
    w.hit();
    return other;
  };
};
/** Starts another session, and answers with the one that was named. */
const startsAs = async (w: World, call: Call): Promise<Response> => {
  const { session_id, ...rest } = call.body;
  const started = await again(w, call, { body: rest });
  return started.ok ? Response.json({ ...((await started.json()) as object), session_id }, { status: 202 }) : started;
};

export const invoking: readonly Way[] = [
  way('invoke-answers-200-in-a-session', ACCEPTS, (w) =>
    w.later('invoke', (r, call) =>
      r.status === 202 && sessionOf(call) ? new Response(r.body, { status: 200, headers: r.headers }) : undefined,
    ),
  ),
  way('session-goes-on-as-another', CONTINUES, (w) =>
    w.later('invoke', (r, call) => {
      const { session_id, ...rest } = call.body;
      return r.ok && session_id !== undefined ? again(w, call, { body: rest }) : undefined;
    }),
  ),
  way('session-ends-with-a-suspend', CONTINUES, (w) => {
    const issued = new Map<unknown, string>();
    const ended = new Set<unknown>();
    return async (call, next) => {
      if (call.op === 'invoke' && ended.has(sessionOf(call))) {
        w.hit();
        return failed(404, 'Session not found', 'not_found');
      }
      const r = await next();
      if (call.op === 'invoke' && r.ok)
        issued.set(((await r.clone().json()) as { session_id: unknown }).session_id, call.id);
      if (call.op === 'suspend' && r.ok) for (const [session, id] of issued) if (id === call.id) ended.add(session);
      return r;
    };
  }),
  way('steered-prompt-is-said-to-start', STEERED, (w) =>
    w.ok('invoke', (body) => {
      if (body.status === 'steered') body.status = 'started';
    }),
  ),
  way('session-of-another-caller-is-continued', ISSUED, (w) =>
    knowing(w, (call, issued) =>
      issued && issued.who !== call.who && issued.id === call.id ? again(w, call, { as: issued.who }) : undefined,
    ),
  ),
  way('session-of-another-intern-is-taken-over', ISSUED, (w) =>
    knowing(w, (call, issued) =>
      issued && issued.who === call.who && issued.id !== call.id ? startsAs(w, call) : undefined,
    ),
  ),
  way('session-of-a-chat-is-continued', REFUSED, (w) => {
    const chats = new Set<unknown>();
    const notes = w.stream(() => (_, chunk) => {
      if (isFinal(chunk)) chats.add(chunk.session_id);
      return undefined;
    });
    const serves = knowing(w, (call) => (chats.has(sessionOf(call)) ? startsAs(w, call) : undefined));
    return (call, next) => (call.op === 'chat' ? notes(call, next) : serves(call, next));
  }),
  way('unknown-session-is-started', REFUSED, (w) =>
    knowing(w, (call, issued) => (issued === undefined ? startsAs(w, call) : undefined)),
  ),
];
