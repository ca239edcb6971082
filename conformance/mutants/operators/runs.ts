import { type ErrorKey, Refusal } from '../../../emulator/contract/errors.js';
import type { RunView } from '../../../emulator/contract/run.js';
import type { EndCause, PromptRequest, Runs } from '../../../emulator/domain/runs.js';
import { isRecord, type Json } from '../../../emulator/wire/json.js';
import { bodyOf } from '../../../emulator/wire/request.js';
import type { Mutation } from '../mutant.js';
import { exchanges, inControl, isMeant, type Reply, refused, responseOf, type Which } from './answers.js';
import { isOf, type MutantExchange } from './exchange.js';
import { holding, wrap } from './parts.js';

/** The runs of an intern that stream a chat. */
export const streamingIn = (runs: readonly RunView[]) =>
  runs.filter((run) => run.origin === 'chat' && run.status === 'running');

/** The refusal of an intern that is busy. */
export const busy = () => new Refusal('busy', { headers: { 'retry-after': '1' } });

/** The last run of the session that a prompt names, or the one of them that goes on. */
export const runOf = (runs: readonly RunView[], session: string | undefined, goesOn = false) =>
  session === undefined
    ? undefined
    : runs.find((run) => run.session_id === session && !(goesOn && run.status === 'ended'));

/** Refuses prompts that the emulator would take; `own` are the runs of the intern. */
export const refusesPrompts = (
  refuses: (request: PromptRequest, own: readonly RunView[], all: Runs) => boolean,
  key: ErrorKey = 'busy',
): Mutation =>
  wrap({
    createRuns: (usual) => ({
      async prompt(request) {
        if (refuses(request, usual.list(request.intern.id), usual)) throw key === 'busy' ? busy() : new Refusal(key);
        return usual.prompt(request);
      },
    }),
  });

/** Leaves runs alone that a suspend or a delete should end. */
export const survives = (cause: EndCause): Mutation =>
  wrap({
    createRuns: (usual) => ({
      endAll(id, why) {
        if (why !== cause) usual.endAll(id, why);
      },
    }),
  });

/** Hands a mutation what ends the runs of an intern. */
export const withEnd = (make: (end: (internId: string | undefined) => void) => Mutation): (() => Mutation) =>
  holding('createRuns', (runs) => make((id) => id !== undefined && runs()?.endAll(id, 'reset')));

/** Ends every run of an intern where an exchange with it was answered so. */
export const endsRuns = (which: Which): (() => Mutation) =>
  withEnd((end) =>
    exchanges(async (exchange, next) => {
      const response = await next(exchange.request);
      if (which.of !== undefined && !isOf(which.of, exchange)) return response;
      const { status, headers } = response;
      const body = which.says === undefined ? null : await response.clone().text();
      if (isMeant(which, { status, headers: Object.fromEntries(headers), body }, exchange)) end(exchange.internId);
      return response;
    }),
  );

/** A request that answers a question. */
interface Answering {
  readonly sessionId: unknown;
  readonly callId: unknown;
  readonly content: unknown;
  readonly messages: readonly Json[];
}

/** The question that a chat request answers; undefined for a prompt. */
export async function answering({ operation, request }: MutantExchange): Promise<Answering | undefined> {
  const body = operation === 'chat' ? await bodyOf(request) : undefined;
  const messages = isRecord(body) && Array.isArray(body.messages) ? (body.messages as Json[]) : [];
  const last: unknown = messages.at(-1);
  if (!isRecord(body) || !isRecord(last) || last.role !== 'tool') return undefined;
  return { sessionId: body.session_id, callId: last.tool_call_id, content: last.content, messages };
}

/** The runs that the control interface shows. */
export async function runsOf({ emulator, internId }: MutantExchange, all = false): Promise<readonly RunView[]> {
  const of = all ? '' : `?intern_id=${internId}`;
  const listed = await emulator.fetch(`${emulator.target.control_url}/runs${of}`);
  return ((await listed.json()) as { data: RunView[] }).data;
}

/** Refuses answers that were refused for a reason in another way, where `when` holds for the runs of the intern. */
export const refusesAnswers = (
  reason: string,
  other: Reply,
  when: (answer: Answering, runs: readonly RunView[]) => boolean = () => true,
): Mutation =>
  exchanges(async (exchange, next) => {
    const answer = await answering(exchange);
    const response = await next(exchange.request);
    if (!answer || response.status < 400) return response;
    const { error } = (await response.clone().json()) as { error: { metadata?: { reason: string } } };
    const isIt = error.metadata?.reason === reason && when(answer, await runsOf(exchange));
    return isIt ? responseOf(other) : response;
  });

/** Refuses answers to questions, whatever the emulator says of them. */
export const refusesEvery = (unacceptable: (answer: Answering) => boolean): Mutation =>
  exchanges(async (exchange, next) => {
    const answer = await answering(exchange);
    return answer && unacceptable(answer) ? responseOf(refused('unacceptable_answer')) : next(exchange.request);
  });

/** Changes what the control interface shows of runs. */
export const showsRuns = (change: (run: RunView) => unknown): Mutation =>
  inControl<RunView>('GET', '/runs', 'data.[]', change);
