import { suggestion } from '../../emulator/contract/nearest.js';
import { Skipped, stoppedBy } from '../framework/skip.js';
import { type LimitStop, type Stop, Stopped } from '../framework/stop.js';
import { UsageError } from '../framework/usage.js';
import type { Host } from '../probe/time.js';

const NONE = Number.POSITIVE_INFINITY;

/**
 * The limits of a run, its clean-up included: prompts, ms, requests; runs of each property; and ms that one wait may take,
 * while other checks go on.
 */
export const BUDGETS = {
  quick: { prompts: 20, time: 30_000, requests: 3_000, runs: 1, wait: 0 },
  default: { prompts: 150, time: 300_000, requests: 3_000, runs: 1, wait: 65_000 },
  thorough: { prompts: NONE, time: NONE, requests: NONE, runs: 20, wait: 310_000 },
} as const;

/** No limits: for what is done whatever it costs. */
export const UNLIMITED = { maxPrompts: NONE, maxRequests: NONE, maxTime: NONE } as const;

export type BudgetName = keyof typeof BUDGETS;
const BUDGET_NAMES = Object.keys(BUDGETS) as readonly BudgetName[];

/** The limits that were given. */
export interface BudgetOptions {
  /** Its limits where none of its own is given. Default `default` without a control interface, else none. */
  readonly budget?: BudgetName | undefined;
  /** Prompts that may be taken. Default 150 without a control interface. */
  readonly maxPrompts?: number | undefined;
  /** Requests, its clean-up included. Default 3,000 without a control interface. */
  readonly maxRequests?: number | undefined;
  /** ms, its clean-up included. Default 300,000 without a control interface. */
  readonly maxTime?: number | undefined;
}

/** The limit that stops a run, and its number. */
interface Limit {
  readonly most: number;
  /** The run stops so, where it does. */
  readonly stop: LimitStop;
}

/** The limits that a run never exceeds. */
export interface Limits {
  readonly prompts: Limit;
  readonly time: Limit;
  readonly requests: Limit;
}

/**
 * The limits of a run: each that was given, and those of its budget in the place of the others. `free`: nothing is spent at
 * the target, so that without a budget there are none. Shards share what their budget has of prompts and requests.
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
 * @throws UsageError that names those that there are
 */
export function budgetNamed(text: string): BudgetName {
  const name = BUDGET_NAMES.find((one) => one === text);
  if (name !== undefined) return name;
  const known = 'quick, default or thorough';
  throw new UsageError(`--budget: expected ${known}, got ${JSON.stringify(text)}${suggestion(text, BUDGET_NAMES)}`);
}

/** ms between two estimates of what is owed. */
const LOOKED = 1_000;
const SOONEST = 50;
/** The share that is kept for what is under way when nothing more is begun, and how much of each it is at most. */
const LAST = { share: 0.1, time: 30_000, requests: 12, prompts: 2 };
/** The share of the time that is kept for second looks at most. */
const SECOND_LOOK = 0.2;

/** Requests of a second look at one thing that was found, and at the habits that may explain it. */
const REQUESTS_OF_LOOK = 12;
/** Requests that the measures of habits take, and things that are looked at again where little is left. */
const MEASURES = 48;
const FEW = 6;
/** ms that second looks wait: for what may be read late, and for what habits measure. */
const WAITS_OF_LOOKS = 30_000;

/** The work that is left when nothing more is begun. Times in ms. */
export interface Owed {
  /** Requests of the clean-up and of the last look, and how long they wait beside. */
  readonly requests: number;
  readonly wait: number;
  /** Things that were found, and are looked at again. */
  readonly found: number;
  /** How long a request takes. */
  readonly pace: number;
}
const NOTHING: Owed = { requests: 0, wait: 0, found: 0, pace: 0 };

/** The end of a run: a limit, an obstacle, or a stop from outside. Every request but those of the clean-up is let in here. */
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
  /** ms that the clean-up will take, and those that are left without them. */
  const kept = ({ requests: owed, pace, wait }: Owed) => (owed === 0 ? 0 : owed * pace + wait);
  const left = (owed: Owed) => until - Math.min(kept(owed), most.time / 2) - host.now();
  /** The limit of requests, where so many more and those of the clean-up are too many. Without a limit nobody counts them. */
  const tooMany = (more: number): Stop | undefined =>
    Number.isFinite(most.requests) && sent + more + owes().requests > most.requests ? limits.requests?.stop : undefined;
  const last = (of: 'requests' | 'prompts') => Math.max(1, Math.min(LAST[of], LAST.share * most[of]));
  return {
    /** Aborts when what is under way is to end too. */
    get signal(): AbortSignal {
      return over.signal;
    },
    /** Why the run is over, where it is. The first reason counts. */
    get stopped(): Stop | undefined {
      return stopped ?? (over.signal.aborted ? ({ kind: 'interrupted' } as const) : undefined);
    },
    /** Why there is too little time to begin anything, though what is under way may go on. */
    get near(): Stop | undefined {
      if (!Number.isFinite(most.time)) return undefined;
      const owed = owes();
      const looks = owed.found === 0 ? 0 : WAITS_OF_LOOKS + owed.found * REQUESTS_OF_LOOK * owed.pace;
      const reserve = Math.min(LAST.share * most.time, LAST.time) + Math.min(looks, SECOND_LOOK * most.time);
      return left(owed) < reserve || kept(owed) > (0.5 - LAST.share) * most.time ? time?.stop : undefined;
    },
    /** Why nothing more is begun, where nothing is. `asks`: it is about what an intern says. */
    without(asks: boolean): Stop | undefined {
      const { found } = owes();
      const looks = found === 0 ? 0 : MEASURES + Math.min(found, FEW) * REQUESTS_OF_LOOK;
      const full = tooMany(last('requests') + Math.min(looks, LAST.share * most.requests));
      return this.near ?? full ?? (asks && prompts + last('prompts') > most.prompts ? limits.prompts?.stop : undefined);
    },
    /**
     * Lets a request in. `prompt`: it may be taken as one; `more`: what the clean-up has to send for it. Gives what takes it
     * back, where it has not left.
     *
     * @throws Stopped where no more may be sent, Skipped where no more prompts may be
     */
    enter(prompt: boolean, more: number): () => void {
      const full = tooMany(1 + more);
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
    /** A prompt was refused: it cost nothing. */
    refused: () => void prompts--,
    /** Whether so many requests are too many in all. */
    isBeyond: (all: number) => all > most.requests,
    /** Begins nothing more; what is under way goes on. */
    stop(why: Stop) {
      stopped ??= why;
    },
    /** Ends what is under way, too. */
    end,
    /** Watches the time and the signal of the caller, until it is closed. */
    begin(owed = owes, began = host.now()) {
      owes = owed;
      if (signal?.aborted) interrupted();
      signal?.addEventListener('abort', interrupted, { once: true });
      if (time === undefined || !Number.isFinite(time.most)) return;
      until = began + time.most;
      const watch = () => {
        const rest = left(owes());
        if (rest > 2 * SOONEST) {
          // A request under way may add to the clean-up as much time as passes: half of the time left is never too late.
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
