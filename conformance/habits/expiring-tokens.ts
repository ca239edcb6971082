import type { Habit } from './habit.js';
import type { Serve } from './serve.js';
import { about } from './wire.js';

/** ms after which an OAuth token is refused. */
const LIFETIME = 5_000;

/** OAuth tokens are good for a while. */
const serve: Serve = (next, { host, keys }) => {
  const began = host.now();
  return async (request) => {
    const { token, path } = about(request);
    const issued = [...keys.api, keys.outsider];
    const personal = token !== undefined && !issued.includes(token) && path.startsWith('/interns');
    if (personal && host.now() - began > LIFETIME)
      return Response.json({ error: { code: 401, message: 'Invalid or missing API key' } }, { status: 401 });
    return next(request);
  };
};

export const expiringTokens: Habit = {
  id: 'expiring-tokens',
  what: 'lets tokens expire',
  kit: 'skips what needs them, and exits 3',
  serve,
};
