import { type Stop, Stopped } from '../model/skip.js';
import { type CleanupResult, cleanUp, removeIntern, removeInterns } from './cleanup.js';
import type { RunBase } from './options.js';
import type { RunContext } from './session.js';

/** Unused interns of a deployment are deleted in groups of this size: one look at the list reads them all. */
const TOGETHER = 12;

/** More unused interns than this at an own emulator are removed by a reset. */
const MANY = 50;

/** Resets an own emulator, which removes everything that the run made. */
export async function startOver({ driver, lane, pool, session }: RunContext): Promise<void> {
  await driver.control?.reset();
  session.own.forget();
  session.model.restart();
  lane.made.clear();
  pool.withhold(() => true);
}

/** Deletes the interns that nobody keeps. */
export async function tidy(run: RunContext): Promise<void> {
  const { driver, lane, pool, session, signal } = run;
  const { own } = session;
  // Decided before the first wait: another lane may take a kept intern meanwhile.
  const keep = pool.kept();
  for (const id of lane.made) if (!keep.has(id)) pool.idle.add(id);
  lane.made.clear();
  await driver.restore?.();
  if (signal.aborted) return;
  const made = own.open().filter(({ id }) => pool.idle.has(id));
  if (driver.control === undefined) {
    // The look at the end must read these interns.
    const { unread } = session.monitors;
    const over = made.filter(({ id, deleting }) => deleting !== true && !unread.has(id));
    if (over.length < TOGETHER) return;
    for (const { id } of over) pool.idle.delete(id);
    return removeInterns({ send: session.running.send, own }, over);
  }
  pool.idle.clear();
  if (made.length > MANY && driver.lacks('disposable') === undefined) return startOver(run);
  for (const one of made) {
    const removed = one.deleting === true ? 'leaving' : await removeIntern({ send: session.running.send, own }, one);
    if (typeof removed === 'string') own.note({ event: 'gone', id: one.id });
  }
  if (made.length > 0) await driver.control.advance(2_000);
}

/** The differences between two clean-ups. */
interface TakeAwayOptions {
  /** The number of interns made before this process. */
  readonly before?: number;
  /** Ends the clean-up early. */
  readonly signal?: AbortSignal;
  /** The time when the run is over. Teardowns are not watched longer. */
  readonly until?: number;
}

/** Longest wait for one answer, in ms. */
const PATIENCE = 10_000;

/** Longest wait for teardowns before the first look, in ms. */
export const LONGEST = 5_000;

/** ms that a clean-up may take: 120 requests at the pace that the run measured, within bounds. */
const TIME = { least: 60_000, most: 600_000, requests: 120 };
export const cleanupTimeAt = (pace: number): number => Math.min(TIME.most, Math.max(TIME.least, TIME.requests * pace));

/** Deletes everything that the run made, within the budget of the clean-up. Never throws. */
export async function takeAway(
  run: RunBase & Pick<RunContext, 'session'> & Partial<Pick<RunContext, 'obstacles'>>,
  options: TakeAwayOptions = {},
): Promise<CleanupResult> {
  const { driver, ending, host, obstacles, session, settings } = run;
  const { own } = session;
  if (own.creators().length === 0 && own.stored().length === 0) return { created: 0, deleted: 0, failed: [] };
  const over = new AbortController();
  const end = (stop: Stop) => over.abort(new Stopped(stop));
  const began = host.now();
  /** Ends the clean-up in time. Its own requests count for the pace, too: a run may have measured nothing. */
  const limit = (): (() => void) => {
    const ms = settings.cleanupTime ?? cleanupTimeAt(session.pace());
    const left = began + ms - host.now();
    if (left > 0) return host.later(left, () => (stop = limit()));
    end({ kind: 'clean-up-time', ms: Math.round(ms) });
    return () => {};
  };
  let stop = limit();
  const interrupted = () => end({ kind: 'interrupted' });
  options.signal?.addEventListener('abort', interrupted, { once: true });
  const client = session.client.scope(over.signal);
  try {
    return await cleanUp({
      own,
      group: driver.target.scimGroupId,
      send: (send) => client.send({ ...send, timeout: Math.min(settings.timeout, PATIENCE) }),
      before: options.before,
      atOnce: settings.concurrency,
      async pause(round) {
        const isBeyond = ending.isBeyond(session.client.sent + own.creators().length);
        if (over.signal.aborted || isBeyond || host.now() >= (options.until ?? Number.POSITIVE_INFINITY)) return false;
        if (driver.control !== undefined) {
          if (round > 3) return false;
          await driver.control.advance(5_000);
          return true;
        }
        // After so many rounds an intern whose delete was accepted will not go.
        if (round > (obstacles?.blocks('gone') === true ? 3 : 12)) return false;
        // Before a usual teardown has ended, a look would show all of them.
        const usual = round === 0 ? Math.min(session.learnt.took.teardown ?? 0, LONGEST) : 0;
        await host.sleep(Math.max(usual, 500 * (round + 1)), over.signal).catch(() => {});
        return !over.signal.aborted;
      },
    });
  } finally {
    stop();
    options.signal?.removeEventListener('abort', interrupted);
  }
}
