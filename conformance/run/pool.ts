import type { Intern } from '../../emulator/contract/intern.js';
import type { IdleState, Standing } from '../habits/dealings.js';
import { NOTICED_WITHIN } from '../habits/visit.js';
import type { Lane } from '../probe/client.js';
import type { CheckResult } from './results.js';

/**
 * The use of an intern that is kept. `shared`: checks of one lane only talk to it. `foreign`: it is of the other workspace, for
 * checks that have it refused. `resting`: a client left a stream of it, and it can serve others once that is noticed.
 */
type Place = IdleState | 'shared' | 'foreign' | 'resting';
interface Kept {
  readonly intern: Intern;
  readonly place: Place;
  /** Of a shared one. */
  readonly lane?: Lane | undefined;
}

/** The order in which they are given up, where only a few may be kept. */
const GIVEN_UP: readonly Place[] = ['foreign', 'resting', 'stopped', 'booting', 'running', 'shared'];
/** Times that one intern is handed out: unanswered questions stay open on it. */
const MOST_USES = 12;
/** ms after which the service has noticed that a client left, and a little more. */
const RESTS = NOTICED_WITHIN + 1_000;
/** How many are kept at once: a deployment may allow only so many. */
const MOST_KEPT: Readonly<Record<IdleState, number>> = { stopped: 8, booting: 2, running: 4 };

/** The interns that can be handed out again, and what else outlives a check. */
export function createPool(knowledge: {
  /** Where an intern is that can serve any check. */
  standing(id: string): Standing | undefined;
  /** ms since a client of the run left a stream of it. */
  leftAgo(id: string): number;
}) {
  const { standing, leftAgo } = knowledge;
  /** By their ids, the latest last. */
  const kept = new Map<string, Kept>();
  /** Ids of those that are handed out no more, and of them those that nobody uses. */
  const dropped = new Set<string>();
  const idle = new Set<string>();
  const uses = new Map<string, number>();
  const of = (place: Place, lane?: Lane): readonly Intern[] =>
    [...kept.values()].filter((one) => one.place === place && one.lane === lane).map(({ intern }) => intern);
  const keep = (place: Place, intern: Intern, lane?: Lane) => {
    kept.delete(intern.id);
    kept.set(intern.id, { intern, place, lane });
  };
  /** It is handed out no more. A shared one goes with what its check made. */
  const drop = ({ intern: { id }, lane }: Kept) => {
    kept.delete(id);
    dropped.add(id);
    (lane?.made ?? idle).add(id);
  };
  const rests = (id: string) => leftAgo(id) < RESTS;
  /** Lets those of a lane rest that a client left a stream of, its shared one too, and gives it those that have rested. */
  const rest = (lane: Lane) => {
    const back = (id: string) => kept.delete(id) && lane.made.add(id);
    for (const { id } of of('shared', lane)) if (rests(id)) back(id);
    for (const id of [...of('resting').map((one) => one.id), ...lane.made]) {
      const found = standing(id);
      if (rests(id) && !dropped.has(id) && found?.state === 'running') keep('resting', found.record);
      else if (kept.get(id)?.place === 'resting') back(id);
    }
  };
  /** Keeps what is known to be in a state in which it can serve others. */
  const takeBack = (id: string) => {
    const used = (uses.get(id) ?? 0) + 1;
    uses.set(id, used);
    const found = standing(id);
    if (found === undefined || used >= MOST_USES || dropped.has(id) || kept.has(id)) return;
    if (of(found.state).length < MOST_KEPT[found.state]) keep(found.state, found.record);
  };

  return {
    /** How many ids were made up. */
    unknown: 0,
    /** Findings of the checks so far. */
    reported: [] as CheckResult[],
    /** Names of the valid twins that were accepted. */
    accepted: new Set<string>(),
    /** Ids of those that nobody uses: to be taken away. */
    idle,
    of,
    keep,
    /** Ids of interns that later checks get. */
    kept: (): ReadonlySet<string> => new Set(kept.keys()),
    /** Hands one out: this one, or the latest. */
    take(place: Place, id = of(place).at(-1)?.id): Intern | undefined {
      const { intern } = kept.get(id ?? '') ?? {};
      if (intern !== undefined) kept.delete(intern.id);
      return intern;
    },
    /** The lane gets another shared intern from now on, and others another of the other workspace where a check of it had that. */
    drop(lane: Lane, { foreign = true } = {}) {
      for (const one of [...kept.values()])
        if (one.place === 'foreign' ? foreign && lane.made.has(one.intern.id) : one.lane === lane) drop(one);
    },
    /**
     * Takes back what the check of a lane made or was handed, and keeps no more than `most`: those that boot, or wait, are
     * made anew sooner than those that run.
     */
    takeBack(lane: Lane, most = Number.POSITIVE_INFINITY) {
      rest(lane);
      for (const id of lane.made) takeBack(id);
      this.keepFewer(most);
    },
    /** Keeps no more than `most`. */
    keepFewer(most: number) {
      if (most === Number.POSITIVE_INFINITY) return;
      for (const place of GIVEN_UP) {
        const all = [...kept.values()].filter((one) => one.place === place);
        for (const one of place === 'shared' ? all.reverse() : all)
          if (kept.size > most || place === 'foreign' || place === 'resting') drop(one);
      }
    },
    /** Hands out none of those any more. */
    withhold(isStray: (id: string) => boolean) {
      for (const one of [...kept.values()]) if (isStray(one.intern.id)) drop(one);
    },
  };
}
export type Pool = ReturnType<typeof createPool>;
