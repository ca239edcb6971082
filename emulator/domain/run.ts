import type { Timer } from '../clock/clock.js';
import type { Scope } from '../clock/scope.js';
import type { Refusal } from '../contract/errors.js';
import { type Ask, publishedAsk } from '../contract/interaction.js';
import type { ApprovalMode, RunEnded, RunEvent, RunOrigin, RunView, Usage } from '../contract/run.js';
import type { Behaviour, TurnGenerator } from '../scripts/behaviour.js';

/**
 * One run: its data, what its behaviour has left for a reader, and what to release when it ends. A plain record, since
 * thousands may wait at once; a runner moves it.
 */
export interface Run {
  readonly id: string;
  readonly internId: string;
  readonly sessionId: string;
  readonly origin: RunOrigin;
  readonly approvalMode: ApprovalMode;
  readonly behaviour: Behaviour;
  /** The reason of the choice, in words. */
  readonly chosenBy: string;
  /** The number of the run: the order of runs, whatever the clock does. */
  readonly seq: number;
  readonly startedAt: number;
  status: 'running' | 'waiting' | 'ended';
  ended: RunEnded | undefined;
  endedAt: number;
  /** The pending question, while it waits. */
  question: { readonly id: string; readonly ask: Ask; readonly deadline: number } | undefined;
  /** The reader whose response streams this run, until its last bytes were handed over. */
  reader: { wake(): void; leave(): void } | undefined;
  /** The events that no reader has taken yet, from `at` on. */
  log: RunEvent[];
  at: number;
  /** About how many bytes `log` holds. */
  held: number;
  /** Resumes the behaviour, which waits until its reader takes held events; undefined while it does not wait. */
  taken: (() => void) | undefined;
  /** Whether `log` outgrew its bound while nobody read it: the run cannot be continued. */
  lost: boolean;
  /** The behaviour is working and may yield more at once, so the events in the log can wait for it. */
  atWork: boolean;
  /** The model that the intern reported last. */
  model: string | null;
  usage: Usage | null;
  /** Tells the sender that the intern has accepted the prompt or the answer; undefined after that. */
  opening: ((refusal?: Refusal) => void) | undefined;
  generator: TurnGenerator | undefined;
  sleeps: Set<Sleep> | undefined;
  /** How many waits of its behaviour ended at once: waits of no time, and waits after its end. */
  zeroWaits: number;
  /** The scope of the run, a child of the state's scope. The run ends with it. */
  readonly scope: Scope;
  /** Interaction deadline, execution deadline or acceptance: a run has one of them at a time. */
  timer: Timer | undefined;
  /** The ids of the questions it has asked. */
  asked: string[] | undefined;
  /** How many events the behaviour yielded, for the log line of one that fails. */
  events: number;
}

/** A wait of a behaviour, to be rejected when its run ends. */
export interface Sleep {
  timer: Timer | undefined;
  reject(reason: unknown): void;
}

/** The facts of a run before it begins. */
type Beginning =
  | 'id'
  | 'internId'
  | 'sessionId'
  | 'origin'
  | 'approvalMode'
  | 'behaviour'
  | 'chosenBy'
  | 'seq'
  | 'startedAt'
  | 'scope';

/** Makes a run. It copies field by field, since V8 makes a shape for each run of a spread. */
export const createRun = (known: Pick<Run, Beginning>): Run => ({
  id: known.id,
  internId: known.internId,
  sessionId: known.sessionId,
  origin: known.origin,
  approvalMode: known.approvalMode,
  behaviour: known.behaviour,
  chosenBy: known.chosenBy,
  seq: known.seq,
  startedAt: known.startedAt,
  scope: known.scope,
  status: 'running',
  ended: undefined,
  endedAt: 0,
  question: undefined,
  reader: undefined,
  log: [],
  at: 0,
  held: 0,
  taken: undefined,
  lost: false,
  atWork: false,
  model: null,
  usage: null,
  opening: undefined,
  generator: undefined,
  sleeps: undefined,
  zeroWaits: 0,
  timer: undefined,
  asked: undefined,
  events: 0,
});

const iso = (time: number) => new Date(time).toISOString();

export function viewRun(run: Run): RunView {
  return {
    id: run.id,
    intern_id: run.internId,
    session_id: run.sessionId,
    origin: run.origin,
    status: run.status,
    ...(run.question && {
      question: { id: run.question.id, deadline: iso(run.question.deadline), ask: publishedAsk(run.question.ask) },
    }),
    ...(run.ended && { ended: run.ended }),
    started_at: iso(run.startedAt),
    ...(run.status === 'ended' && { ended_at: iso(run.endedAt) }),
  };
}
