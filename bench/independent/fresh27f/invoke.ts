import { failed } from '../answers.js';
import { withBody } from '../call.js';
import type { Way } from '../world.js';
import { bodyOf } from './common.js';

const ACCEPTED = 'Starts a run on one intern and answers 202 with the `session_id` once the intern accepts it.';
const OTHERS = 'Any other, including sessions started from a chat tool or from the chat endpoint, is refused with 404.';
const LATER = 'Sending the same `session_id` later continues the conversation.';

export const invoke: readonly Way[] = [
  {
    name: 'invoke-201',
    quote: ACCEPTED,
    wrong: ({ later }) =>
      later('invoke', (response) =>
        response.status === 202 ? new Response(response.body, { status: 201, headers: response.headers }) : undefined,
      ),
  },
  {
    name: 'invoke-session-in-camel-case',
    quote: ACCEPTED,
    wrong: ({ ok }) =>
      ok('invoke', (body) => {
        body.sessionId = body.session_id;
        delete body.session_id;
      }),
  },
  {
    name: 'invoke-one-session-for-all',
    quote: ACCEPTED,
    wrong: ({ hit }) => {
      const last = new Map<string, unknown>();
      return async (call, next) => {
        if (call.op !== 'invoke') return next();
        const at = `${call.who} ${call.id}`;
        const again = call.body.session_id === undefined && last.has(at);
        if (again) hit();
        const response = await next(again ? withBody(call, { ...call.body, session_id: last.get(at) }) : undefined);
        if (response.ok) last.set(at, (await bodyOf(response)).session_id);
        return response;
      };
    },
  },
  {
    name: 'invoke-waits-for-the-run',
    quote: 'The `invoke` operation starts a run on an intern and returns a session identifier at once.',
    wrong: ({ hit, setting: { host } }) => {
      return async (call, next) => {
        const response = await next();
        if (call.op !== 'invoke' || response.status !== 202) return response;
        hit();
        await host.sleep(90_000);
        return response;
      };
    },
  },
  {
    name: 'invoke-malformed-session-400',
    quote: OTHERS,
    wrong: ({ later }) =>
      later('invoke', ({ status }, { body: { session_id: session } }) =>
        status === 404 && typeof session === 'string' && !/^[0-9a-f-]{36}$/i.test(session)
          ? failed(400, 'Invalid request body', 'invalid_body')
          : undefined,
      ),
  },
  {
    name: 'invoke-forgets-sessions-at-resume',
    quote: LATER,
    wrong: ({ hit }) => {
      const sessions = new Map<unknown, string>();
      const forgotten = new Set<unknown>();
      return async (call, next) => {
        if (call.op === 'invoke' && forgotten.has(call.body.session_id)) {
          hit();
          return failed(404, 'Session not found', 'not_found');
        }
        const response = await next();
        if (!response.ok) return response;
        if (call.op === 'invoke') sessions.set((await bodyOf(response)).session_id, call.id);
        if (call.op === 'suspend') for (const [session, id] of sessions) if (id === call.id) forgotten.add(session);
        return response;
      };
    },
  },
  {
    name: 'invoke-others-session-403',
    quote: 'A `session_id` is accepted only from the caller it was issued to, on the same intern.',
    wrong: ({ hit }) => {
      const issued = new Set<unknown>();
      return async (call, next) => {
        const response = await next();
        if (call.op !== 'invoke') return response;
        if (response.ok) issued.add((await bodyOf(response)).session_id);
        if (response.status !== 404 || !issued.has(call.body.session_id)) return response;
        hit();
        return failed(403, 'Session of another caller', 'forbidden');
      };
    },
  },
  {
    name: 'invoke-steered-ever-after',
    quote: 'If the session already has a run going, the prompt is delivered into it and the status is steered.',
    wrong: ({ ok }) => {
      const steered = new Set<unknown>();
      return ok('invoke', (body, call) => {
        if (body.status === 'steered') steered.add(call.body.session_id);
        else if (typeof body.status === 'string' && steered.has(call.body.session_id)) body.status = 'steered';
      });
    },
  },
  {
    name: 'invoke-refusal-uses-up-session',
    quote: LATER,
    wrong: ({ hit }) => {
      const spoilt = new Set<unknown>();
      const owners = new Map<unknown, string>();
      return async (call, next) => {
        const { session_id: session } = call.body;
        if (call.op !== 'invoke') return next();
        if (spoilt.has(session) && owners.get(session) === `${call.who} ${call.id}`) {
          hit();
          return failed(404, 'Session not found', 'not_found');
        }
        const response = await next();
        if (response.ok) owners.set((await bodyOf(response)).session_id, `${call.who} ${call.id}`);
        else if (response.status === 404 && owners.has(session)) spoilt.add(session);
        return response;
      };
    },
  },
];
