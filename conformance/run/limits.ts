import { suggestion } from '../../emulator/contract/nearest.js';
import { UsageError } from '../../emulator/contract/problem.js';
import { type LimitStop, Skipped, type Stop, Stopped, stoppedBy } from '../model/skip.js';
import type { Send } from '../probe/request.js';
import type { Host } from '../probe/time.js';

const NONE = Number.POSITIVE_INFINITY;

/**
 * The limits of a run with its clean-up: prompts, `time` in ms, requests. `runs`: of each property. `wait`: ms that one check may
 * wait while others go on.
 */
export const BUDGETS = {
  quick: { prompts: 20, time: 30_000, requests: 3_000, runs: 1, wait: 0 },
  default: { prompts: 150, time: 300_000, requests: 3_000, runs: 1, wait: 65_000 },
  thorough: { prompts: NONE, time: NONE, requests: NONE, runs: 20, wait: 310_000 },
} as const;

export const UNLIMITED = { maxPrompts: NONE, maxRequests: NONE, maxTime: NONE } as const;

export type BudgetName = keyof typeof BUDGETS;
const BUDGET_NAMES = Object.keys(BUDGETS) as readonly BudgetName[];

/** The limits that the caller gave. */
export interface BudgetOptions {
  /** Limits where no own one is given. Default `default` without a control interface, else none. */
  readonly budget?: BudgetName | undefined;
  /** Most prompts. Default 150 without a control interface. */
  readonly maxPrompts?: number | undefined;
  /** Most requests, the clean-up included. Default 3,000 without a control interface. */
  readonly maxRequests?: number | undefined;
  /** Most ms, the clean-up included. Default 300,000 without a control interface. */
  readonly maxTime?: number | undefined;
}

/** Requests of a default run with every credential that nothing cuts short. */
const WHOLE = 2_900;

/** Whether limits cut a run short, at `rate` requests a second; 0 is no limit. */
export const isCutShort = ({ requests, time }: Limits, rate: number): boolean =>
  Math.min(requests.most, rate > 0 ? (rate * time.most) / 1000 : NONE) < WHOLE;

interface Limit {
  readonly most: number;
  readonly stop: LimitStop;
}

/** The limits that a run never exceeds. */
export interface Limits {
  readonly prompts: Limit;
  readonly time: Limit;
  readonly requests: Limit;
}

/**
 * The limits of a run: the given ones, and for the others those of its budget. `free`: the target costs nothing, so without a
 * budget there are no limits. Shards share the prompts and requests of their budget.
 */
export function limitsOf(
  { budget, maxPrompts, maxRequests, maxTime }: BudgetOptions,
  { free, shards = 1 }: { readonly free: boolean; readonly shards?: number },
): Limits {
  const name = budget ?? (free ? 'thorough' : 'default');
  const usual = BUDGETS[name];
  const limit = (given: number | undefined, own: number, stop: (most: number) => LimitStop): Limit =>
    given === undefined ? { most: own, stop: { ...stop(own), budget: name } } : { most: given, stop: stop(given) };
  return {
    prompts: limit(maxPrompts, Math.floor(usual.prompts / shards), (most) => ({ kind: 'prompts', most })),
    time: limit(maxTime, usual.time, (ms) => ({ kind: 'time', ms })),
    requests: limit(maxRequests, Math.floor(usual.requests / shards), (most) => ({ kind: 'requests', most })),
  };
}

/**
 * The budget of a name.
 *
 * @throws UsageError that names the budgets
 */
export function budgetNamed(text: string): BudgetName {
  const name = BUDGET_NAMES.find((one) => one === text);
  if (name !== undefined) return name;
  const known = 'quick, default or thorough';
  throw new UsageError(`--budget: expected ${known}, got ${JSON.stringify(text)}${suggestion(text, BUDGET_NAMES)}`);
}

/** Most and least ms between two estimates of the work that is left. */
const LOOKED = 1_000;
const SOONEST = 50;
/** The share of each limit that is kept for work under way, and its maximum. */
const LAST = { share: 0.1, time: 30_000, requests: 12, prompts: 2 };
/** The largest share of the time that is kept for second looks. */
const SECOND_LOOK = 0.2;

/** Requests of a second look at one finding, and at the habits that may explain it. */
const REQUESTS_OF_LOOK = 12;
/** Requests for measuring habits. */
const MEASURES = 160;
/** Most findings for whose second looks requests are kept. */
const FEW = 6;
/** ms that second looks wait, for late reads and for measures of habits. */
const WAITS_OF_LOOKS = 30_000;

/** The work that remains when nothing more is begun. Times in ms. */
export interface Owed {
  /** Requests of the clean-up and of the look at the end. */
  readonly requests: number;
  readonly wait: number;
  /** Findings that wait for a second look. */
  readonly found: number;
  /** ms that a request takes. */
  readonly pace: number;
}
const NOTHING: Owed = { requests: 0, wait: 0, found: 0, pace: 0 };

/** The end of a run: a limit, an obstacle, or a stop from outside. Every request except those of the clean-up enters here. */
export function createEnding(
  host: Pick<Host, 'later' | 'now'>,
  { limits = {}, signal }: { readonly limits?: Partial<Limits>; readonly signal?: AbortSignal | undefined },
) {
  const { time } = limits;
  const mostOf = (of: keyof Limits) => limits[of]?.most ?? Number.POSITIVE_INFINITY;
  const most = { time: mostOf('time'), requests: mostOf('requests'), prompts: mostOf('prompts') };
  const over = new AbortController();
  let stopped: Stop | undefined;
  let stopTimer = () => {};
  let until = Number.POSITIVE_INFINITY;
  let owes = (): Owed => NOTHING;
  let sent = 0;
  let prompts = 0;
  const end = (why: Stop) => over.abort(new Stopped(why));
  const interrupted = () => end({ kind: 'interrupted' });
  /** ms that the clean-up will take. */
  const kept = ({ requests: owed, pace, wait }: Owed) => (owed === 0 ? 0 : owed * pace + wait);
  const left = (owed: Owed) => until - Math.min(kept(owed), most.time / 2) - host.now();
  /** The limit of requests, if `more` requests and those of the clean-up would exceed it. */
  const tooMany = (more: (owed: Owed) => number): Stop | undefined => {
    if (!Number.isFinite(most.requests)) return undefined;
    const owed = owes();
    return sent + more(owed) + owed.requests > most.requests ? limits.requests?.stop : undefined;
  };
  const last = (of: 'requests' | 'prompts') => Math.max(1, Math.min(LAST[of], LAST.share * most[of]));
  return {
    /** Aborts when the work under way must end, too. */
    get signal(): AbortSignal {
      return over.signal;
    },
    /** The first reason why the run is over; undefined while it goes on. */
    get stopped(): Stop | undefined {
      return stopped ?? (over.signal.aborted ? ({ kind: 'interrupted' } as const) : undefined);
    },
    /** Why there is too little time to begin anything. Work under way may go on. */
    get near(): Stop | undefined {
      if (!Number.isFinite(most.time)) return undefined;
      const owed = owes();
      const looks = owed.found === 0 ? 0 : WAITS_OF_LOOKS + owed.found * REQUESTS_OF_LOOK * owed.pace;
      const reserve = Math.min(LAST.share * most.time, LAST.time) + Math.min(looks, SECOND_LOOK * most.time);
      return left(owed) < reserve || kept(owed) > (0.5 - LAST.share) * most.time ? time?.stop : undefined;
    },
    /** Why nothing more is begun; undefined while there is room. `asks`: for work that prompts an intern. */
    without(asks: boolean): Stop | undefined {
      const full = tooMany(({ found }) => {
        const looks = found === 0 ? 0 : MEASURES + Math.min(found, FEW) * REQUESTS_OF_LOOK;
        return last('requests') + Math.min(looks, LAST.share * most.requests);
      });
      return this.near ?? full ?? (asks && prompts + last('prompts') > most.prompts ? limits.prompts?.stop : undefined);
    },
    /**
     * Counts a request before it is sent. `prompt`: it may count as a prompt; `more`: requests that the clean-up must send for it.
     * Returns a function that takes it back, if it was not sent.
     *
     * @throws Stopped if no more requests may be sent, Skipped if no more prompts may be
     */
    enter(prompt: boolean, more: number): () => void {
      const full = tooMany(() => 1 + more);
      if (full !== undefined) throw new Stopped(full);
      if (prompt && limits.prompts !== undefined && prompts >= most.prompts)
        throw new Skipped(stoppedBy(limits.prompts.stop));
      sent++;
      if (prompt) prompts++;
      return () => {
        sent--;
        if (prompt) prompts--;
      };
    },
    /** A prompt was refused, so it does not count. */
    refused: () => void prompts--,
    /** Whether a number of requests exceeds the limit. */
    isBeyond: (all: number) => all > most.requests,
    /** Begins nothing more. Work under way goes on. */
    stop(why: Stop) {
      stopped ??= why;
    },
    /** Ends the work under way, too. */
    end,
    /** Watches the time and the signal of the caller until `close`. */
    begin(owed = owes, began = host.now()) {
      owes = owed;
      if (signal?.aborted) interrupted();
      signal?.addEventListener('abort', interrupted, { once: true });
      if (time === undefined || !Number.isFinite(time.most)) return;
      until = began + time.most;
      const watch = () => {
        const rest = left(owes());
        if (rest > 2 * SOONEST) {
          // Requests under way may add as much work to the clean-up as time passes. Half of the rest is never too late.
          stopTimer = host.later(Math.min(Math.max(rest / 2, SOONEST), LOOKED), watch);
          return;
        }
        stopped = time.stop;
        end(stopped);
      };
      watch();
    },
    close() {
      stopTimer();
      signal?.removeEventListener('abort', interrupted);
    },
  };
}
export type Ending = ReturnType<typeof createEnding>;

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
