import { rewritten } from '../../emulator/wire/answer.js';
import type { Habit } from './habit.js';
import { excused, instead, refusedWith } from './measured.js';
import type { Tried, Visit } from './visit.js';
import { about, bodyOf, refusal } from './wire.js';

/** Whether a plain prompt is refused for a session that the client names. */
async function refusesNames(visit: Visit, last: Tried): Promise<boolean | undefined> {
  const prompt = { messages: [{ role: 'user', content: 'Hello.' }], stream: true };
  const named = await instead(visit, last, { json: { ...prompt, session_id: visit.creating().json.name } });
  const refused = named && refusedWith(named, 400, 404, 422);
  if (refused !== true) return refused;
  const plain = await instead(visit, last, { json: prompt });
  return plain?.status === 200 ? true : undefined;
}

export const ownSessions: Habit = {
  id: 'own-sessions',
  what: 'knows its own sessions only',
  kit: 'skips the checks of sessions that a client names',
  differs: ['CHAT-15'],
  /** A session that it has not given out is unknown to it, in chat too. */
  serve: (next) => {
    const given = new Set<unknown>();
    return async (request) => {
      const { act } = about(request);
      if (act !== 'chat/completions' || request.method !== 'POST') return next(request);
      const { session_id: asked, messages } = await bodyOf(request);
      const last = Array.isArray(messages) ? (messages.at(-1) as { role?: unknown } | undefined) : undefined;
      if (typeof asked === 'string' && !given.has(asked) && last?.role === 'user')
        return refusal(404, 'Session not found', 'not_found');
      const issued = (session?: string) => void (session !== undefined && given.add(JSON.parse(session)));
      return rewritten(await next(request), {
        json: (json) => issued(JSON.stringify((json as { session_id?: unknown } | null)?.session_id)),
        heard: (sofar) => issued(/"session_id":("(?:[^"\\]|\\.)*")/.exec(sofar)?.[1]),
      });
    };
  },
  /** A session that a client names itself may be unknown to the target: that it starts one is published (CHAT-15). */
  explains: async ({ check, got, missedSuccess, seen }, visit) => {
    if (check.requirement === 'CHAT-15' || !missedSuccess || got === undefined) return undefined;
    if (got.status < 400 || got.status > 499) return undefined;
    const at = seen.findLastIndex(
      ({ path, status }) => path.endsWith('/chat/completions') && [400, 404, 422].includes(status ?? 0),
    );
    const named = /"session_id":("(?:[^"\\]|\\.)*")/.exec(seen[at]?.sent ?? '')?.[1];
    if (named === undefined || seen.slice(0, at).some(({ text }) => text.includes(named))) return undefined;
    const last = seen[at];
    if (last === undefined) return undefined;
    const skip = { kind: 'need', because: { kind: 'own-sessions', got } } as const;
    return excused(visit, 'own-sessions', { skip }, () => refusesNames(visit, last));
  },
};
