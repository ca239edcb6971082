import { Refusal } from '../contract/errors.js';
import type { Prompted } from '../contract/match.js';
import type { InternRow } from '../contract/state.js';
import type { Runs } from '../domain/runs.js';

/** Chooses the script of a prompt; throws a Refusal if the name is unknown. */
export type ResolveTurn = (intern: InternRow, given: Prompted) => unknown;

/**
 * Refuses a prompt that names an unknown script with 400, before any fault and before the intern's state (BODY-5). A
 * prompt that is delivered into an open run selects no script. An intern that carries an unknown script by itself is
 * not a mistake of the prompt: its turn fails when it is started.
 */
export function validatePromptScript(
  { runs, resolveTurn }: { readonly runs: Pick<Runs, 'list'>; readonly resolveTurn: ResolveTurn },
  intern: InternRow,
  prompt: string,
  sessionId: string | undefined,
): void {
  if (!prompt.startsWith('script:')) return;
  const going = (run: { session_id: string; status: string }) => run.session_id === sessionId && run.status !== 'ended';
  if (sessionId !== undefined && runs.list(intern.id).some(going)) return;
  try {
    // Only its first line matters here: a match is no mistake of the prompt.
    resolveTurn(intern, { prompt, session: sessionId, turn: () => 1 });
  } catch (error) {
    if (error instanceof Refusal && error.key !== 'bad_request') return;
    throw error;
  }
}
