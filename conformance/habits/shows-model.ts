import { rewritten } from '../../emulator/wire/answer.js';
import type { Serve } from '../../emulator/wire/serve.js';
import type { Habit } from './habit.js';
import { eachRecord } from './wire.js';

/** An intern for which no model was chosen shows the one that it will run with. */
const serve: Serve = (next) => async (request) =>
  rewritten(await next(request), {
    json: (json) =>
      eachRecord(json, (record) => {
        record.model ??= 'acme/default-1';
      }),
  });

export const showsModel: Habit = {
  id: 'shows-model',
  what: 'names the model that it will run with',
  kit: 'takes it as it is',
  serve,
};
