import type { Run } from './run.js';

/** How many ended runs are remembered per intern, newest kept. */
export const ENDED_RUNS_KEPT = 1_000;
/** Of how many deleted interns the runs are still shown. */
export const GONE_INTERNS_KEPT = 100;

/** The runs of one intern, by what is asked of them. */
export interface Lane {
  /** In the order in which they began; the ended ones bounded by {@link ENDED_RUNS_KEPT}. */
  readonly runs: Map<string, Run>;
  /** The going run of a session: there is one at most. */
  readonly going: Map<string, Run>;
  /** By the id of every question they asked. */
  readonly asked: Map<string, Run>;
  /** In the order in which they ended. */
  readonly ended: Run[];
  /** The chat run that streams: it holds the turn lock (CHAT-14). */
  streaming: Run | undefined;
  waiting: number;
}

/** Keeps the indexes of every intern's runs in step with what the runs do. */
export function createLanes() {
  const lanes = new Map<string, Lane>();
  const gone: string[] = [];

  const evict = (lane: Lane, run: Run) => {
    lane.runs.delete(run.id);
    for (const id of run.asked ?? []) lane.asked.delete(id);
  };

  return {
    /** The lane of an intern, made when it has none yet. */
    of(internId: string): Lane {
      let lane = lanes.get(internId);
      if (!lane) {
        lane = { runs: new Map(), going: new Map(), asked: new Map(), ended: [], streaming: undefined, waiting: 0 };
        lanes.set(internId, lane);
      }
      return lane;
    },
    peek: (internId: string): Lane | undefined => lanes.get(internId),
    all: (): Iterable<Lane> => lanes.values(),
    clear() {
      lanes.clear();
      gone.length = 0;
    },
    /** Notes that an intern is gone; its ended runs are shown until {@link GONE_INTERNS_KEPT} others are gone too. */
    forget(internId: string) {
      if (!lanes.has(internId)) return;
      gone.push(internId);
      const oldest = gone.length > GONE_INTERNS_KEPT ? gone.shift() : undefined;
      if (oldest !== undefined) lanes.delete(oldest);
    },
    add(run: Run) {
      const lane = this.of(run.internId);
      lane.runs.set(run.id, run);
      lane.going.set(run.sessionId, run);
      if (run.origin === 'chat') lane.streaming = run;
    },
    /** To be called after a run's status changed. */
    moved(run: Run, from: Run['status']) {
      const lane = lanes.get(run.internId);
      if (!lane || lane.runs.get(run.id) !== run) return;
      if (from === 'waiting') lane.waiting--;
      if (lane.streaming === run) lane.streaming = undefined;
      if (run.status === 'running') lane.streaming = run;
      if (run.status === 'waiting' && run.question) {
        lane.waiting++;
        lane.asked.set(run.question.id, run);
        run.asked ??= [];
        run.asked.push(run.question.id);
      }
      if (run.status !== 'ended') return;
      lane.going.delete(run.sessionId);
      lane.ended.push(run);
      const oldest = lane.ended.length > ENDED_RUNS_KEPT ? lane.ended.shift() : undefined;
      if (oldest) evict(lane, oldest);
    },
  };
}
