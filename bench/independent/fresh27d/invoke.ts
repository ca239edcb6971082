import { failed } from '../answers.js';
import { type Area, OTHER_SESSION, recordOf, sessionOf } from './form.js';

const CONTINUES = 'Sending the same `session_id` later continues the conversation.';
const FOREIGN =
  'A `session_id` is accepted only from the caller it was issued to, on the same intern. Any other, including sessions started from a chat tool or from the chat endpoint, is refused with 404.';
const ACCEPTED = 'Starts a run on one intern and answers 202 with the `session_id` once the intern accepts it.';

export const invoke: Area = {
  'invoke-joins-the-last-session': {
    quote: ACCEPTED,
    wrong: (world) => {
      const last = new Map<string, unknown>();
      return async (call, next) => {
        const key = `${call.who} ${call.id}`;
        if (call.op !== 'invoke') return next();
        const known = last.get(key);
        if (known !== undefined && call.body.session_id === undefined && call.text !== '') {
          world.hit();
          return world.ask('POST', `/interns/${call.id}/invoke`, {
            as: call.who,
            body: { ...call.body, session_id: known },
          });
        }
        const response = await next();
        if (response.status === 202) last.set(key, (await recordOf(response)).session_id);
        return response;
      };
    },
  },
  'invoke-names-the-session-before': {
    quote: ACCEPTED,
    wrong: (world) => {
      let before: unknown;
      return world.ok('invoke', (body) => {
        const own = body.session_id;
        if (before !== undefined && before !== own) body.session_id = before;
        before = own;
      });
    },
  },
  'invoke-names-no-session-when-steered': {
    quote: ACCEPTED,
    wrong: ({ ok }) =>
      ok('invoke', (body) => {
        if (body.status === 'steered') delete body.session_id;
      }),
  },
  'invoke-session-in-camel-case': {
    quote: ACCEPTED,
    wrong: ({ ok }) =>
      ok('invoke', (body) => {
        body.sessionId = body.session_id;
        delete body.session_id;
      }),
  },
  'invoke-first-201': {
    quote: ACCEPTED,
    wrong: ({ later }) =>
      later('invoke', async (response, call) =>
        response.status === 202 && sessionOf(call) === undefined
          ? Response.json(await recordOf(response), { status: 201 })
          : undefined,
      ),
  },
  'invoke-odd-session-400': {
    quote: FOREIGN,
    wrong: ({ later }) =>
      later('invoke', (response, call) => {
        const session = sessionOf(call);
        return response.status === 404 && session !== undefined && !/^[0-9a-f-]{36}$/i.test(session)
          ? failed(400, 'Invalid session_id', 'invalid_body')
          : undefined;
      }),
  },
  'invoke-foreign-session-403': {
    quote: FOREIGN,
    wrong: (world) => {
      const issued = new Set<string>();
      return world.later('invoke', async (response, call) => {
        if (response.status === 202) issued.add(String((await recordOf(response)).session_id));
        return response.status === 404 && issued.has(sessionOf(call) ?? '')
          ? failed(403, 'Session belongs to another caller', 'forbidden')
          : undefined;
      });
    },
  },
  'invoke-foreign-session-refused-but-prompted': {
    quote: FOREIGN,
    wrong: (world) => {
      const issued = new Map<string, { who: string; id: string }>();
      return world.later('invoke', async (response, call) => {
        if (response.status === 202)
          issued.set(String((await recordOf(response)).session_id), { who: call.who, id: call.id });
        const owner = issued.get(sessionOf(call) ?? '');
        if (response.status !== 404 || owner === undefined || owner.who === call.who) return undefined;
        const sent = await world.ask('POST', `/interns/${owner.id}/invoke`, { as: owner.who, body: call.text });
        if (sent.status === 202) world.hit();
        return undefined;
      });
    },
  },
  'invoke-session-compared-without-case': {
    quote: FOREIGN,
    wrong: ({ asked }) =>
      asked('invoke', (call) => {
        const session = sessionOf(call);
        return session !== undefined && session !== session.toLowerCase()
          ? { ...call.body, session_id: session.toLowerCase() }
          : undefined;
      }),
  },
  'invoke-session-trimmed': {
    quote: FOREIGN,
    wrong: ({ asked }) =>
      asked('invoke', (call) => {
        const session = sessionOf(call);
        return session !== undefined && session !== session.trim()
          ? { ...call.body, session_id: session.trim() }
          : undefined;
      }),
  },
  'invoke-session-lost-at-suspend': {
    quote: CONTINUES,
    wrong: (world) => {
      const issued = new Map<string, string>();
      const lost = new Set<string>();
      return async (call, next) => {
        if (call.op === 'invoke' && lost.has(sessionOf(call) ?? '')) {
          world.hit();
          return failed(404, 'Session not found', 'not_found');
        }
        const response = await next();
        if (call.op === 'invoke' && response.status === 202)
          issued.set(String((await recordOf(response)).session_id), call.id);
        if (call.op === 'suspend' && response.ok)
          for (const [session, id] of issued) if (id === call.id) lost.add(session);
        return response;
      };
    },
  },
  'invoke-session-lost-after-a-minute': {
    quote: CONTINUES,
    wrong: (world) => {
      const issued = new Map<string, number>();
      const { host } = world.setting;
      return world.later('invoke', async (response, call) => {
        if (response.status !== 202) return undefined;
        const session = String((await recordOf(response)).session_id);
        const at = issued.get(session);
        if (at === undefined) issued.set(session, host.now());
        return at !== undefined && sessionOf(call) !== undefined && host.now() - at > 60_000
          ? failed(404, 'Session not found', 'not_found')
          : undefined;
      });
    },
  },
  'invoke-session-good-for-two-prompts': {
    quote: CONTINUES,
    wrong: (world) => {
      const prompts = new Map<string, number>();
      return world.later('invoke', (response, call) => {
        const session = sessionOf(call);
        if (response.status !== 202 || session === undefined) return undefined;
        prompts.set(session, (prompts.get(session) ?? 0) + 1);
        return (prompts.get(session) ?? 0) > 1 ? failed(404, 'Session not found', 'not_found') : undefined;
      });
    },
  },
  'invoke-idle-session-says-steered': {
    quote: 'If the session already has a run going, the prompt is delivered into it and the status is steered.',
    wrong: ({ ok }) =>
      ok('invoke', (body, call) => {
        if (sessionOf(call) !== undefined && typeof body.status === 'string') body.status = 'steered';
      }),
  },
  'invoke-session-of-nobody-made-up': {
    quote: ACCEPTED,
    wrong: ({ ok }) =>
      ok('invoke', (body, call) => {
        if (sessionOf(call) === undefined && call.who === 'peer_api_key') body.session_id = OTHER_SESSION;
      }),
  },
};
