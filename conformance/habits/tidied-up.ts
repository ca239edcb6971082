import type { Habit } from './habit.js';
import type { Serve } from './serve.js';
import { about, beside, idIn } from './wire.js';

/** ms after which somebody takes an intern away. */
const AGED = 15_000;

/** Somebody else deletes what has been there for a while. */
const serve: Serve = (next, { host, keys }) => {
  const born = new Map<string, number>();
  return async (request) => {
    for (const [id, at] of born) {
      if (host.now() - at < AGED) continue;
      born.delete(id);
      await next(beside(request, id, 'DELETE', '', keys.api[0]));
    }
    const response = await next(request);
    const { creates, token } = about(request);
    if (creates && response.status === 201 && token === keys.api[0]) born.set(await idIn(response), host.now());
    return response;
  };
};

export const tidiedUp: Habit = {
  id: 'tidied-up',
  what: 'is tidied up by somebody else',
  kit: 'makes other interns; skips what was deleted under its hands',
  serve,
};
