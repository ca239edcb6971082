import { failed } from '../answers.js';
import { jsonIn, noting, pretending, SECOND, sessionOf, way } from '../blind32/helpers.js';
import { behaving } from '../blind33/questions.js';
import type { Way } from '../world.js';

const AT_ONCE = 'The `invoke` operation starts a run on an intern and returns a session identifier at once.';
const STEERED = 'If the session already has a run going, the prompt is delivered into it and the status is steered.';
const CONTINUES = 'Sending the same `session_id` later continues the conversation.';
const ACCEPTED = 'A `session_id` is accepted only from the caller it was issued to, on the same intern.';
const CHAT = 'Any other, including sessions started from a chat tool or from the chat endpoint, is refused with 404.';
const GOES_ON = 'The run continues on the intern after the response.';
const DRIVES = 'Runs started here self-drive: the intern consents to its own tool approvals';
const NO_PROGRESS = 'Nothing about progress returns on this request.';

interface Issued {
  readonly who: string;
  readonly intern: string;
}

/** The interns whose next invoke is manual, and the sessions of the runs that hang or were cut off. */
const manual = new Set<string>();
const hung = new Set<string>();
const cut = new Set<string>();

export const invoke: readonly Way[] = [
  way('invoke-of-a-steer-says-started', STEERED, (w) =>
    w.ok('invoke', (body) => {
      if (body.status === 'steered') body.status = 'started';
    }),
  ),
  ...(
    [
      ['invoke-session-on-a-sibling', (one, call) => one.who === call.who && one.intern !== call.id],
      ['invoke-session-by-a-peer', (one, call) => /^(peer_)?api_key$/.test(call.who) && one.who !== call.who],
      ['invoke-session-by-the-own-key', (one, call) => call.who === 'own_key' && one.intern === call.id],
    ] as readonly [string, (one: Issued, call: { who: string; id: string }) => boolean][]
  ).map(([name, allows]) =>
    way(name, ACCEPTED, (w) => {
      const issued = new Map<string, Issued>();
      return async (call, next) => {
        const response = await next();
        if (call.op !== 'invoke') return response;
        const one = issued.get(sessionOf(call) ?? '');
        if (response.status === 404 && one && allows(one, call)) return pretending(w, call, next);
        const session = (await jsonIn(response))?.session_id;
        if (session !== undefined && !one) issued.set(String(session), { who: call.who, intern: call.id });
        return response;
      };
    }),
  ),
  way('invoke-into-a-waiting-chat', CHAT, (w) => {
    const waiting = new Set<string>();
    return noting(
      ({ session, question }) => (question === undefined ? waiting.delete(session) : waiting.add(session)),
      w.later('invoke', ({ status }, call) => {
        const session = sessionOf(call);
        return status === 404 && session !== undefined && waiting.has(session)
          ? Response.json({ session_id: session, status: 'steered' }, { status: 202 })
          : undefined;
      }),
    );
  }),
  way('invoke-refuses-a-chat-session-as-busy', CHAT, (w) => {
    const chats = new Set<string>();
    return noting(
      ({ session }) => chats.add(session),
      w.later('invoke', ({ status }, call) =>
        status === 404 && chats.has(sessionOf(call) ?? '')
          ? failed(409, 'The session belongs to a chat', 'session_conflict')
          : undefined,
      ),
    );
  }),
  {
    name: 'invoke-waits-for-the-end',
    quote: AT_ONCE,
    factories: (usual, hit) => ({
      createRuns(deps) {
        const ends = new Map<string, () => void>();
        const runs = usual.createRuns({
          ...deps,
          changed(run, intern) {
            deps.changed?.(run, intern);
            const view = runs.find(run)?.view;
            if (view?.status === 'ended') ends.get(view.session_id)?.();
          },
        });
        return {
          ...runs,
          async invoke(request) {
            const begun = deps.clock.now();
            const answer = await runs.invoke(request);
            const going = runs.list(request.intern.id).find((run) => run.session_id === answer.session_id);
            if (answer.status === 'started' && going?.status !== 'ended')
              await new Promise<void>((resolve) => {
                ends.set(answer.session_id, resolve);
                deps.clock.timer(60 * SECOND, resolve);
              });
            if (deps.clock.now() - begun >= SECOND) hit();
            return answer;
          },
        };
      },
    }),
  },
  {
    ...behaving('', '', async function* (inner, { origin, session }, _, { clock }) {
      const slow = Symbol();
      let going = inner.next();
      for (;;) {
        const step = await (origin === 'invoke'
          ? Promise.race([going, clock.sleep(2 * SECOND).then(() => slow)])
          : going);
        if (typeof step === 'symbol') {
          cut.add(session.id);
          yield { end: 'cancelled' };
          return;
        }
        const { done, value } = step as Awaited<typeof going>;
        if (done) return;
        going = inner.next(yield value);
      }
    }),
    ...way('invoke-ends-with-its-connection', GOES_ON, (w) => {
      cut.clear();
      return async (call, next) => {
        const ended = call.op === 'invoke' && cut.delete(sessionOf(call) ?? '');
        const response = await next();
        if (ended && (await jsonIn(response))?.status === 'started') w.hit();
        return response;
      };
    }),
  },
  {
    ...behaving('', '', async function* (inner, { origin, intern, session }, _, { clock }) {
      const asks = origin === 'invoke' && manual.delete(intern.id);
      let step = await inner.next();
      while (!step.done) {
        if (asks && 'ask' in step.value && step.value.ask.kind === 'permission') {
          hung.add(session.id);
          await clock.sleep(300 * SECOND);
          yield { end: 'deadline' };
          return;
        }
        step = await inner.next(yield step.value);
      }
    }),
    ...way('invoke-heeds-the-approval-mode', DRIVES, (w) => {
      manual.clear();
      hung.clear();
      return async (call, next) => {
        if (call.op !== 'invoke') return next();
        if (call.body.approval_mode === 'manual') manual.add(call.id);
        const response = await next();
        manual.delete(call.id);
        const steered = (await jsonIn(response))?.status === 'steered';
        if (steered && hung.has(sessionOf(call) ?? '')) w.hit();
        return response;
      };
    }),
  },
  way('invoke-sessions-end-with-the-runtime', CONTINUES, (w) => {
    const issued = new Map<string, string>();
    const lost = new Set<string>();
    return async (call, next) => {
      if (call.op === 'invoke' && lost.has(sessionOf(call) ?? '')) {
        w.hit();
        return failed(404, 'Session not found', 'not_found');
      }
      const response = await next();
      if (call.op === 'invoke') issued.set(String((await jsonIn(response))?.session_id), call.id);
      if (call.op === 'suspend' && response.ok)
        for (const [session, intern] of issued) if (intern === call.id) lost.add(session);
      return response;
    };
  }),
  way('invoke-steers-an-ended-run', STEERED, (w) => {
    const last = new Map<unknown, number>();
    return w.ok('invoke', (body, call) => {
      const now = w.setting.host.now();
      const at = last.get(body.session_id);
      if (sessionOf(call) !== undefined && at !== undefined && now - at < 5 * SECOND) body.status = 'steered';
      last.set(body.session_id, now);
    });
  }),
  way('invoke-answers-with-another-session', CONTINUES, (w) =>
    w.ok('invoke', (body, call) => {
      if (sessionOf(call) !== undefined && body.status === 'started') body.session_id = crypto.randomUUID();
    }),
  ),
  way('invoke-tells-of-progress', NO_PROGRESS, (w) =>
    w.ok('invoke', (body) => {
      body.messages = [{ role: 'assistant', content: 'Working on it' }];
      body.progress = { percent: 0 };
    }),
  ),
];
