import type { Serve } from '../../emulator/wire/serve.js';
import type { Habit } from './habit.js';
import { about, beside } from './wire.js';

/** A prompt boots the intern that it is for. */
const serve: Serve =
  (next, { host }) =>
  async (request) => {
    const { id, act } = about(request);
    if (id === undefined || !/^(chat|invoke)/.test(act)) return next(request);
    const first = await next(request.clone());
    if (first.status !== 409 || !(await first.clone().text()).includes('intern_not_ready')) return first;
    await next(beside(request, id, 'POST', '/provision'));
    for (let looks = 0; looks < 20; looks++) {
      const seen = await next(beside(request, id, 'GET'));
      if (seen.ok && ((await seen.json()) as { status: string }).status === 'running') break;
      await host.sleep(500);
    }
    return next(request);
  };

export const wakesForPrompts: Habit = {
  id: 'wakes-for-prompts',
  what: 'wakes for a prompt',
  kit: 'skips the checks of interns that sleep; warns, where it is published that they refuse',
  differs: ['CHAT-16', 'LIFE-1'],
  serve,
};
