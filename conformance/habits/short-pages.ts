import type { Serve } from '../../emulator/wire/serve.js';
import type { Habit } from './habit.js';
import { pathOf } from './wire.js';

/** Lists are short unless a limit is asked for, and pages may be shorter than it. */
const serve: Serve =
  (next, { random }) =>
  (request) => {
    const url = new URL(request.url);
    const lists = request.method === 'GET' && pathOf(request) === '/interns';
    const limit = url.searchParams.get('limit');
    const asked = limit === null ? 3 : /^[1-9]\d{0,2}$/.test(limit) && Number(limit) <= 500 ? Number(limit) : undefined;
    if (!lists || asked === undefined) return next(request);
    url.searchParams.set('limit', String(limit !== null && asked > 2 && random() < 0.5 ? asked - 1 : asked));
    return next(new Request(url, request));
  };

export const shortPages: Habit = {
  id: 'short-pages',
  what: 'gives short pages',
  kit: 'reads on until it has met what it looks for',
  serve,
};
