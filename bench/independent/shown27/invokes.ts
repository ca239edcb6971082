import { failed } from '../answers.js';
import { type Call, withBody, withHeaders } from '../call.js';
import type { Next, Way, World } from '../world.js';
import { bearer, bodyOf, isFinal, now, saying, seen } from './service.js';

const ONLY = 'A `session_id` is accepted only from the caller it was issued to, on the same intern.';
const STEERED = 'If the session already has a run going, the prompt is delivered into it and the status is steered.';

interface Issued {
  readonly who: string;
  readonly id: string;
  readonly at: number;
}
/** Remembers to whom invoke gave each session. */
async function remembered(w: World, issued: Map<string, Issued>, call: Call, next: Next): Promise<Response> {
  const response = await next();
  if (call.op !== 'invoke' || !response.ok) return response;
  const session = String((await bodyOf(response)).session_id);
  if (!issued.has(session)) issued.set(session, { who: call.who, id: call.id, at: now(w) });
  return response;
}
/** Starts a run of its own and calls it that of the session. */
async function pretended(w: World, call: Call, next: Next): Promise<Response> {
  const { session_id, ...rest } = call.body;
  const response = await next(withBody(call, rest));
  if (!response.ok) return response;
  w.hit();
  return saying(response, { ...(await bodyOf(response)), session_id });
}

export const invokes: readonly Way[] = [
  {
    name: 'invoke-continued-answers-200',
    quote: 'Starts a run on one intern and answers 202 with the `session_id` once the intern accepts it.',
    wrong: (w) =>
      w.later('invoke', async (response, call) =>
        response.status === 202 && call.body.session_id !== undefined
          ? saying(response, await bodyOf(response), 200)
          : undefined,
      ),
  },
  {
    name: 'invoke-session-of-another-intern',
    quote: ONLY,
    wrong: (w) => {
      const issued = new Map<string, Issued>();
      return (call, next) => {
        const known = issued.get(String(call.body.session_id));
        return call.op === 'invoke' && known && known.who === call.who && known.id !== call.id
          ? pretended(w, call, next)
          : remembered(w, issued, call, next);
      };
    },
  },
  {
    name: 'invoke-session-of-chat',
    quote: 'Any other, including sessions started from a chat tool or from the chat endpoint, is refused with 404.',
    wrong: (w) => {
      const chats = new Set<string>();
      const learn = w.stream(() => (_, chunk) => {
        if (isFinal(chunk)) chats.add(String(chunk.session_id));
        return undefined;
      });
      return (call, next) =>
        call.op === 'invoke' && chats.has(String(call.body.session_id)) ? pretended(w, call, next) : learn(call, next);
    },
  },
  {
    name: 'invoke-session-of-another-caller-later',
    quote: ONLY,
    wrong: (w) => {
      const issued = new Map<string, Issued>();
      return (call, next) => {
        const known = issued.get(String(call.body.session_id));
        if (call.op !== 'invoke' || !known || known.who === call.who || known.id !== call.id)
          return remembered(w, issued, call, next);
        if (!/^(peer_)?(api_key|oauth_token)$/.test(call.who) || now(w) - known.at < 2_000) return next();
        w.hit();
        return next(withHeaders(call, { authorization: bearer(w, known.who) }));
      };
    },
  },
  {
    name: 'invoke-suspended-accepted',
    quote: 'answers 202 with the `session_id` once the intern accepts it',
    wrong: (w) =>
      w.later('invoke', async (response, { id, who }) =>
        response.status === 409 && (await seen(w, id, who))?.status === 'stopped'
          ? Response.json({ session_id: crypto.randomUUID(), status: 'started' }, { status: 202 })
          : undefined,
      ),
  },
  {
    name: 'invoke-steered-says-started',
    quote: STEERED,
    wrong: (w) =>
      w.ok('invoke', (body) => {
        if (body.status === 'steered') body.status = 'started';
      }),
  },
  {
    name: 'invoke-sessions-end-with-suspension',
    quote: 'Sending the same `session_id` later continues the conversation.',
    wrong: (w) => {
      const issued = new Map<string, Issued>();
      const suspended = new Map<string, number>();
      return async (call, next) => {
        const known = issued.get(String(call.body.session_id));
        if (call.op === 'invoke' && known && known.at < (suspended.get(call.id) ?? 0)) {
          w.hit();
          return failed(404, 'Session not found', 'not_found');
        }
        const response = await remembered(w, issued, call, next);
        if (call.op === 'suspend' && response.ok) suspended.set(call.id, now(w));
        return response;
      };
    },
  },
];
