import type { Serve } from '../../emulator/wire/serve.js';
import type { Habit } from './habit.js';
import { pathOf } from './wire.js';

/** One intern in seven does not come up, and of one in seven the teardown fails. */
const serve: Serve = (next, { random, puts }) => {
  const stays = new Set<string>();
  return async (request) => {
    const id = /\/interns\/([^/]+)$/.exec(pathOf(request))?.[1];
    // Until then it does what its prompts say.
    if (request.method === 'DELETE' && id !== undefined && stays.delete(id)) await puts(id, 'teardown-fails');
    const response = await next(request);
    if (request.method !== 'POST' || pathOf(request) !== '/interns' || response.status !== 201) return response;
    const made = (await response.clone().json()) as { id: string };
    const chance = random();
    if (chance < 0.15) await puts(made.id, 'boot-fails');
    else if (chance < 0.3) stays.add(made.id);
    return response;
  };
};

export const bootsFail: Habit = {
  id: 'boots-fail',
  what: 'fails to boot, or to go, at times',
  kit: 'provisions again, three times at most, and boots another intern if that does not help; reports what is left behind',
  serve,
};
