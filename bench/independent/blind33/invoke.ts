import { failed } from '../answers.js';
import { jsonIn, MINUTE, noting, pretending, SECOND, sessionOf, way } from '../blind32/helpers.js';
import type { Way } from '../world.js';
import { behaving } from './questions.js';

const REFUSED =
  'Any other, including sessions started from a chat tool or from the chat endpoint, is refused with 404.';
const CONTINUES = 'Sending the same `session_id` later continues the conversation.';
const FALLBACK = 'a question it asks is answered by its own fallback.';
const HOUR =
  'A run started by `invoke` ends when the intern finishes it, or after its execution deadline, 1 hour by default.';

export const invoke: readonly Way[] = [
  way('invoke-unknown-session-begins', REFUSED, (w) => {
    const known = new Set<string>();
    return noting(
      ({ session }) => known.add(session),
      async (call, next) => {
        const response = await next();
        if (call.op !== 'invoke') return response;
        const session = sessionOf(call);
        if (response.status === 404 && session !== undefined && !known.has(session)) {
          const begun = await pretending(w, call, next);
          return begun.ok ? begun : response;
        }
        const body = await jsonIn(response);
        if (body !== undefined) known.add(String(body.session_id));
        return response;
      },
    );
  }),
  way('invoke-session-known-a-second-later', CONTINUES, (w) => {
    const since = new Map<string, number>();
    return async (call, next) => {
      const session = sessionOf(call);
      const at = call.op === 'invoke' && session !== undefined ? since.get(session) : undefined;
      if (at !== undefined && w.setting.host.now() - at < SECOND) {
        w.hit();
        return failed(404, 'Session not found', 'not_found');
      }
      const response = await next();
      const body = call.op === 'invoke' ? await jsonIn(response) : undefined;
      if (body !== undefined && session === undefined) since.set(String(body.session_id), w.setting.host.now());
      return response;
    };
  }),
  {
    name: 'invoke-deadline-of-questions',
    quote: HOUR,
    factories: (usual, hit) => ({
      createRuns(deps) {
        const cut = new Set<string>();
        const runs = usual.createRuns({
          ...deps,
          settings: () => ({ ...deps.settings(), execution_deadline: 5 * MINUTE }),
          changed(run, intern) {
            deps.changed?.(run, intern);
            const view = runs.find(run)?.view;
            const ran = Date.parse(view?.ended_at ?? '') - Date.parse(view?.started_at ?? '');
            if (view?.origin === 'invoke' && view.ended === 'deadline' && ran === 5 * MINUTE) cut.add(view.session_id);
          },
        });
        return {
          ...runs,
          invoke(request) {
            if (request.sessionId !== undefined && cut.has(request.sessionId)) hit();
            return runs.invoke(request);
          },
        };
      },
    }),
  },
  behaving('invoke-question-hangs', FALLBACK, async function* (inner, { origin }, hit, { clock }) {
    let step = await inner.next();
    while (!step.done) {
      const event = step.value;
      if (origin === 'invoke' && 'ask' in event && event.ask.kind === 'elicitation') {
        hit();
        await clock.sleep(10 * MINUTE);
      }
      step = await inner.next(yield event);
    }
  }),
];
