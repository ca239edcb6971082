import type { ApprovalMode, RunView, Usage } from '../contract/run.js';
import { type Run, viewRun } from './run.js';

/** How many ended runs are remembered per intern, newest kept. */
export const ENDED_RUNS_KEPT = 1_000;
/** How many deleted interns still show their runs. */
export const GONE_INTERNS_KEPT = 100;

/** The runs of one intern, by what is asked of them. */
export interface InternRuns {
  /** In the order in which they began; the ended ones bounded by {@link ENDED_RUNS_KEPT}. */
  readonly runs: Map<string, Run>;
  /** The open run of a session: there is at most one. */
  readonly going: Map<string, Run>;
  /** Runs by the id of every question they asked. */
  asked: Map<string, Run> | undefined;
  /** In the order in which they ended. */
  readonly ended: Run[];
  /** The chat run that streams: it holds the turn lock (CHAT-14). */
  streaming: Run | undefined;
  waiting: number;
}

/** The ended runs, for a snapshot. They no longer change. */
export interface EndedRuns {
  /** Intern by intern, in the order in which they ended. */
  readonly runs: readonly Run[];
  /** The deleted interns among them. */
  readonly gone: readonly string[];
}

/** A run as it is shown, with how it was started. */
export interface RunDetails {
  readonly view: RunView;
  readonly script: string;
  /** The reason why the script was chosen, in words. */
  readonly chosenBy: string;
  readonly approvalMode: ApprovalMode;
  readonly usage: Usage | null;
}

/** Keeps the indexes of every intern's runs in step with the runs. */
export function createRunIndex() {
  const interns = new Map<string, InternRuns>();
  const gone: string[] = [];

  const noteAsked = (own: InternRuns, id: string, run: Run) => {
    own.asked ??= new Map();
    own.asked.set(id, run);
  };
  const evict = (own: InternRuns, run: Run) => {
    own.runs.delete(run.id);
    for (const id of run.asked ?? []) own.asked?.delete(id);
  };

  /** The runs of one intern, or of all, intern by intern. */
  const among = (internId?: string): Iterable<InternRuns> => {
    if (internId === undefined) return interns.values();
    const own = interns.get(internId);
    return own ? [own] : [];
  };

  return {
    among,
    /** The runs of one intern, or of all, newest first. */
    list: (internId?: string): RunView[] =>
      [...among(internId)]
        .flatMap((own) => [...own.runs.values()])
        .sort((a, b) => b.seq - a.seq)
        .map(viewRun),
    view(runId: string, internId?: string): RunDetails | undefined {
      for (const own of among(internId)) {
        const run = own.runs.get(runId);
        if (!run) continue;
        const { approvalMode, behaviour, chosenBy, usage } = run;
        return { view: viewRun(run), script: behaviour.name, chosenBy, approvalMode, usage };
      }
      return undefined;
    },
    /** The number of remembered runs in a session of an intern. */
    inSession(internId: string, sessionId: string): number {
      let count = 0;
      for (const run of interns.get(internId)?.runs.values() ?? []) if (run.sessionId === sessionId) count++;
      return count;
    },
    /** The runs of an intern, made if it has none yet. */
    of(internId: string): InternRuns {
      let own = interns.get(internId);
      if (!own) {
        own = { runs: new Map(), going: new Map(), asked: undefined, ended: [], streaming: undefined, waiting: 0 };
        interns.set(internId, own);
      }
      return own;
    },
    find: (internId: string): InternRuns | undefined => interns.get(internId),
    clear() {
      interns.clear();
      gone.length = 0;
    },
    ended: (): EndedRuns => ({ runs: [...interns.values()].flatMap((own) => own.ended), gone: [...gone] }),
    restore(ended: EndedRuns) {
      this.clear();
      for (const run of ended.runs) {
        const own = this.of(run.internId);
        own.ended.push(run);
        for (const id of run.asked ?? []) noteAsked(own, id, run);
      }
      // In the order in which they began.
      for (const own of interns.values())
        for (const run of [...own.ended].sort((a, b) => a.seq - b.seq)) own.runs.set(run.id, run);
      gone.push(...ended.gone);
    },
    /**
     * Notes that an intern is deleted. Its ended runs are shown until {@link GONE_INTERNS_KEPT} others are deleted too.
     */
    forget(internId: string) {
      if (!interns.has(internId)) return;
      gone.push(internId);
      const oldest = gone.length > GONE_INTERNS_KEPT ? gone.shift() : undefined;
      if (oldest !== undefined) interns.delete(oldest);
    },
    add(run: Run) {
      const own = this.of(run.internId);
      own.runs.set(run.id, run);
      own.going.set(run.sessionId, run);
      if (run.origin === 'chat') own.streaming = run;
    },
    /** Call it after a run's status changed. */
    statusChanged(run: Run, from: Run['status']) {
      const own = interns.get(run.internId);
      if (!own || own.runs.get(run.id) !== run) return;
      if (from === 'waiting') own.waiting--;
      if (own.streaming === run) own.streaming = undefined;
      if (run.status === 'running') own.streaming = run;
      if (run.status === 'waiting' && run.question) {
        own.waiting++;
        noteAsked(own, run.question.id, run);
        run.asked ??= [];
        run.asked.push(run.question.id);
      }
      if (run.status !== 'ended') return;
      own.going.delete(run.sessionId);
      own.ended.push(run);
      const oldest = own.ended.length > ENDED_RUNS_KEPT ? own.ended.shift() : undefined;
      if (oldest) evict(own, oldest);
    },
  };
}
