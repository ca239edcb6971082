import type { Serve } from '../../emulator/wire/serve.js';
import { isStream, readAhead } from '../../emulator/wire/streams.js';
import type { Habit } from './habit.js';

/** A stream opens, head and all, when there is something to say. */
const serve: Serve = (next) => async (request) => {
  const response = await next(request);
  if (response.body === null || !isStream(response)) return response;
  const says = (sofar: string) => /"content":"[^"]|"finish_reason":"|: keepalive/.test(sofar);
  const { body } = await readAhead(response.body, says);
  return new Response(body, { status: response.status, headers: response.headers });
};

export const lateOpening: Habit = {
  id: 'late-opening',
  what: 'opens a stream when it has something to say',
  kit: 'waits for the head as for the first word',
  serve,
};
