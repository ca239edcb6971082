import { Refusal } from '../../../emulator/contract/errors.js';
import type { RunView } from '../../../emulator/contract/run.js';
import type { EndCause, PromptRequest, PromptResult, Runs } from '../../../emulator/domain/runs.js';
import { type Mutant, together } from '../mutant.js';
import { bodyOf, type Exchange, isObject } from './exchange.js';
import { wrap } from './parts.js';
import { errorReply, exchanges, type Reply, responseOf, rewriteControl } from './replies.js';

/** Changes how a prompt is taken. */
export const prompts = (
  change: (usual: Runs['prompt'], request: PromptRequest, runs: Runs) => Promise<PromptResult>,
): Mutant => wrap({ createRuns: (usual) => ({ prompt: (request) => change(usual.prompt, request, usual) }) });

/** The runs of an intern that stream a chat. */
export const streamingIn = (runs: readonly RunView[]) =>
  runs.filter((run) => run.origin === 'chat' && run.status === 'running');

/** The refusal of an intern that is busy. */
export const busy = () => new Refusal('busy', { headers: { 'retry-after': '1' } });

/** Refuses prompts that the emulator would take. */
export const refusesPrompts = (refuses: (request: PromptRequest, runs: Runs) => boolean, refusal = busy): Mutant =>
  prompts(async (usual, request, runs) => {
    if (refuses(request, runs)) throw refusal();
    return usual(request);
  });

/** The run of a session that has not ended. */
export const goingIn = (runs: Runs, id: string, session: string | undefined) =>
  runs.list(id).find((run) => run.session_id === session && run.status !== 'ended');

/** Leaves runs alone that a suspend or a delete should end. */
export const survives = (cause: EndCause): Mutant =>
  wrap({
    createRuns: (usual) => ({
      endAll(id, why) {
        if (why !== cause) usual.endAll(id, why);
      },
    }),
  });

/** Ends every run of an intern where `when` holds for an exchange with it, once it was answered. */
export const endsRuns = (when: (exchange: Exchange, reply: Response) => boolean | Promise<boolean>): (() => Mutant) =>
  withEnd((end) =>
    exchanges(async (exchange, next) => {
      const response = await next(exchange.request);
      if (exchange.area === 'interns' && (await when(exchange, response))) end(exchange.internId, 'reset');
      return response;
    }),
  );

/** Hands a mutation what ends the runs of an intern. */
export const withEnd =
  (make: (end: Runs['endAll']) => Mutant): (() => Mutant) =>
  () => {
    let end: Runs['endAll'] = () => {};
    return together(
      wrap({
        createRuns(usual) {
          end = usual.endAll;
          return usual;
        },
      }),
      make((id, cause) => end(id, cause)),
    );
  };

/** A request that answers a question. */
export interface Answering {
  readonly sessionId: unknown;
  readonly callId: unknown;
  readonly content: unknown;
  readonly internId: string | undefined;
  readonly body: Record<string, unknown>;
}

/** The question that a chat request answers; undefined for a prompt. */
export async function answering(exchange: Exchange): Promise<Answering | undefined> {
  if (exchange.operation !== 'chat') return undefined;
  const body = await bodyOf(exchange.request);
  if (!isObject(body) || !Array.isArray(body.messages)) return undefined;
  const last: unknown = body.messages.at(-1);
  if (!isObject(last) || last.role !== 'tool') return undefined;
  return {
    sessionId: body.session_id,
    callId: last.tool_call_id,
    content: last.content,
    internId: exchange.internId,
    body,
  };
}

/** Refuses answers to questions for another reason than the real one; undefined leaves the reason. */
export const refusesAnswers = (
  answerWith: (
    seen: { readonly status: number; readonly reason: unknown },
    answer: Answering,
    runs: readonly RunView[],
  ) => Reply | undefined,
): Mutant =>
  exchanges(async (exchange, next, emulator) => {
    const { request } = exchange;
    const answer = await answering(exchange);
    if (!answer) return next(request);
    const response = await next(request);
    if (response.status < 400) return response;
    const { error } = (await response.clone().json()) as { error: { metadata?: { reason: string } } };
    const listed = await emulator.fetch(`${emulator.target.control_url}/runs?intern_id=${answer.internId}`);
    const { data } = (await listed.json()) as { data: RunView[] };
    const reply = answerWith({ status: response.status, reason: error.metadata?.reason }, answer, data);
    return reply ? responseOf(reply) : response;
  });

/** The refusals of answers, as the interface words them. */
export const REFUSED = {
  unknown: errorReply(404, 'No such interaction in this session', 'interaction_unknown'),
  notPending: errorReply(409, 'The interaction is no longer pending', 'interaction_not_pending'),
  busy: {
    ...errorReply(409, 'The intern is busy with another turn', 'busy', true),
    headers: { 'content-type': 'application/json', 'retry-after': '1' },
  },
  unacceptable: errorReply(400, 'Unacceptable answer', 'bad_request'),
} as const satisfies Record<string, Reply>;

/** Changes what the control interface shows of runs. */
export const showsRuns = (change: (run: RunView) => unknown): Mutant =>
  rewriteControl('GET', '/runs', (body) => ({ ...body, data: (body.data as RunView[]).map(change) }));
