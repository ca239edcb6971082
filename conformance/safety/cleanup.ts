import type { Answer } from '../probe/client.js';
import { type CredentialName, internPath, type Send } from '../probe/request.js';
import type { Ledger, Made } from './ledger.js';
import type { OwnInterns } from './own-interns.js';

/** An intern that is still there. */
export interface Left {
  readonly id: string;
  readonly name: string;
  readonly why: string;
  /** Its delete was accepted, and its teardown goes on: how long that may take, is not stated. */
  readonly leaving?: true;
}

/** What became of the interns that a run made. Apart from conformance: a target may be right and still keep leftovers. */
export interface CleanupResult {
  readonly created: number;
  readonly deleted: number;
  readonly failed: readonly Left[];
  /** Why the interns of the run's prefix could not be searched for, where they could not. */
  readonly notSearched?: string;
}

export interface CleanupOptions {
  readonly ledger: Pick<Ledger, 'open' | 'creators' | 'write'>;
  readonly own: Pick<OwnInterns, 'adopts' | 'bears' | 'lately'>;
  send(send: Send): Promise<Answer>;
  /** Lets time pass until teardowns have ended. `round` counts from 0. False ends the wait. */
  pause(round: number): Promise<boolean>;
  /** Number of interns made, also those gone by now. */
  readonly created: number;
  /** How many are taken away at a time. */
  readonly atOnce: number;
}

const why = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Requests without an answer in a row after which the target is given up. */
const SILENT = 2;

/** Thrown where the target refuses or answers nothing: whatever else is asked of it would fare the same. */
class GivenUp extends Error {}

/** Sends until the target refuses for now (429) or has stopped answering. */
function patient(send: CleanupOptions['send']): { send: CleanupOptions['send']; givenUp(): boolean } {
  let silent = 0;
  let over: string | undefined;
  const sendOn: CleanupOptions['send'] = async (request) => {
    if (over !== undefined) throw new GivenUp(over);
    try {
      const answer = await send(request);
      silent = 0;
      if (answer.status === 429) {
        const after = answer.headers.get('retry-after');
        over = `the target refuses for now with 429${after === null ? '' : `, Retry-After ${after}`}`;
        throw new GivenUp(over);
      }
      return answer;
    } catch (error) {
      if (error instanceof GivenUp) throw error;
      if (++silent >= SILENT) over = `the target gives no answer: ${why(error)}`;
      throw error;
    }
  };
  return { send: sendOn, givenUp: () => over !== undefined };
}

/** An intern as a list or a read shows it. */
export interface Shown {
  readonly name: unknown;
  readonly status: string;
}

/** What became of the attempt to take an intern away. */
export type Removed =
  | { readonly kind: 'leaving' }
  | { readonly kind: 'absent' }
  | { readonly kind: 'stays'; readonly why: string };

/**
 * Starts the teardown of one intern, once it has been read and bears a name of the run: whose name it bears else, owns it.
 * `shown` is a read of it, where there is one already. Never throws.
 */
export async function removeIntern(
  { send, own }: Pick<CleanupOptions, 'send' | 'own'>,
  made: Pick<Made, 'id' | 'as'>,
  shown?: Shown,
): Promise<Removed> {
  const stays = (why: string): Removed => ({ kind: 'stays', why });
  const path = internPath(made.id);
  try {
    let { name } = shown ?? {};
    const lately = name === undefined && own.lately(made.id);
    if (name === undefined && !lately) {
      const read = await send({ path, as: made.as });
      if (read.status === 404) return { kind: 'absent' };
      if (read.status >= 300) return stays(`GET answered ${read.status}`);
      ({ name } = (read.json ?? {}) as { name?: unknown });
    }
    if (!lately && !own.bears(made.id, name))
      return stays(`it is named ${JSON.stringify(name)}, which this run did not name it`);
    const json = { acknowledge_workspace_loss: true };
    const answer = await send({ method: 'DELETE', path, as: made.as, json });
    return answer.status < 300 || answer.status === 404
      ? { kind: 'leaving' }
      : stays(`DELETE answered ${answer.status}`);
  } catch (error) {
    return stays(why(error));
  }
}

/** The entries of the list, page by page. */
async function* pages(send: CleanupOptions['send'], as: CredentialName) {
  let after: string | undefined;
  for (let count = 0; count <= 500; count++) {
    const answer = await send({
      path: '/interns',
      as,
      ...(after === undefined ? {} : { query: { starting_after: after } }),
    });
    if (answer.status !== 200) throw new Error(`GET /interns answered ${answer.status}`);
    const body = answer.json as { data?: Partial<Record<'id' | 'name' | 'status', unknown>>[]; next_cursor?: unknown };
    if (!Array.isArray(body?.data)) throw new Error('GET /interns answered no list');
    yield body.data;
    if (typeof body.next_cursor !== 'string') return;
    after = body.next_cursor;
  }
  throw new Error('GET /interns has no last page');
}

/**
 * What the list shows of the interns of the run. Notes in the ledger those it does not know, whose create was never
 * answered.
 */
async function look({ ledger, own, send }: CleanupOptions, as: CredentialName): Promise<Map<string, Shown>> {
  const there = new Map<string, Shown>();
  const known = new Set(ledger.open().map((made) => made.id));
  for await (const page of pages(send, as))
    for (const { id, name, status } of page)
      if (typeof id === 'string' && (known.has(id) || own.adopts({ id, name }, as)))
        there.set(id, { name, status: String(status) });
  return there;
}

/** Pages of the list in which interns that are over are looked for: it is newest first. */
const FEW = 2;

/** Takes away interns of one creator, read together by the list. One that it does not show is read by itself. */
export async function removeInterns(
  from: Pick<CleanupOptions, 'send' | 'own'>,
  interns: readonly Made[],
): Promise<Map<Made, Removed>> {
  const shown = new Map<unknown, Shown>();
  const [first] = interns;
  if (first !== undefined && interns.filter(({ id }) => !from.own.lately(id)).length > 1) {
    let count = 0;
    try {
      for await (const page of pages(from.send, first.as)) {
        for (const { id, name, status } of page) shown.set(id, { name, status: String(status) });
        if (++count === FEW || interns.every(({ id }) => shown.has(id))) break;
      }
    } catch {
      // Each is read by itself.
    }
  }
  const removed = new Map<Made, Removed>();
  for (const one of interns) removed.set(one, await removeIntern(from, one, shown.get(one.id)));
  return removed;
}

/** Takes away everything a run made, and says what it could not take away. Never throws. */
export async function cleanUp(given: CleanupOptions): Promise<CleanupResult> {
  const { send, givenUp } = patient(given.send);
  const options = { ...given, send };
  const { ledger } = options;
  const reasons = new Map<string, string>();
  const leaving = new Set<string>();
  let notSearched: string | undefined;
  for (let round = 0; ; round++) {
    notSearched = undefined;
    for (const as of ledger.creators()) {
      let there: Map<string, Shown> | undefined;
      try {
        there = await look(options, as);
      } catch (error) {
        // Checks try to create with credentials that open nothing; those have nothing to look for.
        if (as === 'api_key' || ledger.open().some((made) => made.as === as)) notSearched = why(error);
      }
      const stay: Made[] = [];
      for (const made of ledger.open().filter((one) => one.as === as)) {
        const state = there?.get(made.id)?.status;
        // The list is taken at its word only for what has agreed to be deleted.
        if (there !== undefined && state === undefined && made.deleting === true) {
          ledger.write({ event: 'gone', id: made.id });
          continue;
        }
        if (state !== undefined) reasons.set(made.id, `still there, status ${state}`);
        if (made.deleting === true && state === 'destroying') leaving.add(made.id);
        else if (there !== undefined) leaving.delete(made.id);
        // A delete by a check may have been refused in a success, and it did not accept the loss of a workspace.
        const stood = round === 0 && state !== undefined && state !== 'destroying';
        if (made.deleting !== true || state === 'destroy_failed' || stood) stay.push(made);
      }
      const waiting = stay.values();
      const remove = async () => {
        for (const made of waiting) {
          const shown = there?.get(made.id);
          const removed = await removeIntern(options, made, shown);
          if (removed.kind === 'stays') reasons.set(made.id, removed.why);
          else if (removed.kind === 'leaving') ledger.write({ event: 'deleting', id: made.id });
          else if (there !== undefined) ledger.write({ event: 'gone', id: made.id });
        }
      };
      await Promise.all(Array.from({ length: options.atOnce }, remove));
    }
    // A teardown takes its time; what is there after it is a leftover.
    if (ledger.open().length === 0 || givenUp() || !(await options.pause(round))) break;
  }
  const left = ledger.open();
  return {
    created: options.created,
    deleted: options.created - left.length,
    failed: left.map(({ id, name }) => ({
      id,
      name,
      why: reasons.get(id) ?? 'still there',
      ...(leaving.has(id) ? { leaving: true as const } : {}),
    })),
    ...(notSearched === undefined ? {} : { notSearched }),
  };
}
