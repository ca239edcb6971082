import type { Send } from '../probe/request.js';
import type { Host } from '../probe/time.js';

/** The number of recent requests that are remembered. After as many accepted in a row, half the distance is tried. */
const REMEMBERED = 200;
const SMOOTH = 50;

/**
 * At most `perSecond` in any second, not only on average: a bucket that refills lets twice as many through after a pause.
 * 0 is no limit.
 */
export function createRate(perSecond: number, host: Host) {
  const size = Math.max(1, Math.floor(perSecond));
  const span = perSecond < 1 && perSecond > 0 ? 1000 / perSecond : 1000;
  const sent: number[] = [];
  let until = 0;
  /** ms between two requests. */
  let apart = 0;
  const left: number[] = [];
  const refused: number[] = [];
  let smooth = 0;
  let queue = Promise.resolve();

  const leave = async (signal: AbortSignal | undefined) => {
    for (;;) {
      const now = host.now();
      const oldest = sent.length >= size ? (sent[sent.length - size] ?? 0) + span : 0;
      const next = Math.max(until, perSecond > 0 ? oldest : 0, apart > 0 ? (left.at(-1) ?? 0) + apart : 0);
      if (next <= now) break;
      await host.sleep(Math.ceil(next - now) + 1, signal);
    }
    if (perSecond > 0) {
      sent.push(host.now());
      if (sent.length > 4 * size) sent.splice(0, sent.length - size);
    }
  };

  const remember = (times: number[]) => {
    times.push(host.now());
    if (times.length > 2 * REMEMBERED) times.splice(0, REMEMBERED);
  };
  const leaves = () => {
    remember(left);
    if (apart > 0 && ++smooth % SMOOTH === 0) apart /= 2;
  };
  /** Sends nothing for `ms`, as `Retry-After` asks. */
  const pause = (ms: number) => {
    until = Math.max(until, host.now() + ms);
  };

  return {
    /** Whether nothing is sent for now. */
    paused: () => until > host.now(),
    /** Waits until a request may be sent. The signal ends the wait. */
    take(signal?: AbortSignal): Promise<void> {
      if (perSecond <= 0 && until === 0) {
        leaves();
        return Promise.resolve();
      }
      const mine = queue.then(() => leave(signal)).then(leaves);
      queue = mine.catch(() => {});
      return mine;
    },
    pause,
    /**
     * The same for a limit on requests of any kind: from then on they are sent as far apart as those that the target
     * accepted in the `ms` before. Otherwise most requests after the pause would be refused again.
     */
    slow(ms: number) {
      pause(ms);
      smooth = 0;
      remember(refused);
      const lately = (times: readonly number[]) => times.filter((at) => at > host.now() - ms).length;
      apart = ms / Math.max(1, lately(left) - lately(refused));
    },
  };
}

/** A rate for the turns of each caller: the limiter of chat counts each by itself, and apart from other requests (CHAT-17). */
export function createTurns(host: Host) {
  const rates = new Map<unknown, ReturnType<typeof createRate>>();
  return (as: Send['as'] = 'api_key') => {
    const caller = typeof as === 'string' ? as : as?.bearer;
    const rate = rates.get(caller) ?? createRate(0, host);
    rates.set(caller, rate);
    return rate;
  };
}
