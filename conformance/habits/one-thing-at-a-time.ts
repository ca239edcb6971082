import type { Habit } from './habit.js';
import { rewritten } from './rewrite.js';
import type { Serve } from './serve.js';
import { about, refusal } from './wire.js';

/** Whatever an intern has to do keeps it from a prompt: what was invoked, a question that nobody answered. */
const serve: Serve = (next) => {
  const engaged = new Set<string>();
  return async (request) => {
    const { id, act } = about(request);
    if (id === undefined) return next(request);
    if (/^(suspend|provision)$/.test(act)) engaged.delete(id);
    if (!/^(chat|invoke)/.test(act)) return next(request);
    const body = await request.clone().text();
    const prompts = !body.includes('"role":"tool"');
    if (prompts && engaged.has(id) && !body.includes('"session_id"'))
      return refusal(409, 'The intern is busy', 'busy', true, { 'retry-after': '1' });
    const response = await next(request);
    if (act === 'invoke' && response.ok) engaged.add(id);
    if (act === 'invoke' || !response.ok) return response;
    return rewritten(response, {
      heard(sofar) {
        if (sofar.includes('"finish_reason":"tool_calls"')) engaged.add(id);
        else if (sofar.includes('data: [DONE]')) engaged.delete(id);
      },
    });
  };
};

export const oneThingAtATime: Habit = {
  id: 'one-thing-at-a-time',
  what: 'does one thing at a time',
  kit: 'tries again, with another intern where it left that one something to do',
  differs: ['CHAT-14'],
  serve,
};
