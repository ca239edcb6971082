import { type CleanupResult, cleanUp, removeIntern } from '../safety/cleanup.js';
import { kept } from './pool.js';
import type { RunBase } from './run-base.js';
import type { RunContext } from './run-context.js';
import { Stopped } from './stopped.js';

/** Takes away what a check made and nobody keeps, and what is kept no more. */
export async function tidy(run: RunContext): Promise<void> {
  const { driver, lane, ledger, pool, session, signal } = run;
  // Before anything is waited for: another lane may take what is kept, and then it is that lane's.
  const keep = kept(pool);
  const over = new Set([...lane.made, ...pool.idle].filter((id) => !keep.has(id)));
  pool.idle.clear();
  await driver.restore();
  if (signal.aborted) return;
  const made = ledger.open().filter(({ id, deleting }) => over.has(id) && deleting !== true);
  for (const id of over) session.made.delete(id);
  lane.made.clear();
  for (const entry of made) {
    const failed = await removeIntern((send) => session.running.send(send), entry);
    if (failed === undefined) ledger.write({ event: driver.clock === undefined ? 'deleting' : 'gone', id: entry.id });
  }
  if (made.length > 0) await driver.clock?.advance(2_000);
}

/** Where a clean-up differs from that of the run itself. */
export interface TakeAwayOptions {
  /** Beginning of the names that the run gave. */
  readonly prefix?: string;
  /** How many interns were made. */
  readonly created?: number;
  /** Ends it early. */
  readonly signal?: AbortSignal;
}

/** Longest wait for one answer, in ms: what does not answer gets no more of the budget. */
const PATIENCE = 10_000;

/** Takes away everything that the run made, within the budget of the clean-up. Never throws. */
export async function takeAway(
  run: RunBase & Pick<RunContext, 'session'> & Partial<Pick<RunContext, 'obstacles'>>,
  options: TakeAwayOptions = {},
): Promise<CleanupResult> {
  const { driver, host, ledger, obstacles, session, settings } = run;
  if (ledger.creators().length === 0) return { created: 0, deleted: 0, failed: [] };
  const over = new AbortController();
  const end = (why: string) => over.abort(new Stopped(why));
  const stop = host.later(settings.cleanupTime, () =>
    end(`the ${settings.cleanupTime / 1000} s for the clean-up are up`),
  );
  const interrupted = () => end('interrupted');
  options.signal?.addEventListener('abort', interrupted, { once: true });
  const client = session.client.scope(over.signal);
  try {
    return await cleanUp({
      ledger,
      prefix: options.prefix ?? session.prefix,
      send: (send) => client.send({ ...send, timeout: Math.min(settings.timeout, PATIENCE) }),
      created: options.created ?? session.created(),
      // Several at once get 429 again and again, and their time is up before they are gone.
      atOnce: session.hurried ? 1 : settings.concurrency,
      async pause(round) {
        if (over.signal.aborted) return false;
        if (driver.clock !== undefined) {
          if (round > 3) return false;
          await driver.clock.advance(5_000);
          return true;
        }
        // What is deleted and stays, will not go now.
        if (round > (obstacles?.blocks('gone') === true ? 3 : 12)) return false;
        await host.sleep(500 * (round + 1), over.signal).catch(() => {});
        return !over.signal.aborted;
      },
    });
  } finally {
    stop();
    options.signal?.removeEventListener('abort', interrupted);
  }
}
