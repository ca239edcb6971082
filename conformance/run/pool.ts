import type { Intern } from '../../emulator/contract/intern.js';
import type { IdleState, Standing } from '../habits/dealings.js';
import { NOTICED_WITHIN } from '../habits/visit.js';
import { blocked, type Obstacle, type ObstacleSeen } from '../model/skip.js';
import type { Lane } from '../probe/client.js';
import type { CheckResult } from './results.js';

/**
 * The use of a kept intern. `shared`: checks of one lane talk to it, but do not change it. `foreign`: it is of the other
 * workspace, for checks of refusals. `resting`: a client left a stream of it, which the service may not have noticed yet.
 */
type Place = IdleState | 'shared' | 'foreign' | 'resting';
interface Kept {
  readonly intern: Intern;
  readonly place: Place;
  /** The lane of a shared intern. */
  readonly lane?: Lane | undefined;
}

/** The order in which kept interns are given up, where a service has room for few. */
const GIVEN_UP: readonly Place[] = ['foreign', 'resting', 'stopped', 'booting', 'running', 'shared'];
/** Most times that one intern is handed out: unanswered questions stay open on it. */
const MOST_USES = 12;
/** ms after which the service has noticed that a client left, and a little more. */
const RESTS = NOTICED_WITHIN + 1_000;
const MOST_KEPT: Readonly<Record<IdleState, number>> = { stopped: 8, booting: 2, running: 4 };

/** The interns that can be handed out again, and other things that outlive a check. */
export function createPool(knowledge: {
  /** The state of an intern that can serve any check. */
  standing(id: string): Standing | undefined;
  /** ms since a client of the run left a stream of an intern. */
  leftAgo(id: string): number;
}) {
  const { standing, leftAgo } = knowledge;
  /** Kept interns by their ids, the latest last. */
  const kept = new Map<string, Kept>();
  /** Ids of interns that are not handed out again. */
  const dropped = new Set<string>();
  const idle = new Set<string>();
  const uses = new Map<string, number>();
  const of = (place: Place, lane?: Lane): readonly Intern[] =>
    [...kept.values()].filter((one) => one.place === place && one.lane === lane).map(({ intern }) => intern);
  const keep = (place: Place, intern: Intern, lane?: Lane) => {
    kept.delete(intern.id);
    kept.set(intern.id, { intern, place, lane });
  };
  /** Stops handing out an intern. A shared one is removed with the interns of its check. */
  const drop = ({ intern: { id }, lane }: Kept) => {
    kept.delete(id);
    dropped.add(id);
    (lane?.made ?? idle).add(id);
  };
  const rests = (id: string) => leftAgo(id) < RESTS;
  /** Sets aside interns of a lane that a client left a stream of, and returns those that have rested. */
  const rest = (lane: Lane) => {
    const back = (id: string) => kept.delete(id) && lane.made.add(id);
    for (const { id } of of('shared', lane)) if (rests(id)) back(id);
    for (const id of [...of('resting').map((one) => one.id), ...lane.made]) {
      const found = standing(id);
      if (rests(id) && !dropped.has(id) && found?.state === 'running') keep('resting', found.record);
      else if (kept.get(id)?.place === 'resting') back(id);
    }
  };
  /** Keeps an intern whose state is known, so that it can serve others. */
  const takeBack = (id: string) => {
    const used = (uses.get(id) ?? 0) + 1;
    uses.set(id, used);
    const found = standing(id);
    if (found === undefined || used >= MOST_USES || dropped.has(id) || kept.has(id)) return;
    if (of(found.state).length < MOST_KEPT[found.state]) keep(found.state, found.record);
  };

  return {
    /** The number of ids that were made up. */
    unknown: 0,
    /** Findings of the checks so far. */
    reported: [] as CheckResult[],
    /** Names of the valid twins that were accepted. */
    accepted: new Set<string>(),
    /** Ids of unused interns that are deleted next. */
    idle,
    of,
    keep,
    /** Ids of interns that later checks get. */
    kept: (): ReadonlySet<string> => new Set(kept.keys()),
    /** Hands out the intern of this id, or the latest. */
    take(place: Place, id = of(place).at(-1)?.id): Intern | undefined {
      const { intern } = kept.get(id ?? '') ?? {};
      if (intern !== undefined) kept.delete(intern.id);
      return intern;
    },
    /** Gives a lane a new shared intern, and with `foreign` a new one of the other workspace. */
    drop(lane: Lane, { foreign = true } = {}) {
      for (const one of [...kept.values()])
        if (one.place === 'foreign' ? foreign && lane.made.has(one.intern.id) : one.lane === lane) drop(one);
    },
    /**
     * Takes back the interns that the check of a lane made or was handed. Keeps no more than `most`: booting or stopped ones are
     * quicker to make again than running ones.
     */
    takeBack(lane: Lane, most = Number.POSITIVE_INFINITY) {
      rest(lane);
      for (const id of lane.made) takeBack(id);
      this.keepFewer(most);
    },
    /** Keeps no more than `most` interns. */
    keepFewer(most: number) {
      if (most === Number.POSITIVE_INFINITY) return;
      for (const place of GIVEN_UP) {
        const all = [...kept.values()].filter((one) => one.place === place);
        for (const one of place === 'shared' ? all.reverse() : all)
          if (kept.size > most || place === 'foreign' || place === 'resting') drop(one);
      }
    },
    /** Stops handing out stray interns. */
    withhold(isStray: (id: string) => boolean) {
      for (const one of [...kept.values()]) if (isStray(one.intern.id)) drop(one);
    },
  };
}
export type Pool = ReturnType<typeof createPool>;

/** An obstacle that this many checks met stops the checks that build on it. */
const ENOUGH: Readonly<Record<Obstacle, number>> = {
  create: 1,
  running: 1,
  gone: 1,
  chat: 3,
  streaming: 1,
  answers: 3,
};

/** The obstacles of a run: each is reported once, and not by every check that builds on it. */
export function createObstacles(blocking: boolean) {
  const found = new Map<Obstacle, Map<string, ObstacleSeen | undefined>>();
  return {
    /** Notes that a check met an obstacle. */
    met(obstacle: Obstacle, by: string, seen?: ObstacleSeen) {
      const checks = found.get(obstacle) ?? new Map<string, ObstacleSeen | undefined>();
      checks.set(by, seen);
      found.set(obstacle, checks);
    },
    /** Notes that an obstacle does not exist, or no longer. */
    gone(obstacle: Obstacle) {
      found.delete(obstacle);
    },
    /** Whether enough checks have met an obstacle. */
    blocks: (obstacle: Obstacle) => (found.get(obstacle)?.size ?? 0) >= ENOUGH[obstacle],
    /** Throws a skip if enough other checks have met an obstacle. */
    pass(obstacle: Obstacle, check: string) {
      const by = found.get(obstacle);
      // A check that met the obstacle itself is repeated unchanged.
      if (!blocking || by === undefined || by.size < ENOUGH[obstacle] || by.has(check)) return;
      const [[first, seen] = [check, undefined]] = by;
      throw blocked({ kind: 'blocked', by: first, obstacle, ...(seen === undefined ? {} : { seen }) });
    },
  };
}
export type Obstacles = ReturnType<typeof createObstacles>;
