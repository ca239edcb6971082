import { failed } from '../answers.js';
import { withBody } from '../call.js';
import type { Answer, Way, World } from '../world.js';
import { answering, bodyOf, way } from './form.js';

const OWNER = 'A `session_id` is accepted only from the caller it was issued to, on the same intern.';
const FOREIGN =
  'Any other, including sessions started from a chat tool or from the chat endpoint, is refused with 404.';

interface Issued {
  readonly who: string;
  readonly id: string;
}

/** Takes sessions that the lawful service refuses, where `takes` says so. */
const taking = (w: World, takes: (issued: Issued | undefined, now: Issued) => boolean): Answer => {
  const issued = new Map<string, Issued>();
  return async (call, next) => {
    const response = await next();
    if (call.op !== 'invoke') return response;
    const { session_id, ...rest } = call.body;
    const now = { who: call.who, id: call.id };
    if (response.ok) {
      const given = (await bodyOf(response)).session_id;
      if (typeof given === 'string' && !issued.has(given)) issued.set(given, now);
      return response;
    }
    if (response.status !== 404 || typeof session_id !== 'string' || !takes(issued.get(session_id), now))
      return response;
    const other = await next(withBody(call, rest));
    if (!other.ok) return response;
    w.hit();
    return answering(other, { ...(await bodyOf(other)), session_id });
  };
};

export const invoking: readonly Way[] = [
  way('a run that starts is created', 'answers 202 with the `session_id` once the intern accepts it', (w) =>
    w.later('invoke', async (r) => (r.status === 202 ? answering(r, await bodyOf(r), 201) : undefined)),
  ),
  way('a run that continues answers 200', 'answers 202 with the `session_id` once the intern accepts it', (w) =>
    w.later('invoke', async (r, { body }) =>
      r.status === 202 && body.session_id !== undefined ? answering(r, await bodyOf(r), 200) : undefined,
    ),
  ),
  way('the session of a run is called otherwise', 'answers 202 with the `session_id`', (w) =>
    w.ok('invoke', (body) => {
      body.sessionId = body.session_id;
      delete body.session_id;
    }),
  ),
  way(
    'a prompt to a session begins another',
    'Sending the same `session_id` later continues the conversation.',
    (w) => async (call, next) => {
      const response = await next();
      if (call.op !== 'invoke' || !response.ok || call.body.session_id === undefined) return response;
      w.hit();
      return answering(response, { ...(await bodyOf(response)), session_id: crypto.randomUUID() });
    },
  ),
  way('a session that is unknown is begun', FOREIGN, (w) => taking(w, (issued) => issued === undefined)),
  way('a session is taken on another intern', OWNER, (w) =>
    taking(w, (issued, { who, id }) => issued !== undefined && issued.who === who && issued.id !== id),
  ),
  way('a session is taken from another caller', OWNER, (w) =>
    taking(w, (issued, { who, id }) => issued !== undefined && issued.who !== who && issued.id === id),
  ),
  way('a session of the chat is taken', FOREIGN, (w) => {
    const chatted = new Set<string>();
    const learn = w.stream(() => (_, chunk) => {
      if (typeof chunk?.session_id === 'string') chatted.add(chunk.session_id);
      return undefined;
    });
    return async (call, next) => {
      const response = await learn(call, next);
      const { session_id, ...rest } = call.body;
      if (call.op !== 'invoke' || response.status !== 404 || !chatted.has(String(session_id))) return response;
      const other = await next(withBody(call, rest));
      if (!other.ok) return response;
      w.hit();
      return answering(other, { ...(await bodyOf(other)), session_id });
    };
  }),
  way('a foreign session is a conflict', FOREIGN, (w) =>
    w.later('invoke', (r, { body }) =>
      r.status === 404 && body.session_id !== undefined
        ? failed(409, 'Session belongs to another conversation', 'session_conflict')
        : undefined,
    ),
  ),
  way(
    'a prompt to a running session is said to start',
    'the prompt is delivered into that run, and the reported status is steered',
    (w) =>
      w.ok('invoke', (body) => {
        for (const [key, value] of Object.entries(body)) if (value === 'steered') body[key] = 'started';
      }),
  ),
  way(
    'a prompt to a running session is refused',
    'If the session already has a run going, the prompt is delivered into it',
    (w) =>
      w.later('invoke', async (r) =>
        r.ok && Object.values(await bodyOf(r)).includes('steered')
          ? failed(409, 'A run is already going in this session', 'run_in_progress', true)
          : undefined,
      ),
  ),
];
