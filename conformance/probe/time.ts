/** The machine's clock, timers and randomness. No other part of the kit touches them. */
export interface Host {
  /** Milliseconds since the epoch, with fractions. */
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `then` once after `ms`, 24 days at most. Returns a function that cancels it. */
  later(ms: number, then: () => void): () => void;
  /** A few turns of the event loop, enough for ready work of the process. */
  turn(): Promise<void>;
  /** `length` characters of [a-z0-9], the first one a letter. */
  tag(length: number): string;
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const ALL = `${LETTERS}0123456789`;

/**
 * Measures the work of this process, in ms: the elapsed time, less the time that the processor spent on others
 * meanwhile.
 */
export function stopwatch(): () => number {
  const began = performance.now();
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return Math.min(performance.now() - began, (user + system) / 1_000);
  };
}

/** The `sleep` of a host with this `later`. */
export const sleepBy =
  (later: Host['later']): Host['sleep'] =>
  (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const abort = () => {
        cancel();
        reject(signal?.reason);
      };
      const cancel = later(ms, () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      });
      signal?.addEventListener('abort', abort, { once: true });
    });

/** The longest that a timer of Node waits, in ms. */
const LONGEST = 2 ** 31 - 1;
const timeout: Host['later'] = (ms, then) => {
  const timer = setTimeout(then, Math.min(ms, LONGEST));
  return () => clearTimeout(timer);
};

export const systemHost: Host = {
  now: () => performance.timeOrigin + performance.now(),
  sleep: sleepBy(timeout),
  later: timeout,
  async turn() {
    for (let turns = 0; turns < 4; turns++) await new Promise<void>((resolve) => setImmediate(resolve));
  },
  tag(length) {
    const bytes = crypto.getRandomValues(new Uint8Array(length));
    return Array.from(bytes, (byte, at) => (at === 0 ? LETTERS[byte % 26] : ALL[byte % 36])).join('');
  },
};

/** Hash of a text to 32 bits (FNV-1a, then mixed): seeds of properties out of the seed of a run. */
export function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x7feb352d);
  return (value ^ (value >>> 15)) | 0;
}

/** Numbers in [0, 1) that follow from a seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296;
  };
}
