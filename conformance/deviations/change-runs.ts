import { Refusal } from '../../emulator/contract/errors.js';
import type { InternRow } from '../../emulator/contract/state.js';
import type { Lane } from '../../emulator/domain/lanes.js';
import type { Run } from '../../emulator/domain/run.js';
import type { PromptRequest, PromptResult, ReplyRequest, RunMakers, Runs } from '../../emulator/domain/runs.js';
import type { Alterations } from './alterations.js';

type Runner = ReturnType<RunMakers['runner']>;
type RunnerDeps = Parameters<RunMakers['runner']>[0];

/** Exchanges one of what runs are made with. */
export const makes = <K extends keyof RunMakers>(
  name: K,
  change: (usual: RunMakers[K]) => RunMakers[K],
): Alterations => ({
  runMakers: (makers) => ({ ...makers, [name]: change(makers[name]) }),
});

/** Changes what moves runs. */
export const runners = (change: (runner: Runner, deps: RunnerDeps) => Runner): Alterations =>
  makes('runner', (create) => (deps) => change(create(deps), deps));

/** Is told whenever a run went from one status to another, with what moves runs. */
export const watches = (seen: (run: Run, from: Run['status'], runner: Runner, deps: RunnerDeps) => void): Alterations =>
  makes('runner', (create) => (deps) => {
    const runner: Runner = create({
      ...deps,
      changed(run, from) {
        deps.changed(run, from);
        seen(run, from, runner, deps);
      },
    });
    return runner;
  });

/** Changes how a prompt is taken. */
export const prompts = (
  change: (usual: Runs['prompt'], request: PromptRequest, runs: Runs) => Promise<PromptResult>,
): Alterations => ({
  runs: (usual) => ({ ...usual, prompt: (request) => change(usual.prompt, request, usual) }),
});

/** Changes how a reply is taken. */
export const replies = (
  change: (usual: Runs['reply'], request: ReplyRequest, runs: Runs) => ReturnType<Runs['reply']>,
): Alterations => ({
  runs: (usual) => ({ ...usual, reply: (request) => change(usual.reply, request, usual) }),
});

/** Changes how the indexes of runs follow what runs do. */
export const lanes = (change: (lanes: ReturnType<RunMakers['lanes']>) => void): Alterations =>
  makes('lanes', (create) => () => {
    const all = create();
    change(all);
    return all;
  });

/** Is called after the status of a run changed, with the lane of its intern. */
export const afterMoves = (then: (lane: Lane, run: Run, from: Run['status']) => void): Alterations =>
  lanes((all) => {
    const { moved } = all;
    all.moved = (run, from) => {
      moved(run, from);
      const lane = all.peek(run.internId);
      if (lane) then(lane, run, from);
    };
  });

/** The runs of an intern that stream a chat. */
export const streamingIn = (runs: Runs, intern: InternRow | undefined) =>
  runs.list(intern?.id).filter((run) => run.origin === 'chat' && run.status === 'running');

/** The refusal of an intern that is busy. */
export const busy = () => new Refusal('busy', { headers: { 'retry-after': '1' } });

/** The run of a session that has not ended. */
export const goingIn = (runs: Runs, id: string, session: string | undefined) =>
  runs.list(id).find((run) => run.session_id === session && run.status !== 'ended');

/** Refuses a reply otherwise than for the reason it is refused for. */
export const otherwise = (
  judge: (error: Refusal, request: ReplyRequest, runs: Runs) => Refusal | undefined,
): Alterations =>
  replies(async (usual, request, runs) => {
    try {
      return await usual(request);
    } catch (error) {
      throw (error instanceof Refusal && judge(error, request, runs)) || error;
    }
  });

/** The run of a reply's session that waits on a question. */
export const waitingOf = (runs: Runs, request: ReplyRequest) =>
  runs.list(request.intern.id).find((run) => run.session_id === request.sessionId && run.status === 'waiting');
