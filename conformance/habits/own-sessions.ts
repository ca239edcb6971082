import type { Habit } from './habit.js';
import { rewritten } from './rewrite.js';
import type { Serve } from './serve.js';
import { about, bodyOf, refusal } from './wire.js';

/** A session that it has not given out is unknown to it, in chat too. */
const serve: Serve = (next) => {
  const given = new Set<unknown>();
  return async (request) => {
    const { act } = about(request);
    if (act !== 'chat/completions' || request.method !== 'POST') return next(request);
    const { session_id: asked, messages } = await bodyOf(request);
    const last = Array.isArray(messages) ? (messages.at(-1) as { role?: unknown } | undefined) : undefined;
    if (typeof asked === 'string' && !given.has(asked) && last?.role === 'user')
      return refusal(404, 'Session not found', 'not_found');
    const told = (session?: string) => void (session !== undefined && given.add(JSON.parse(session)));
    return rewritten(await next(request), {
      json: (json) => told(JSON.stringify((json as { session_id?: unknown } | null)?.session_id)),
      heard: (sofar) => told(/"session_id":("(?:[^"\\]|\\.)*")/.exec(sofar)?.[1]),
    });
  };
};

export const ownSessions: Habit = {
  id: 'own-sessions',
  what: 'knows its own sessions only',
  kit: 'skips what is stated of sessions that a client names',
  differs: ['CHAT-15'],
  serve,
};
