import { refusal, rewritten } from '../../emulator/wire/answer.js';
import { about, isPrompt } from '../../emulator/wire/request.js';
import { beside, type Habit } from './habit.js';
import { becomes, excused, takesPrompts } from './measured.js';
import { isBusy } from './not-now.js';
import type { Tried, Visit } from './visit.js';

/** Whether an intern takes a prompt after a suspend has ended its work. If not, the work was not the cause. */
async function isFreeAfterSuspend(visit: Visit, id: string): Promise<boolean | undefined> {
  const write = (rest: string) => visit.send({ method: 'POST', path: visit.pathOf(id, rest) });
  if ((await write('/suspend')).status >= 300) return undefined;
  if (!(await becomes(visit, id, (status) => status === 'stopped'))) return undefined;
  if ((await write('/provision')).status >= 300) return undefined;
  if (!(await becomes(visit, id, (status) => status === 'running'))) return undefined;
  const taken = await takesPrompts(visit, id);
  return taken === 'busy' ? false : taken || undefined;
}

export const oneThingAtATime: Habit = {
  id: 'one-thing-at-a-time',
  what: 'lets an intern do one thing at a time',
  kit: 'tries again, with another intern if the run left the first one busy',
  differs: ['CHAT-14'],
  /** Any work, such as an invoke or an open question, keeps an intern from a prompt. */
  serve: (next) => {
    const engaged = new Set<string>();
    return async (request) => {
      const { operation, id } = about(request);
      if (id === undefined) return next(request);
      if (/^(suspend|provision|delete)$/.test(operation ?? '')) engaged.delete(id);
      if (!isPrompt(operation)) return next(request);
      const body = await request.clone().text();
      const prompts = !body.includes('"role":"tool"');
      const isKept = prompts && engaged.has(id) && !body.includes('"session_id"');
      // A stranger is refused first.
      if (isKept && (await next(beside(request, id, 'GET'))).ok)
        return refusal(409, 'The intern is busy', 'busy', true, { 'retry-after': '1' });
      const response = await next(request);
      if (operation === 'invoke' && response.ok) engaged.add(id);
      if (operation === 'invoke' || !response.ok) return response;
      return rewritten(response, {
        heard(sofar) {
          if (sofar.includes('"finish_reason":"tool_calls"')) engaged.add(id);
          else if (sofar.includes('data: [DONE]')) engaged.delete(id);
        },
      });
    };
  },
  /**
   * The intern was busy with an invoke or an open question of the run. That these do not block prompts is only published
   * (CHAT-14).
   */
  explains: async ({ began, check, found, got, seen }, visit) => {
    if (!isBusy(got)) return undefined;
    const isSession = ({ status, path, sent = '' }: Tried) =>
      status === got?.status && path.endsWith('/invoke') && sent.includes('"session_id"');
    // A prompt to the session of a run that goes on is delivered into it.
    const isTheRule = check.requirement === 'CHAT-14' || (check.requirement === 'INVOKE-2' && seen.some(isSession));
    const ids = [...new Set(seen.flatMap(({ id }) => id ?? []))];
    const engaged = ids.map((id) => ({ id, ...visit.dealings.with(id) })).filter((one) => one.engaged !== undefined);
    const [one] = engaged;
    if (one === undefined) return undefined;
    // The run that asked may even block the answer to its question.
    if (
      found.breaks?.requirement === 'CHAT-6' &&
      engaged.every(({ invoked, questions }) => questions.size === 1 && !invoked)
    )
      return undefined;
    if (engaged.some((busy) => (busy.engaged ?? began) < began)) {
      // Another intern has no work.
      visit.forget();
      if (isTheRule) return { again: 0 };
    } else if (isTheRule) return undefined;
    const skip = { kind: 'race', because: { kind: 'busy', got } } as const;
    return excused(visit, 'one-thing-at-a-time', { again: 0, skip }, () => isFreeAfterSuspend(visit, one.id));
  },
};
