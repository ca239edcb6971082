import { rewritten } from '../../emulator/wire/answer.js';
import { isRecord } from '../../emulator/wire/json.js';
import type { Serve } from '../../emulator/wire/serve.js';
import type { Habit } from './habit.js';

/** It does not use the published reasons of a 409. */
const serve: Serve = (next) => async (request) => {
  const response = await next(request);
  if (response.status !== 409) return response;
  return rewritten(response, {
    json(json) {
      if (isRecord(json) && isRecord(json.error) && isRecord(json.error.metadata))
        json.error.metadata.reason = 'not_now';
    },
  });
};

export const ownReasons: Habit = {
  id: 'own-reasons',
  what: 'gives reasons of its own for a 409',
  differs: ['reason'],
  kit: 'warns, where the reasons are published',
  serve,
};
