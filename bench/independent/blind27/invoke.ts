import { failed } from '../answers.js';
import { withBody } from '../call.js';
import type { Answer, Way, World } from '../world.js';
import { bodyOf, record, said, suspended, way } from './tools.js';

const STEERED = 'If the session already has a run going, the prompt is delivered into it and the status is steered.';
const LATER = 'Sending the same `session_id` later continues the conversation.';
const ONLY =
  'A `session_id` is accepted only from the caller it was issued to, on the same intern. Any other is refused with 404.';
const ACCEPTS = 'answers 202 with the `session_id` once the intern accepts it';

const given = (body: Record<string, unknown>) => (typeof body.session_id === 'string' ? body.session_id : undefined);

/** Takes a session that it must not: starts another run, and says that it is that session's. */
const taking = (w: World, wanted: (id: string, who: string, intern: string) => boolean, watch?: Answer): Answer => {
  const own: Answer = async (call, next) => {
    const id = call.op === 'invoke' ? given(call.body) : undefined;
    const response = await next();
    if (id === undefined || response.status !== 404 || !wanted(id, call.who, call.id)) return response;
    const { session_id: _none, ...rest } = call.body;
    const other = await next(withBody(call, rest));
    if (!other.ok) return response;
    w.hit();
    return said(other, { ...(await bodyOf(other)), session_id: id });
  };
  return watch === undefined ? own : (call, next) => own(call, (changed) => watch(call, () => next(changed)));
};

interface Issued {
  readonly who: string;
  readonly intern: string;
}
/** Notes who was given which session where. */
const issuing = (w: World, issued: Map<unknown, Issued>): Answer =>
  w.ok('invoke', (body, { who, id }) => {
    if (!issued.has(body.session_id)) issued.set(body.session_id, { who, intern: id });
  });

export const invoking: readonly Way[] = [
  way('a steered run is said to be started', STEERED, (w) =>
    w.ok('invoke', (body) => {
      if (body.status === 'steered') body.status = 'started';
    }),
  ),
  way('a steered run gets another session', LATER, (w) =>
    w.ok('invoke', (body) => {
      if (body.status === 'steered') body.session_id = crypto.randomUUID();
    }),
  ),
  way('a session of a chat is taken', ONLY, (w) => {
    const chats = new Set<string>();
    return taking(
      w,
      (id) => chats.has(id),
      w.stream(() => (_, chunk) => {
        if (typeof chunk?.session_id === 'string') chats.add(chunk.session_id);
        return undefined;
      }),
    );
  }),
  way("another caller's session is taken on the same intern", ONLY, (w) => {
    const issued = new Map<unknown, Issued>();
    return taking(
      w,
      (id, who, intern) => issued.get(id)?.intern === intern && issued.get(id)?.who !== who,
      issuing(w, issued),
    );
  }),
  way('a session is taken on another intern', ONLY, (w) => {
    const issued = new Map<unknown, Issued>();
    return taking(
      w,
      (id, who, intern) => issued.get(id)?.who === who && issued.get(id)?.intern !== intern,
      issuing(w, issued),
    );
  }),
  way('a session that never was is taken', ONLY, (w) => {
    const issued = new Map<unknown, Issued>();
    return taking(w, (id) => !issued.has(id) && /^[0-9a-f-]{36}$/.test(id), issuing(w, issued));
  }),
  way("another caller's session is forbidden", ONLY, (w) => {
    const issued = new Map<unknown, Issued>();
    const watch = issuing(w, issued);
    return w.later('invoke', async (r, call) => {
      await watch(call, async () => r.clone());
      const from = issued.get(given(call.body));
      return r.status === 404 && from !== undefined && from.who !== call.who
        ? failed(403, 'Forbidden', 'forbidden')
        : undefined;
    });
  }),
  way('an unknown session is an invalid body', ONLY, (w) =>
    w.later('invoke', (r, { body }) =>
      r.status === 404 && given(body) !== undefined ? failed(400, 'Invalid request body', 'bad_request') : undefined,
    ),
  ),
  way('a session is lost when its intern was suspended', LATER, (w) => {
    const lost = new Set<unknown>();
    const known = new Map<unknown, string>();
    return async (call, next) => {
      if (call.op === 'provision' && suspended(await record(w, call.id, call.who)))
        for (const [id, intern] of known) if (intern === call.id) lost.add(id);
      if (call.op !== 'invoke') return next();
      const id = given(call.body);
      if (id !== undefined && lost.has(id)) {
        w.hit();
        return failed(404, 'Session not found', 'not_found');
      }
      const response = await next();
      if (response.ok) known.set((await bodyOf(response)).session_id, call.id);
      return response;
    };
  }),
  way('a second run goes on with the session of the first', ACCEPTS, (w) => {
    const last = new Map<string, unknown>();
    return async (call, next) => {
      if (call.op !== 'invoke') return next();
      const key = `${call.who} ${call.id}`;
      const before = last.get(key);
      const changed = before !== undefined && given(call.body) === undefined && call.text.startsWith('{');
      if (changed) w.hit();
      const response = await next(changed ? withBody(call, { ...call.body, session_id: before }) : undefined);
      if (response.ok) last.set(key, (await bodyOf(response)).session_id);
      return response;
    };
  }),
  way("an intern's own key cannot invoke", "An intern's own API key sees only that intern.", (w) =>
    w.later('invoke', (r, { who }) =>
      who === 'own_key' && r.ok ? failed(404, 'Intern not found', 'not_found') : undefined,
    ),
  ),
  way('a run in a new session is accepted with 200', ACCEPTS, (w) =>
    w.later('invoke', async (r, { body }) =>
      r.status === 202 && given(body) === undefined ? said(r, await bodyOf(r), 200) : undefined,
    ),
  ),
  way(
    'a run is still going an hour after it began',
    'A run started by `invoke` ends after its execution deadline',
    (w) => {
      const since = new Map<unknown, number>();
      return w.ok('invoke', (body) => {
        const now = w.setting.host.now();
        const before = since.get(body.session_id);
        if (before === undefined) since.set(body.session_id, now);
        else if (now - before >= 3_600_000) body.status = 'steered';
      });
    },
  ),
];
