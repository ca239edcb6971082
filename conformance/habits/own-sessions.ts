import { refusal, rewritten } from '../../emulator/wire/answer.js';
import { about, withRequest } from '../../emulator/wire/request.js';
import type { Fetch, Serve } from '../../emulator/wire/serve.js';
import { bodyOf, type Habit } from './habit.js';
import { boots, excused, instead, refusedWith } from './measured.js';
import type { Sighting, Tried, Visit } from './visit.js';

/** The id of a session, as JSON, in a body or a stream. */
const SESSION = /"session_id":\s*("(?:[^"\\]|\\.)*")/;
const PROMPT = { messages: [{ role: 'user', content: 'Hello.' }], stream: true };

/** Whether the service refuses a plain prompt in a session that the client names. */
async function refusesNames(visit: Visit, last: Tried): Promise<boolean | undefined> {
  const named = await instead(visit, last, { json: { ...PROMPT, session_id: visit.creating().json.name } });
  const refused = named && refusedWith(named, 400, 404, 422);
  if (refused !== true) return refused;
  const plain = await instead(visit, last, { json: PROMPT });
  return plain?.status === 200 ? true : undefined;
}

/** Whether a new intern answers a plain prompt in another session than the client names. */
async function renames(visit: Visit, { as }: Tried): Promise<boolean | undefined> {
  const id = await boots(visit);
  const { name } = visit.creating().json;
  const json = { ...PROMPT, session_id: name };
  const path = visit.pathOf(id, '/chat/completions');
  const answer = id === 'none' || as === undefined ? undefined : await visit.send({ method: 'POST', path, as, json });
  const shown = answer?.status === 200 ? SESSION.exec(answer.text)?.[1] : undefined;
  return shown === undefined ? undefined : shown !== JSON.stringify(name);
}

/** The last prompt in a session that the client named: no earlier answer had shown it. `named` is the session as JSON. */
function namingIn(
  seen: Sighting['seen'],
  of: (status: number | undefined) => boolean = () => true,
): { readonly last: Tried; readonly named: string } | undefined {
  for (const [at, last] of [...seen.entries()].reverse()) {
    const isPrompt = last.path.endsWith('/chat/completions') && of(last.status);
    const named = isPrompt ? SESSION.exec(last.sent ?? '')?.[1] : undefined;
    if (named !== undefined && !seen.slice(0, at).some(({ text }) => text.includes(named))) return { last, named };
  }
  return undefined;
}

/** Changes the treatment of prompts in a session that the service has not issued. */
const forUnissued =
  (way: (next: Fetch, request: Request, body: Readonly<Record<string, unknown>>) => ReturnType<Fetch>): Serve =>
  (next) => {
    const given = new Set<unknown>();
    return async (request) => {
      if (about(request).operation !== 'chat') return next(request);
      const body = await bodyOf(request);
      const { session_id: asked, messages } = body;
      const last = Array.isArray(messages) ? (messages.at(-1) as { role?: unknown } | undefined) : undefined;
      const isUnissued = typeof asked === 'string' && !given.has(asked) && last?.role === 'user';
      const issued = (session?: string) => void (session !== undefined && given.add(JSON.parse(session)));
      return rewritten(await (isUnissued ? way(next, request, body) : next(request)), {
        json: (json) => issued(JSON.stringify((json as { session_id?: unknown } | null)?.session_id)),
        heard: (sofar) => issued(SESSION.exec(sofar)?.[1]),
      });
    };
  };

export const ownSessions: Habit = {
  id: 'own-sessions',
  what: 'knows its own sessions only',
  kit: 'skips the checks of sessions that a client names',
  differs: ['CHAT-15'],
  /** The service refuses sessions that it has not issued, in chat too. */
  serve: forUnissued(async () => refusal(404, 'Session not found', 'not_found')),
  /** A target may refuse a session that a client names. The sentence that it starts one is only published (CHAT-15). */
  explains: async ({ check, got, missedSuccess, seen }, visit) => {
    if (check.requirement === 'CHAT-15' || !missedSuccess || got === undefined) return undefined;
    const { last } = namingIn(seen, (status) => status === 400 || status === 404 || status === 422) ?? {};
    if (got.status < 400 || got.status > 499 || last === undefined) return undefined;
    const skip = { kind: 'need', because: { kind: 'own-sessions', got } } as const;
    return excused(visit, 'own-sessions', { skip }, () => refusesNames(visit, last));
  },
};

export const renamesSessions: Habit = {
  id: 'renames-sessions',
  what: 'gives a session that a client names an id of its own',
  kit: 'skips the checks of sessions that a client names',
  differs: ['CHAT-15'],
  /** A prompt in a session that the service has not issued starts another session. */
  serve: forUnissued((next, request, { session_id: _, ...body }) =>
    next(withRequest(request, { body: JSON.stringify(body) })),
  ),
  /** The target refuses a named session, or answers in another one. */
  explains: async ({ check, found, got, seen }, visit) => {
    const { last, named } = namingIn(seen) ?? {};
    const of = found.breaks?.requirement ?? check.requirement;
    if (of === 'CHAT-15' || last === undefined || named === undefined) return undefined;
    const isRefused = got !== undefined && got.status >= 400 && got.status < 500;
    if (!isRefused && !JSON.stringify(found).includes(named.slice(1, -1))) return undefined;
    const skip = { kind: 'need', because: { kind: 'own-sessions' } } as const;
    return excused(visit, 'renames-sessions', { skip }, () => renames(visit, last));
  },
};
