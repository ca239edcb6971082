import type { Habit } from './habit.js';
import type { Serve } from './serve.js';
import { isRecord, parsed, refusedAnyway } from './wire.js';

/** A description and instructions are of letters, digits, spaces, dots and commas. */
const serve: Serve = (next) => async (request) => {
  const settings = /\/interns(\/[^/]+)?$/.test(new URL(request.url).pathname) && /POST|PATCH/.test(request.method);
  if (!settings) return next(request);
  const body = parsed(await request.clone().text());
  const odd = (text: unknown) => typeof text === 'string' && /^$|[^A-Za-z0-9 .,]/.test(text);
  if (!isRecord(body) || !(odd(body.description) || odd(body.instructions))) return next(request);
  return (
    (await refusedAnyway(next, request)) ??
    Response.json(
      {
        error: {
          code: 400,
          message: 'Invalid request body',
          metadata: { reason: 'invalid_body', retryable: false },
        },
      },
      { status: 400 },
    )
  );
};

export const plainTexts: Habit = {
  id: 'plain-texts',
  what: 'takes plain texts only',
  kit: 'says plain words from then on; warns once, where other texts are published',
  differs: ['CREATE-5', 'UPDATE-1'],
  serve,
};
