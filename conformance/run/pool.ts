import type { Intern } from '../../emulator/contract/intern.js';
import type { IdleState, Standing } from '../habits/dealings.js';
import { NOTICED_WITHIN } from '../habits/visit.js';
import type { Answer, ScopeWatch } from '../probe/client.js';
import type { Send } from '../probe/request.js';
import type { CheckResult } from './results.js';

/**
 * The things of one lane, whose checks run one after another beside other lanes. `madeIn` knows the intern that
 * the answer to a request of that number gave the run.
 */
export function createLane(madeIn: (number: number) => string | undefined) {
  const made = new Set<string>();
  let sent = 0;
  return {
    /** Ids that the current check made or was handed; emptied by the runner. */
    made,
    /** How many requests its checks have sent. */
    get sent() {
      return sent;
    },
    /** Takes note of what a check of it sends. */
    watch: {
      sent: () => void sent++,
      seen(_: Send, __: string, { exchange }: Answer) {
        const id = madeIn(exchange);
        if (id !== undefined) made.add(id);
      },
    } satisfies ScopeWatch,
  };
}
export type Lane = ReturnType<typeof createLane>;

/** Names given so far, and interns that can be handed out again: both outlive a check. */
export const createPool = () => ({
  count: 0,
  unknown: 0,
  /** The running intern of each lane for checks that only talk to one. */
  shared: new Map<Lane, Intern>(),
  /** That of the other workspace, for checks that have it refused. */
  foreign: undefined as Intern | undefined,
  /** Interns that checks made, or left as described, the latest last. */
  unused: { stopped: [], booting: [], running: [] } as Record<IdleState, Intern[]>,
  /** Ids of those that a client left a stream of: they can serve others once that is noticed. */
  resting: new Set<string>(),
  /** Ids of those that are handed out no more, and of them those that nobody uses: to be taken away. */
  dropped: new Set<string>(),
  idle: new Set<string>(),
  /** Times that each was handed out. */
  uses: new Map<string, number>(),
  /** Findings of the checks so far. */
  reported: [] as CheckResult[],
  /** Names of the valid twins that were accepted. */
  accepted: new Set<string>(),
});
export type Pool = ReturnType<typeof createPool>;

/** The lane gets another shared intern from now on. The one that it had goes with what its check made. */
export function dropShared(pool: Pool, lane: Lane): void {
  const shared = pool.shared.get(lane);
  if (shared === undefined) return;
  pool.shared.delete(lane);
  pool.dropped.add(shared.id);
  lane.made.add(shared.id);
}

/** Others get another of the other workspace from now on, where a check had it. */
export function dropForeign(pool: Pool, lane: Lane): void {
  if (pool.foreign === undefined || !lane.made.has(pool.foreign.id)) return;
  pool.dropped.add(pool.foreign.id);
  pool.foreign = undefined;
}

/** Hands none of them out any more, but for the shared intern of one lane. */
export function forget(pool: Pool, but?: Lane): void {
  pool.foreign = undefined;
  for (const id of pool.resting) for (const ids of [pool.dropped, pool.idle]) ids.add(id);
  pool.resting.clear();
  for (const lane of pool.shared.keys()) if (lane !== but) dropShared(pool, lane);
  for (const { id } of Object.values(pool.unused).flat()) for (const ids of [pool.dropped, pool.idle]) ids.add(id);
  pool.unused = { stopped: [], booting: [], running: [] };
}

/** Hands out none of those any more. */
export function withhold(pool: Pool, isStray: (id: string) => boolean): void {
  for (const [state, row] of Object.entries(pool.unused) as [IdleState, Intern[]][])
    pool.unused[state] = row.filter(({ id }) => !isStray(id) || !pool.dropped.add(id).has(id));
  for (const [lane, { id }] of pool.shared) if (isStray(id)) dropShared(pool, lane);
}

/** Ids of interns that later checks get. */
export const kept = ({ shared, foreign, resting, unused }: Pool): Set<string> => {
  const { stopped, booting, running } = unused;
  const others = foreign === undefined ? [] : [foreign];
  const interns = [...shared.values(), ...others, ...stopped, ...booting, ...running];
  return new Set([...interns.map(({ id }) => id), ...resting]);
};

/** Hands out no more than `most`: those that boot, or wait, are made anew sooner than those that run. */
export function keepFewer(pool: Pool, most: number): void {
  if (pool.foreign !== undefined && most < Number.POSITIVE_INFINITY) {
    for (const ids of [pool.dropped, pool.idle]) ids.add(pool.foreign.id);
    pool.foreign = undefined;
  }
  for (const id of most < Number.POSITIVE_INFINITY ? pool.resting : []) {
    pool.resting.delete(id);
    for (const ids of [pool.dropped, pool.idle]) ids.add(id);
  }
  const { stopped, booting, running } = pool.unused;
  for (const row of [stopped, booting, running]) {
    while (kept(pool).size > most) {
      const one = row.shift();
      if (one === undefined) break;
      for (const ids of [pool.dropped, pool.idle]) ids.add(one.id);
    }
  }
  for (const lane of [...pool.shared.keys()].reverse()) if (kept(pool).size > most) dropShared(pool, lane);
}

/** Times that one intern is handed out: unanswered questions stay open on it. */
const MOST_USES = 12;
/** ms after which the service has noticed that a client left, and a little more. */
const RESTS = NOTICED_WITHIN + 1_000;
/** How many are kept at once: a deployment may allow only so many. */
const MOST_KEPT: Readonly<Record<IdleState, number>> = { stopped: 8, booting: 2, running: 4 };

/**
 * Lets those of a lane rest that a client left a stream of, its shared intern too, and gives it those that have rested.
 * `leftAgo` is how many ms ago that was.
 */
export function rest(
  pool: Pool,
  lane: Lane,
  standing: (id: string) => Standing | undefined,
  leftAgo: (id: string) => number,
): void {
  const rests = (id: string) => leftAgo(id) < RESTS;
  const shared = pool.shared.get(lane);
  if (shared !== undefined && rests(shared.id)) {
    pool.shared.delete(lane);
    lane.made.add(shared.id);
  }
  for (const id of [...pool.resting, ...lane.made]) {
    if (rests(id) && !pool.dropped.has(id) && standing(id)?.state === 'running') pool.resting.add(id);
    else if (pool.resting.delete(id)) lane.made.add(id);
  }
}

/** Takes back what a check made or was handed, where what is known of it says in which state it is. */
export function takeBack(pool: Pool, ids: Iterable<string>, standing: (id: string) => Standing | undefined): void {
  for (const id of ids) {
    const uses = (pool.uses.get(id) ?? 0) + 1;
    pool.uses.set(id, uses);
    const found = standing(id);
    if (found === undefined || uses >= MOST_USES || pool.dropped.has(id) || pool.resting.has(id)) continue;
    const row = pool.unused[found.state];
    if (row.length < MOST_KEPT[found.state] && !row.some((one) => one.id === id)) row.push(found.record);
  }
}
