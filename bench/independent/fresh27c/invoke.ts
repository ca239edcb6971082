import { randomUUID } from 'node:crypto';
import { failed } from '../answers.js';
import { withBody } from '../call.js';
import type { Answer, Way, World } from '../world.js';
import { bodyOf, MEMBERS, now, sessionOf, withStatus } from './tools.js';

const ANSWERS = 'Starts a run on one intern and answers 202 with the `session_id` once the intern accepts it.';
const ONLY_FROM = 'A `session_id` is accepted only from the caller it was issued to, on the same intern.';
const CONTINUES = 'Sending the same `session_id` later continues the conversation.';
const unknown = () => failed(404, 'Session not found', 'not_found');

interface Started {
  readonly session: string;
  readonly who: string;
  readonly intern: string;
  readonly at: number;
}
/** Refuses later prompts to sessions that were started, by what is known of them. */
const forgetting = (w: World, forgets: (one: Started, all: readonly Started[]) => boolean): Answer => {
  const all: Started[] = [];
  return async (call, next) => {
    if (call.op !== 'invoke') return next();
    const one = all.find(
      ({ session, who, intern }) => session === sessionOf(call) && who === call.who && intern === call.id,
    );
    if (one !== undefined && forgets(one, all)) {
      w.hit();
      return unknown();
    }
    const response = await next();
    if (response.ok && one === undefined) {
      const { session_id } = await bodyOf(response);
      all.push({ session: String(session_id), who: call.who, intern: call.id, at: now(w) });
    }
    return response;
  };
};

export const invoke: readonly Way[] = [
  // plain
  {
    name: 'invoke-201',
    quote: ANSWERS,
    wrong: (w) =>
      w.later('invoke', (response, call) =>
        response.status === 202 && sessionOf(call) === '' ? withStatus(response, 201) : undefined,
      ),
  },
  // plain
  {
    name: 'invoke-names-a-run-instead',
    quote: ANSWERS,
    wrong: (w) =>
      w.ok('invoke', (body) => {
        body.run_id = body.session_id;
        delete body.session_id;
      }),
  },
  // subtle
  {
    name: 'invoke-odd-session-400',
    quote: 'Any other, including sessions started from a chat tool or from the chat endpoint, is refused with 404.',
    wrong: (w) =>
      w.later('invoke', (response, call) =>
        response.status === 404 && sessionOf(call) !== '' && !/^[0-9a-f-]{36}$/.test(sessionOf(call))
          ? failed(400, 'Invalid request body: session_id: expected a UUID', 'bad_request')
          : undefined,
      ),
  },
  // state
  {
    name: 'invoke-in-a-peers-session-403',
    quote: 'Any other, including sessions started from a chat tool or from the chat endpoint, is refused with 404.',
    wrong: (w) => {
      const owners = new Map<string, string>();
      return async (call, next) => {
        const response = await next();
        if (call.op !== 'invoke') return response;
        if (response.ok) {
          const session = String((await bodyOf(response)).session_id);
          if (!owners.has(session)) owners.set(session, call.who);
          return response;
        }
        const owner = owners.get(sessionOf(call));
        if (response.status !== 404 || owner === undefined || owner === call.who || call.who === 'foreign_api_key')
          return response;
        w.hit();
        return failed(403, 'The session is of another caller', 'forbidden');
      };
    },
  },
  // subtle
  {
    name: 'going-run-open-to-any-member',
    quote: ONLY_FROM,
    wrong: (w) => {
      const started = new Map<string, { readonly who: string; readonly intern: string; readonly at: number }>();
      return async (call, next) => {
        const response = await next();
        if (call.op !== 'invoke') return response;
        if (response.ok) {
          const session = String((await bodyOf(response)).session_id);
          if (!started.has(session)) started.set(session, { who: call.who, intern: call.id, at: now(w) });
          return response;
        }
        const known = started.get(sessionOf(call));
        if (response.status !== 404 || known === undefined || known.who === call.who || known.intern !== call.id)
          return response;
        if (!MEMBERS.includes(call.who) || now(w) - known.at > 5000) return response;
        const other = await w.ask('POST', `/interns/${call.id}/invoke`, { as: known.who, body: call.text });
        if (!other.ok) return response;
        w.hit();
        return other;
      };
    },
  },
  // state
  {
    name: 'invoke-taken-while-stopped',
    quote: ANSWERS,
    wrong: (w) =>
      w.later('invoke', (response) =>
        response.status === 409
          ? Response.json({ session_id: randomUUID(), status: 'started' }, { status: 202 })
          : undefined,
      ),
  },
  // subtle
  {
    name: 'invoke-keeps-the-last-session-alone',
    quote: CONTINUES,
    wrong: (w) =>
      forgetting(w, (one, all) => all.findLast(({ who, intern }) => who === one.who && intern === one.intern) !== one),
  },
  // subtle
  {
    name: 'invoke-forgets-in-twenty-minutes',
    quote: CONTINUES,
    wrong: (w) => forgetting(w, ({ at }) => now(w) - at > 20 * 60_000),
  },
  // state
  {
    name: 'invoke-forgets-with-a-suspension',
    quote: 'Stops the runtime, keeping disk and configuration.',
    wrong: (w) => {
      const suspended = new Map<string, number>();
      const answer = forgetting(w, ({ intern, at }) => (suspended.get(intern) ?? Number.NEGATIVE_INFINITY) >= at);
      return async (call, next) => {
        const response = await answer(call, next);
        if (call.op === 'suspend' && response.ok) suspended.set(call.id, now(w));
        return response;
      };
    },
  },
  // subtle
  {
    name: 'invoke-run-over-in-ten-minutes',
    quote:
      'A run started by `invoke` ends when the intern finishes it, or after its execution deadline, 1 hour by default.',
    wrong: (w) => {
      const started = new Map<unknown, number>();
      return w.ok('invoke', (body) => {
        const at = started.get(body.session_id);
        if (body.status !== 'steered' || at === undefined) started.set(body.session_id, now(w));
        else if (now(w) - at > 600_000) body.status = 'started';
      });
    },
  },
  // plain
  {
    name: 'invoke-later-always-steered',
    quote: 'If the session already has a run going, the prompt is delivered into it and the status is steered.',
    wrong: (w) =>
      w.ok('invoke', (body, call) => {
        if (sessionOf(call) !== '') body.status = 'steered';
      }),
  },
  // state
  {
    name: 'invoke-from-the-intern-itself-unremembered',
    quote: CONTINUES,
    wrong: (w) => forgetting(w, ({ who }) => who === 'own_key'),
  },
  // subtle
  {
    name: 'invoke-steer-opens-another-session',
    quote: 'If the session already has a run going, the prompt is delivered into it and the status is steered.',
    wrong: (w) => {
      const going = new Map<string, number>();
      return async (call, next) => {
        const at = call.op === 'invoke' ? going.get(`${call.who} ${call.id} ${sessionOf(call)}`) : undefined;
        if (at !== undefined && now(w) - at < 100) {
          const { session_id: _, ...rest } = call.body;
          w.hit();
          return next(withBody(call, rest));
        }
        const response = await next();
        if (call.op === 'invoke' && response.ok)
          going.set(`${call.who} ${call.id} ${(await bodyOf(response)).session_id}`, now(w));
        return response;
      };
    },
  },
];
