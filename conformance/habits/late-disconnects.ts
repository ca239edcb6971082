import { rewritten } from '../../emulator/wire/answer.js';
import type { Serve } from '../../emulator/wire/serve.js';
import type { Habit } from './habit.js';
import { excused, takesPrompts } from './measured.js';
import { isBusy } from './not-now.js';
import { NOTICED_WITHIN } from './visit.js';

/** ms after which this service notices that a client has gone. */
const LATE = 20_000;

/** That a client has left its stream is noticed late; `Retry-After` is a date. */
const serve: Serve =
  (next, { host }) =>
  async (request) => {
    const { url, method, headers } = request;
    const body = request.body === null ? {} : { body: await request.arrayBuffer() };
    return rewritten(await next(new Request(url, { method, headers, ...body })), {
      left: (cancel) => void host.later(LATE, cancel),
      headers(own) {
        const after = own.get('retry-after');
        if (after !== null) own.set('retry-after', new Date(host.now() + 1_000 * Number(after)).toUTCString());
      },
    });
  };

/**
 * A client of the run left a stream of the intern so short a time ago that its run may still be going: once the time that is
 * stated is over the intern takes a prompt.
 */
const explains: Habit['explains'] = async ({ got, leftAgo }, visit) => {
  const [id, ago = 0] = [...leftAgo].find(([, ago]) => ago < NOTICED_WITHIN) ?? [];
  if (id === undefined || !isBusy(got)) return undefined;
  return excused(
    visit,
    'late-disconnects',
    { skip: { kind: 'race', because: { kind: 'still-streams' } } },
    async () => {
      await visit.sleep(NOTICED_WITHIN - ago + 1_000);
      const taken = await takesPrompts(visit, id);
      return taken === 'busy' ? false : taken || undefined;
    },
  );
};

export const lateDisconnects: Habit = {
  id: 'late-disconnects',
  what: 'notices late that a client has gone',
  kit: 'allows the 30 s that are stated, and skips checks of an intern that may be busy until then',
  serve,
  explains,
};
