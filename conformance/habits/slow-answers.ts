import type { Serve } from '../../emulator/wire/serve.js';
import type { Habit } from './habit.js';

/** ms before each answer. */
const DELAY = 2_000;

const serve: Serve =
  (next, { host }) =>
  async (request) => {
    await host.sleep(DELAY);
    return next(request);
  };

export const slowAnswers: Habit = {
  id: 'slow-answers',
  what: 'takes its time for each answer',
  kit: 'waits: 10 s for a read, 40 s at least for a write or a prompt',
  serve,
};
