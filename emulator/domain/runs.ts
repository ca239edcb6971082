import { createRandom } from '../clock/random.js';
import type { Scope } from '../clock/scope.js';
import { Refusal } from '../contract/errors.js';
import { readAnswer } from '../contract/interaction.js';
import type { Prompted } from '../contract/match.js';
import type { Settings } from '../contract/settings.js';
import type { InternRow } from '../contract/state.js';
import type { ChosenTurn } from '../scripts/choose.js';
import type { Store } from '../store/store.js';
import { text } from './behaviour-events.js';
import { ownAnswer } from './consent.js';
import { createQuestions } from './questions.js';
import { Reader } from './reader.js';
import { createRun, type Run } from './run.js';
import { createRunIndex, type EndedRuns, type InternRuns } from './run-index.js';
import type { InvokeRequest, PromptRequest, PromptResult, ReplyRequest, RunRef } from './run-requests.js';
import { createRunner, type RunnerDeps } from './runner.js';
import { createSessions } from './sessions.js';

export type * from './run-requests.js';

export interface RunsDeps extends Pick<RunnerDeps, 'clock' | 'random' | 'release' | 'log' | 'said'> {
  /** The present settings: they may change while runs go on. */
  readonly settings: () => Settings;
  readonly store: Store;
  readonly scripts: {
    /** Chooses the behaviour for a prompt, its part of the prompt, and the reason. Throws 400 for an unknown script. */
    resolveTurn(intern: InternRow, given: Prompted): ChosenTurn;
  };
  /** The intern as it is now; undefined once it is deleted. */
  readonly intern: (id: string) => InternRow | undefined;
  /** The scope of the present state, which every run ends with. */
  readonly scope: () => Scope;
  /** A run began, or went from one status to another. */
  readonly changed?: (runId: string, internId: string) => void;
  /** A run waits for the clock, in ms. */
  readonly waits?: (runId: string, ms: number) => void;
}

/** Why runs are ended from outside. */
export type EndCause = 'suspended' | 'deleted' | 'shutdown' | 'reset';

/**
 * Chat and invoke without HTTP: which run a message belongs to, whether it may be accepted now, and its effect. The
 * clock's deadlines are exact: a question can be answered until, not at, its deadline.
 */
export function createRuns(deps: RunsDeps) {
  const { clock, random, settings, store } = deps;
  const index = createRunIndex();
  const sessions = createSessions(store.collection('sessions'));
  const questions = createQuestions(store.collection('questions'));
  let seq = 0;

  const runner = createRunner({
    clock,
    random,
    randomFor: (stream) => createRandom(random.seed, stream),
    log: deps.log,
    answer: ownAnswer,
    release: deps.release,
    interactionDeadline: () => settings().interaction_deadline,
    executionDeadline: () => settings().execution_deadline,
    pace: () => settings().pace,
    changed(run, from) {
      index.statusChanged(run, from);
      if (run.status === 'waiting' && run.question) {
        questions.asked(run.internId, run.sessionId, run.question.id);
        // The store reports a failure; the next commit brings the change along.
        store.commit({ keep: true }).catch(() => {});
      }
      deps.changed?.(run.id, run.internId);
    },
    ...(deps.waits ? { waits: deps.waits } : {}),
    ...(deps.said ? { said: deps.said } : {}),
  });

  const cancel = (run: Run) => runner.end(run, { ended: 'cancelled' });

  const needRunning = (intern: InternRow): InternRow => {
    const row = deps.intern(intern.id);
    if (!row) throw new Refusal('not_found');
    if (row.record.status !== 'running') throw new Refusal('intern_not_ready');
    return row;
  };

  const choose = (row: InternRow, prompt: string, session: string | undefined) =>
    deps.scripts.resolveTurn(row, {
      prompt,
      session,
      turn: () => 1 + (session === undefined ? 0 : index.inSession(row.id, session)),
    });

  const busy = () => new Refusal('busy', { headers: { 'retry-after': '1' } });

  /** Seconds until the first of the waiting questions expires. */
  const tooManyWaiting = (own: InternRuns) => {
    let first = Number.POSITIVE_INFINITY;
    for (const run of own.going.values()) if (run.question) first = Math.min(first, run.question.deadline);
    const seconds = Math.max(1, Math.ceil((first - clock.now()) / 1_000));
    return new Refusal('too_many_waiting', { headers: { 'retry-after': String(seconds) } });
  };

  const newRun = (
    how: Pick<Run, 'behaviour' | 'chosenBy' | 'origin' | 'approvalMode' | 'internId'>,
    sessionId?: string,
  ): Run => {
    const run = createRun({
      id: random.uuid(),
      sessionId: sessionId ?? random.uuid(),
      seq: seq++,
      startedAt: clock.now(),
      scope: deps.scope().child(),
      ...how,
    });
    run.scope.defer(() => cancel(run));
    index.add(run);
    deps.changed?.(run.id, run.internId);
    return run;
  };

  const refOf = (run: Run, note?: string): RunRef => ({ id: run.id, script: run.behaviour.name, note });

  /**
   * Resolves once the intern has accepted the prompt. If the sender or the state is gone before that, the run ends at
   * once and its turn does not count.
   */
  const start = async (run: Run, prompt: string, row: InternRow, giveBack: () => void, client?: () => Scope) => {
    const state = deps.scope();
    let waiting: Scope | undefined;
    let takeBack = () => {};
    const onWait = () => {
      waiting = client?.();
      takeBack = waiting?.defer(() => cancel(run)) ?? takeBack;
    };
    deps.said?.(run.id, { type: 'prompt', text: prompt });
    try {
      const model = row.booted?.model ?? null;
      await runner.start(run, prompt, { id: row.id, name: row.record.name, model }, onWait);
      state.throwIfDisposed();
      waiting?.throwIfDisposed();
    } catch (error) {
      run.reader?.leave();
      giveBack();
      throw error;
    } finally {
      takeBack();
    }
  };

  const steer = (run: Run, said: string) => {
    deps.said?.(run.id, { type: 'steer', text: said });
    try {
      const shown = run.behaviour.steered?.(said) ?? `(steered: ${said})`;
      runner.append(run, { type: 'content', texts: [text(shown, 'steered')] });
    } catch (error) {
      runner.failed(run, error);
    }
  };

  const endAll = (internId: string | undefined, cause: EndCause) => {
    const message = `The intern ended the run: ${cause}`;
    for (const own of index.among(internId)) {
      for (const run of [...own.going.values()]) runner.end(run, { ended: 'cancelled', message });
    }
  };

  return {
    /** A user's message (CHAT-1, CHAT-14 to CHAT-17): a reader of the run it started, or the session it was steered into. */
    async prompt({
      intern,
      prompt,
      sessionId,
      approvalMode = 'self-drive',
      admit,
      onRun,
      client,
    }: PromptRequest): Promise<PromptResult> {
      const own = index.of(intern.id);
      const going = sessionId === undefined ? undefined : own.going.get(sessionId);
      if (going) {
        needRunning(intern);
        if (own.streaming && own.streaming !== going) throw busy();
        admit();
        onRun?.(refOf(going));
        steer(going, prompt);
        return { steered: going.sessionId };
      }
      const row = needRunning(intern);
      if (own.streaming) throw busy();
      if (own.waiting > settings().max_waiting_runs) throw tooManyWaiting(own);
      const chosen = choose(row, prompt, sessionId);
      const giveBack = admit();
      const { behaviour, by: chosenBy, note } = chosen;
      const run = newRun({ behaviour, chosenBy, origin: 'chat', approvalMode, internId: row.id }, sessionId);
      onRun?.(refOf(run, note));
      const reader = new Reader(run, cancel);
      run.reader = reader;
      await start(run, chosen.prompt, row, giveBack, client);
      return { reader };
    },

    /** A tool's message: the answer to a question (CHAT-6, CHAT-7). */
    async reply({ intern, sessionId, interactionId, content, admit, onRun }: ReplyRequest): Promise<Reader> {
      const own = index.find(intern.id);
      const run = own?.asked?.get(interactionId);
      if (!own || run?.sessionId !== sessionId)
        throw new Refusal(
          questions.wasAsked(intern.id, sessionId, interactionId) ? 'interaction_not_pending' : 'interaction_unknown',
        );
      onRun?.({ ...refOf(run), resumed: true });
      // The runs of an intern end with it. A stopped intern has nothing pending, and a retry never helps (CHAT-7).
      if (run.status === 'ended') throw new Refusal('interaction_not_pending');
      if (run.status === 'running' || run.reader) throw new Refusal('attachment_failed');
      if (!run.question || run.question.id !== interactionId) throw new Refusal('interaction_not_pending');
      if (own.streaming) throw busy();
      const read = readAnswer(run.question.ask, content);
      if ('problem' in read)
        throw new Refusal('unacceptable_answer', { message: `Unacceptable answer: ${read.problem}` });
      if (run.lost) {
        runner.end(run, { ended: 'severed' });
        throw new Refusal('attachment_gone');
      }
      admit();
      const reader = new Reader(run, cancel);
      run.reader = reader;
      await runner.answer(run, read.answer);
      return reader;
    },

    /** Throws 404 if the caller may not use a session (INVOKE-3): checked before the intern's state. */
    ownedSession: sessions.owned,

    /** Starts a run that nobody reads (INVOKE-1, INVOKE-2); resolves once it is accepted and its session is durable. */
    async invoke({
      intern,
      callerId,
      input,
      sessionId,
      admit,
      onRun,
      client,
    }: InvokeRequest): Promise<{ session_id: string; status: 'started' | 'steered' }> {
      if (sessionId !== undefined) sessions.owned(intern.id, sessionId, callerId);
      const going = sessionId === undefined ? undefined : index.of(intern.id).going.get(sessionId);
      if (going) {
        needRunning(intern);
        admit();
        onRun?.(refOf(going));
        steer(going, input);
        return { session_id: going.sessionId, status: 'steered' };
      }
      const row = needRunning(intern);
      const chosen = choose(row, input, sessionId);
      const giveBack = admit();
      const { behaviour, by: chosenBy, note } = chosen;
      const how = { behaviour, chosenBy, origin: 'invoke', approvalMode: 'self-drive', internId: row.id } as const;
      const run = newRun(how, sessionId);
      onRun?.(refOf(run, note));
      await start(run, chosen.prompt, row, giveBack, client);
      sessions.issue(intern.id, run.sessionId, callerId);
      try {
        await store.commit();
      } catch (error) {
        // The sender was answered that no run began: the run ends, and its turn does not count.
        cancel(run);
        giveBack();
        throw error;
      }
      return { session_id: run.sessionId, status: 'started' };
    },

    /** Ends a run that waits with a question, as at the question's deadline (CHAT-11). */
    expire(internId: string, questionId: string): void {
      const run = index.find(internId)?.asked?.get(questionId);
      if (run?.status === 'waiting' && run.question?.id === questionId) runner.end(run, { ended: 'deadline' });
    },

    /** Ends the open runs of one intern, or of all; their streams end with `run_ended`. */
    endAll,

    /**
     * The runs of one intern, or of all, newest first. Of ended runs the newest 1,000 per intern are kept, and of deleted
     * interns the last 100.
     */
    list: index.list,
    /** A run of {@link Runs.list}, with how it was started. */
    find: index.view,

    /** Deletes the sessions of a deleted intern. */
    forget(internId: string): void {
      index.forget(internId);
      sessions.forget(internId);
      questions.forget(internId);
    },

    ended: index.ended,

    /** Ends every run, and replaces all runs by the given ended ones. */
    reset(ended: EndedRuns = { runs: [], gone: [] }): void {
      endAll(undefined, 'reset');
      index.restore(ended);
    },

    /** Ends every run. */
    close: (): void => endAll(undefined, 'shutdown'),
  };
}

export type Runs = ReturnType<typeof createRuns>;
