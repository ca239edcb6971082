import { rewritten } from '../../../emulator/wire/answer.js';
import { failed } from '../answers.js';
import type { Call } from '../call.js';
import type { Answer, Way } from '../world.js';
import { as, isPrompt, jsonIn, noting, pretending, recordOf, SECOND, sessionOf, way } from './helpers.js';

const ACCEPTS = 'Starts a run on one intern and answers 202 with the `session_id` once the intern accepts it.';
const AT_ONCE = 'The `invoke` operation starts a run on an intern and returns a session identifier at once.';
const PROGRESS = 'Nothing about progress returns on this request.';
const CONTINUES = 'Sending the same `session_id` later continues the conversation.';
const STEERED = 'If the session already has a run going, the prompt is delivered into it and the status is steered.';
const ISSUED = 'A `session_id` is accepted only from the caller it was issued to, on the same intern.';
const OTHERS = 'Any other, including sessions started from a chat tool or from the chat endpoint, is refused with 404.';
const PROMPT = 'When a prompt is sent to a session that already has a run going, the prompt is delivered into that run';

/** Tells of each session that invoke answers with. */
const issuing =
  (issued: (session: string, call: Call) => void, answer: Answer): Answer =>
  async (call, next) => {
    const response = await answer(call, next);
    const body = call.op === 'invoke' ? await jsonIn(response) : undefined;
    if (body !== undefined) issued(String(body.session_id), call);
    return response;
  };

const unknownSession = () => failed(404, 'Session not found', 'not_found');
const continues = ({ op, body }: Call) => op === 'invoke' && typeof body.session_id === 'string';

export const invoke: readonly Way[] = [
  way('invoke-200-when-continued', ACCEPTS, (w) => async (call, next) => {
    const response = await next();
    if (!continues(call) || response.status !== 202) return response;
    w.hit();
    return rewritten(response, { status: 200 });
  }),
  way('invoke-another-id-when-continued', CONTINUES, (w) =>
    w.ok('invoke', (body, call) => {
      if (continues(call)) body.session_id = crypto.randomUUID();
    }),
  ),
  way('invoke-taken-while-suspended', ACCEPTS, (w) =>
    w.later('invoke', async (response, { id, who, body }) =>
      response.status === 409 && body.session_id === undefined && (await recordOf(w, id, who))?.status === 'stopped'
        ? Response.json({ session_id: crypto.randomUUID(), status: 'started' }, { status: 202 })
        : undefined,
    ),
  ),
  way('invoke-held-when-continued', AT_ONCE, (w) => async (call, next) => {
    const response = await next();
    if (!continues(call) || !response.ok) return response;
    w.hit();
    await w.setting.host.sleep(20 * SECOND);
    return response;
  }),
  way('invoke-shows-the-run', PROGRESS, (w) =>
    w.ok('invoke', (body, call) => {
      if (continues(call)) body.progress = { step: 1, finished: false };
    }),
  ),
  way('invoke-steered-said-started', STEERED, (w) =>
    w.ok('invoke', (body) => {
      if (body.status === 'steered') body.status = 'started';
    }),
  ),
  way('invoke-steered-long-after', STEERED, (w) =>
    w.ok('invoke', (body, call) => {
      if (continues(call)) body.status = 'steered';
    }),
  ),
  way('invoke-takes-chat-sessions', OTHERS, (w) => {
    const chats = new Set<string>();
    return noting(
      ({ session }) => chats.add(session),
      (call, next) => (continues(call) && chats.has(sessionOf(call) ?? '') ? pretending(w, call, next) : next()),
    );
  }),
  way('invoke-takes-sessions-of-peers', ISSUED, (w) => {
    const owners = new Map<string, string>();
    return issuing(
      (session, { who }) => owners.set(session, owners.get(session) ?? who),
      async (call, next) => {
        const owner = owners.get(sessionOf(call) ?? '');
        if (!continues(call) || owner === undefined || owner === call.who) return next();
        const taken = await next(as(call, w.credentials[owner] ?? ''));
        if (taken.ok) w.hit();
        return taken.ok ? taken : next();
      },
    );
  }),
  way('invoke-takes-sessions-of-other-interns', ISSUED, (w) => {
    const homes = new Map<string, string>();
    return issuing(
      (session, { who, id }) => homes.set(`${who} ${session}`, homes.get(`${who} ${session}`) ?? id),
      (call, next) => {
        const home = homes.get(`${call.who} ${sessionOf(call)}`);
        return continues(call) && home !== undefined && home !== call.id ? pretending(w, call, next) : next();
      },
    );
  }),
  way('invoke-forbids-the-foreign', OTHERS, (w) => {
    const issued = new Set<string>();
    return issuing(
      (session) => issued.add(session),
      w.later('invoke', (response, call) =>
        response.status === 404 && issued.has(sessionOf(call) ?? '')
          ? failed(403, 'The session belongs to another caller', 'session_forbidden')
          : undefined,
      ),
    );
  }),
  way('invoke-session-lost-in-a-resume', CONTINUES, (w) => {
    const sessions = new Map<string, string>();
    const suspended = new Map<string, Set<string>>();
    return issuing(
      (session, { id }) => sessions.set(session, id),
      async (call, next) => {
        const lost = continues(call) && suspended.get(call.id)?.has(sessionOf(call) ?? '');
        if (lost) w.hit();
        const response = lost ? unknownSession() : await next();
        if (call.op === 'suspend' && response.ok)
          suspended.set(call.id, new Set([...sessions].filter(([, id]) => id === call.id).map(([session]) => session)));
        return response;
      },
    );
  }),
  way('invoke-remembers-three-sessions', CONTINUES, (w) => {
    const kept = new Map<string, string[]>();
    return issuing(
      (session, { id }) => kept.set(id, [...new Set([...(kept.get(id) ?? []), session])]),
      w.instead('invoke', (call) => {
        const at = (kept.get(call.id) ?? []).indexOf(sessionOf(call) ?? '');
        return at >= 0 && at < (kept.get(call.id) ?? []).length - 3 ? unknownSession() : undefined;
      }),
    );
  }),
  way('invoke-refused-session-is-issued', OTHERS, (w) => {
    const refused = new Set<string>();
    return async (call, next) => {
      if (!continues(call)) return next();
      const session = sessionOf(call) ?? '';
      if (refused.has(`${call.who} ${call.id} ${session}`)) return pretending(w, call, next);
      const response = await next();
      if (response.status === 404) refused.add(`${call.who} ${call.id} ${session}`);
      return response;
    };
  }),
  way('chat-steered-said-delivered', PROMPT, (w) =>
    w.json('chat', (body) => {
      if (body.status === 'steered') body.status = 'delivered';
    }),
  ),
  way('chat-steer-answered-busy', PROMPT, (w) =>
    w.later('chat', async (response, call) =>
      isPrompt(call) && response.status === 202 && (await jsonIn(response))?.status === 'steered'
        ? failed(409, 'The intern is busy with another turn', 'busy', true)
        : undefined,
    ),
  ),
  way('chat-steer-of-a-waiting-run-starts-another', PROMPT, (w) => {
    const waiting = new Set<string>();
    return noting(
      ({ session, question }) => (question === undefined ? waiting.delete(session) : waiting.add(session)),
      w.asked('chat', (call) => {
        const { session_id, ...body } = call.body;
        return isPrompt(call) && waiting.has(String(session_id)) ? body : undefined;
      }),
    );
  }),
];
