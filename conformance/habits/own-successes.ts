import { rewritten } from '../../emulator/wire/answer.js';
import type { Serve } from '../../emulator/wire/serve.js';
import type { Habit } from './habit.js';
import { pathOf } from './wire.js';

/** Each POST that is accepted is 201, each other write 202, but for chat, and for invoke, whose 202 is stated. */
const serve: Serve = (next) => async (request) => {
  const response = await next(request);
  const reads =
    !pathOf(request).startsWith('/interns') ||
    /GET|HEAD/.test(request.method) ||
    /\/(chat\/completions|invoke)$/.test(pathOf(request));
  if (reads || !response.ok) return response;
  return rewritten(response, { status: request.method === 'POST' ? 201 : 202 });
};

export const ownSuccesses: Habit = {
  id: 'own-successes',
  what: 'has success statuses of its own',
  kit: 'takes any success; warns, where another is published',
  differs: ['CREATE-4', 'PROV-1', 'SUSP-1', 'UPDATE-1'],
  serve,
};
