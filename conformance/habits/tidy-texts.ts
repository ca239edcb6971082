import { isRecord, jsonOf } from '../../emulator/wire/json.js';
import { withRequest } from '../../emulator/wire/request.js';
import type { Serve } from '../../emulator/wire/serve.js';
import type { Habit } from './habit.js';
import { pathOf, refusal } from './wire.js';

/** Texts are trimmed, none is null, and what no database keeps is refused. */
const serve: Serve = (next) => async (request) => {
  const json = /json/i.test(request.headers.get('content-type') ?? '');
  if (!json || !/^\/interns(\/[^/]+)?$/.test(pathOf(request)) || !/POST|PATCH/.test(request.method))
    return next(request);
  const text = await request.clone().text();
  const body = jsonOf(text);
  if (!isRecord(body) || text.length > 1_000_000) return next(request);
  for (const key of ['description', 'instructions']) {
    const said = body[key];
    if (typeof said !== 'string') continue;
    if (said.includes('\u0000')) return refusal(400, 'Invalid request body', 'invalid_body');
    body[key] = said.trim() === '' ? null : said.trim();
  }
  return next(withRequest(request, { body: JSON.stringify(body) }));
};

export const tidyTexts: Habit = {
  id: 'tidy-texts',
  what: 'tidies the texts that it keeps',
  kit: 'compares texts that no tidying changes',
  serve,
};
