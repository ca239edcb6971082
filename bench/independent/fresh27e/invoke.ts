import { failed } from '../answers.js';
import { withBody } from '../call.js';
import { bodyOf, edited, type Fresh, now } from './shared.js';

const AT_ONCE = 'Starts a run on one intern and answers 202 with the `session_id` once the intern accepts it.';
const LATER = 'Sending the same `session_id` later continues the conversation.';
const ONLY = 'A `session_id` is accepted only from the caller it was issued to, on the same intern.';

export const invoke: Fresh = {
  'invoke-201-for-a-new-session': {
    quote: AT_ONCE,
    wrong: (w) =>
      w.later('invoke', (response, { body }) =>
        response.status === 202 && body.session_id === undefined
          ? new Response(response.body, { status: 201, headers: response.headers })
          : undefined,
      ),
  },
  'invoke-id-of-the-run': {
    quote: AT_ONCE,
    wrong: (w) =>
      w.ok('invoke', (body) => {
        if (typeof body.session_id !== 'string') return;
        body.id = body.session_id;
        delete body.session_id;
      }),
  },
  'invoke-steered-without-session': {
    quote: AT_ONCE,
    wrong: (w) =>
      w.ok('invoke', (body) => {
        if (body.status === 'steered') delete body.session_id;
      }),
  },
  'invoke-joins-a-run-of-this-moment': {
    quote: AT_ONCE,
    wrong: (w) => {
      const last = new Map<string, { at: number; session: unknown }>();
      return async (call, next) => {
        if (call.op !== 'invoke' || call.body.session_id !== undefined) return next();
        const at = `${call.who} ${call.id}`;
        const before = last.get(at);
        if (before !== undefined && now(w) - before.at < 2000) {
          w.hit();
          return next(withBody(call, { ...call.body, session_id: before.session }));
        }
        const response = await next();
        if (response.ok) last.set(at, { at: now(w), session: (await bodyOf(response)).session_id });
        return response;
      };
    },
  },
  'invoke-session-of-the-intern-before': {
    quote: AT_ONCE,
    wrong: (w) => {
      const last = new Map<string, { id: string; session: unknown }>();
      return async (call, next) => {
        const response = await next();
        if (call.op !== 'invoke' || !response.ok || call.body.session_id !== undefined) return response;
        const before = last.get(call.who);
        last.set(call.who, { id: call.id, session: (await bodyOf(response)).session_id });
        if (before === undefined || before.id === call.id) return response;
        return edited(w, response, (body) => {
          body.session_id = before.session;
        });
      };
    },
  },
  'invoke-session-burnt-by-a-stranger': {
    quote: ONLY,
    wrong: (w) => {
      const burnt = new Set<unknown>();
      return async (call, next) => {
        const { session_id } = call.body;
        if (call.op !== 'invoke' || session_id === undefined) return next();
        const response = await next();
        if (response.status === 404) burnt.add(session_id);
        if (!response.ok || !burnt.has(session_id)) return response;
        w.hit();
        return failed(404, 'Session not found', 'not_found');
      };
    },
  },
  'invoke-foreign-session-403': {
    quote:
      "404 for callers outside the programme, for an intern's own key on any other intern or on the collection, and for a foreign or unknown `session_id` in invoke.",
    wrong: (w) => {
      const known = new Set<unknown>();
      return async (call, next) => {
        const response = await next();
        if (call.op !== 'invoke') return response;
        if (response.ok) known.add((await bodyOf(response)).session_id);
        if (response.status !== 404 || !known.has(call.body.session_id)) return response;
        w.hit();
        return failed(403, 'The session is of another caller', 'forbidden');
      };
    },
  },
  'invoke-session-without-case': {
    quote: ONLY,
    wrong: (w) =>
      w.asked('invoke', ({ body }) => {
        if (typeof body.session_id !== 'string') return undefined;
        const plain = body.session_id.trim().toLowerCase();
        return plain === body.session_id ? undefined : { ...body, session_id: plain };
      }),
  },
  'invoke-session-lost-on-suspension': {
    quote: LATER,
    wrong: (w) => {
      const of = new Map<unknown, string>();
      return async (call, next) => {
        const response = await next();
        if (call.op === 'suspend' && response.ok)
          for (const [session, id] of of) if (id === call.id) of.set(session, '');
        if (call.op !== 'invoke' || !response.ok) return response;
        if (call.body.session_id !== undefined && of.get(call.body.session_id) === '') {
          w.hit();
          return failed(404, 'Session not found', 'not_found');
        }
        of.set((await bodyOf(response)).session_id, call.id);
        return response;
      };
    },
  },
  'invoke-session-good-for-two-minutes': {
    quote: LATER,
    wrong: (w) => {
      const since = new Map<unknown, number>();
      return async (call, next) => {
        const response = await next();
        if (call.op !== 'invoke' || !response.ok) return response;
        const { session_id } = await bodyOf(response);
        const start = since.get(session_id) ?? now(w);
        since.set(session_id, start);
        if (now(w) - start < 120_000) return response;
        w.hit();
        return failed(404, 'Session not found', 'not_found');
      };
    },
  },
  'invoke-session-of-the-latest-run-only': {
    quote: LATER,
    wrong: (w) => {
      const latest = new Map<string, unknown>();
      return async (call, next) => {
        const response = await next();
        if (call.op !== 'invoke' || !response.ok) return response;
        const at = `${call.who} ${call.id}`;
        const { session_id } = call.body;
        if (session_id !== undefined && latest.has(at) && latest.get(at) !== session_id) {
          w.hit();
          return failed(404, 'Session not found', 'not_found');
        }
        latest.set(at, (await bodyOf(response)).session_id);
        return response;
      };
    },
  },
  'invoke-steered-whether-or-not-it-runs': {
    quote: 'If the session already has a run going, the prompt is delivered into it and the status is steered.',
    wrong: (w) =>
      w.ok('invoke', (body, { body: sent }) => {
        if (sent.session_id !== undefined && typeof body.status === 'string') body.status = 'steered';
      }),
  },
  'invoke-unknown-session-400': {
    quote: 'Any other, including sessions started from a chat tool or from the chat endpoint, is refused with 404.',
    wrong: (w) =>
      w.later('invoke', (response, { body }) =>
        response.status === 404 && typeof body.session_id === 'string' && !/^[0-9a-f-]{36}$/i.test(body.session_id)
          ? failed(400, 'Invalid request body', 'invalid_body')
          : undefined,
      ),
  },
};
