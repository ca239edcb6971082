import { failed } from '../answers.js';
import { withBody } from '../call.js';
import { bodyOf, OTHER_ID, type Part, remade } from './parts.js';

export const invoke: Part = {
  'invoke-200': {
    quote: 'Starts a run on one intern and answers 202 with the `session_id` once the intern accepts it.',
    wrong: (w) =>
      w.later('invoke', async (response, { body }) =>
        response.status === 202 && !('session_id' in body)
          ? remade(response, await response.clone().text(), 200)
          : undefined,
      ),
  },
  'invoke-id-of-run': {
    quote: 'answers 202 with the `session_id` once the intern accepts it.',
    wrong: (w) =>
      w.ok('invoke', (body) => {
        body.run_id = body.session_id;
        delete body.session_id;
      }),
  },
  'invoke-reuses-the-session': {
    quote: 'Starts a run on one intern and answers 202 with the `session_id`',
    // A prompt without a session goes on with the caller's last one.
    wrong: (w) => {
      const last = new Map<string, unknown>();
      return async (call, next) => {
        if (call.op !== 'invoke') return next();
        const key = `${call.who} ${call.id}`;
        const before = last.get(key);
        if (before !== undefined && !('session_id' in call.body)) {
          w.hit();
          return next(withBody(call, { ...call.body, session_id: before }));
        }
        const response = await next();
        if (response.ok) last.set(key, (await bodyOf(response)).session_id);
        return response;
      };
    },
  },
  'invoke-answers-earlier-session': {
    quote: 'answers 202 with the `session_id` once the intern accepts it.',
    // The id given is that of the caller's session on another intern.
    wrong: (w) => {
      const last = new Map<string, { readonly id: string; readonly session: unknown }>();
      return w.ok('invoke', (body, { id, who }) => {
        const before = last.get(who);
        last.set(who, { id, session: body.session_id });
        if (before !== undefined && before.id !== id) body.session_id = before.session;
      });
    },
  },
  'invoke-foreign-session-403': {
    quote: '404 for callers outside the programme, for an intern',
    wrong: (w) =>
      w.later('invoke', (response, { body, who }) =>
        response.status === 404 && typeof body.session_id === 'string' && who === 'api_key'
          ? failed(403, 'Session belongs to another caller', 'forbidden')
          : undefined,
      ),
  },
  'invoke-unknown-session-400': {
    quote: 'for a foreign or unknown `session_id` in invoke.',
    // A session that is no UUID is an invalid body.
    wrong: (w) =>
      w.later('invoke', (response, { body }) =>
        response.status === 404 && typeof body.session_id === 'string' && !/^[0-9a-f-]{36}$/i.test(body.session_id)
          ? failed(400, 'Invalid request body', 'invalid_body')
          : undefined,
      ),
  },
  'invoke-unknown-session-202': {
    quote: 'A `session_id` is accepted only from the caller it was issued to, on the same intern.',
    // The answer is given before the session is looked up.
    wrong: (w) =>
      w.later('invoke', (response, { body }) =>
        response.status === 404 && typeof body.session_id === 'string'
          ? Response.json({ session_id: body.session_id, status: 'steered' }, { status: 202 })
          : undefined,
      ),
  },
  'invoke-session-without-case': {
    quote: 'A `session_id` is accepted only from the caller it was issued to, on the same intern.',
    wrong: (w) => {
      const known = new Map<string, string>();
      return async (call, next) => {
        if (call.op !== 'invoke') return next();
        const sent = call.body.session_id;
        const same = typeof sent === 'string' ? known.get(`${call.who} ${call.id} ${sent.toLowerCase()}`) : undefined;
        if (same !== undefined && same !== sent) {
          w.hit();
          return next(withBody(call, { ...call.body, session_id: same }));
        }
        const response = await next();
        if (!response.ok) return response;
        const id = String((await bodyOf(response)).session_id);
        known.set(`${call.who} ${call.id} ${id.toLowerCase()}`, id);
        return response;
      };
    },
  },
  'invoke-session-trimmed': {
    quote: 'Any other, including sessions started from a chat tool or from the chat endpoint, is refused with 404.',
    wrong: (w) =>
      w.asked('invoke', ({ body }) =>
        typeof body.session_id === 'string' &&
        body.session_id !== body.session_id.trim() &&
        body.session_id.trim() !== ''
          ? { ...body, session_id: body.session_id.trim() }
          : undefined,
      ),
  },
  'invoke-session-only-once-more': {
    quote: 'Sending the same `session_id` later continues the conversation.',
    wrong: (w) => {
      const times = new Map<string, number>();
      return w.later('invoke', (response, { body }) => {
        const session = String(body.session_id);
        if (response.status !== 202 || body.session_id === undefined) return undefined;
        times.set(session, (times.get(session) ?? 0) + 1);
        return (times.get(session) ?? 0) > 1 ? failed(404, 'Session not found', 'not_found') : undefined;
      });
    },
  },
  'invoke-session-of-two-minutes': {
    quote: 'Sending the same `session_id` later continues the conversation.',
    wrong: (w) => {
      const begun = new Map<string, number>();
      return w.later('invoke', async (response, { body }) => {
        if (response.status !== 202) return undefined;
        const now = w.setting.host.now();
        const session = String(body.session_id ?? (await bodyOf(response)).session_id);
        const at = begun.get(session);
        if (at === undefined) begun.set(session, now);
        return at !== undefined && now - at > 120_000 ? failed(404, 'Session not found', 'not_found') : undefined;
      });
    },
  },
  'invoke-steered-loses-session': {
    quote: 'If the session already has a run going, the prompt is delivered into it and the status is steered.',
    wrong: (w) =>
      w.ok('invoke', (body) => {
        if (body.status === 'steered') delete body.session_id;
      }),
  },
  'invoke-always-steered-later': {
    quote: 'If the session already has a run going, the prompt is delivered into it and the status is steered.',
    // A later prompt counts as steered though the run has ended.
    wrong: (w) =>
      w.ok('invoke', (body, call) => {
        if (call.body.session_id !== undefined && 'status' in body) body.status = 'steered';
      }),
  },
  'invoke-tells-progress': {
    quote: 'Nothing about progress returns on this request.',
    wrong: (w) =>
      w.ok('invoke', (body) => {
        body.progress = { percent: 0, output: '' };
      }),
  },
  'invoke-own-key-other-session': {
    quote: 'answers 202 with the `session_id` once the intern accepts it.',
    // The id given to an intern's own key is made up.
    wrong: (w) =>
      w.ok('invoke', (body, { who }) => {
        if (who === 'own_key' && 'session_id' in body) body.session_id = OTHER_ID;
      }),
  },
  'invoke-stream': {
    quote: 'returns a session identifier at once.',
    // The answer is an event of a stream where the client takes streams.
    wrong: (w) =>
      w.later('invoke', async (response, { request }) =>
        response.status === 202 && !/^application\/json$/.test(request.headers.get('accept') ?? '')
          ? new Response(`data: ${await response.clone().text()}\n\ndata: [DONE]\n\n`, {
              status: 202,
              headers: { 'content-type': 'text/event-stream' },
            })
          : undefined,
      ),
  },
};
