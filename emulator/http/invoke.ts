import { type InvokeInput, readInvoke } from '../contract/chat.js';
import type { Limiter } from '../domain/limiter.js';
import type { Runs } from '../domain/runs.js';
import { type ResolveTurn, validatePromptScript } from './prompt-script.js';
import { json, noted } from './response.js';
import { type Route, route } from './route.js';

export interface InvokeDeps {
  readonly runs: Runs;
  readonly limiter: Limiter;
  readonly resolveTurn: ResolveTurn;
}

/** `POST /interns/{id}/invoke` (INVOKE-1 to INVOKE-6). */
export function invokeRoute(deps: InvokeDeps): Route {
  const { runs, limiter } = deps;
  return route<InvokeInput>({
    operation: 'invoke',
    method: 'POST',
    path: '/interns/:id/invoke',
    body: { read: true, json: 'ignored', invalid: 'bad_request' },
    parse: (parts) => readInvoke(parts.json()),
    authorize({ caller, intern, input }) {
      validatePromptScript(deps, intern, input.input, input.sessionId);
      if (input.sessionId !== undefined) runs.ownedSession(intern.id, input.sessionId, caller.id);
    },
    async handle(call) {
      const { caller, intern, input } = call;
      const answer = await runs.invoke({
        intern,
        callerId: caller.id,
        input: input.input,
        sessionId: input.sessionId,
        admit: () => limiter.take(caller.id),
        onRun: (run) => call.onRun(run),
        client: () => call.scope,
      });
      return json(answer, 202, noted(input.ignored, call.note));
    },
  });
}
