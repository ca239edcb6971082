import { messageOf } from '../../emulator/contract/system-error.js';
import type { Made } from '../habits/dealings.js';
import { isMappingPath, type Ownership, type Stored } from '../model/ownership.js';
import { type Stop, Stopped } from '../model/skip.js';
import type { Answer } from '../probe/client.js';
import { recordOf } from '../probe/json.js';
import { type CredentialName, internPath, type Send } from '../probe/request.js';
import { type NoAnswerGot, whyNoAnswer } from '../probe/wait.js';

/** A reason why an intern, or all of them, cannot be deleted. */
export type Hindrance =
  | { readonly kind: 'still-there'; readonly status?: string }
  | { readonly kind: 'refused'; readonly request: string; readonly status: number }
  | { readonly kind: 'no-answer'; readonly got: NoAnswerGot }
  /** The intern has a name that the run did not give it. */
  | { readonly kind: 'named-otherwise'; readonly name: unknown }
  | { readonly kind: 'no-list' }
  | { readonly kind: 'no-last-page' }
  /** The target refuses every request (429). Like a silent one, it gets no further requests. */
  | { readonly kind: 'too-many'; readonly retryAfter?: string }
  | { readonly kind: 'silent'; readonly got: NoAnswerGot }
  | { readonly kind: 'over'; readonly stop: Stop }
  | { readonly kind: 'error'; readonly message: string };

/** An intern that still exists. */
export interface Left {
  readonly id: string;
  readonly name: string;
  readonly because: Hindrance;
  /** Its delete was accepted, and its teardown goes on. The interface states no time for that. */
  readonly leaving?: true;
}

/** The outcome of the clean-up. It is no verdict: a right target may keep leftovers. */
export interface CleanupResult {
  readonly created: number;
  readonly deleted: number;
  readonly failed: readonly Left[];
  /** Why the search for interns with the run's prefix failed. */
  readonly unsearched?: Hindrance;
}

interface CleanupOptions {
  /** The SCIM group whose mappings the run may delete. */
  readonly group?: string | undefined;
  readonly own: Ownership;
  send(send: Send): Promise<Answer>;
  /** Lets time pass until teardowns have ended. `round` counts from 0. False ends the wait. */
  pause(round: number): Promise<boolean>;
  /** Number of interns made before this process. */
  readonly before?: number | undefined;
  /** The number of interns that are deleted at a time. */
  readonly atOnce: number;
}

/** Thrown if a hindrance stops a request. */
class Hindered extends Error {
  constructor(readonly because: Hindrance) {
    super(because.kind);
  }
}

function hindrance(error: unknown): Hindrance {
  if (error instanceof Hindered) return error.because;
  if (error instanceof Stopped) return { kind: 'over', stop: error.stop };
  const got = whyNoAnswer(error);
  if (got !== undefined) return { kind: 'no-answer', got };
  return { kind: 'error', message: messageOf(error) };
}

/** The target is given up after this many requests in a row without an answer. */
const SILENT = 2;

/** Sends nothing more once the target refuses every request (429) or has stopped answering. */
function untilGivenUp(send: CleanupOptions['send']): { send: CleanupOptions['send']; givenUp(): boolean } {
  let silent = 0;
  let over: Hindrance | undefined;
  const sendOn: CleanupOptions['send'] = async (request) => {
    if (over !== undefined) throw new Hindered(over);
    try {
      const answer = await send(request);
      silent = 0;
      if (answer.status === 429) {
        const after = answer.headers.get('retry-after');
        over = { kind: 'too-many', ...(after === null ? {} : { retryAfter: after }) };
        throw new Hindered(over);
      }
      return answer;
    } catch (error) {
      const got = whyNoAnswer(error);
      if (got !== undefined && ++silent >= SILENT) over = { kind: 'silent', got };
      throw error;
    }
  };
  return { send: sendOn, givenUp: () => over !== undefined };
}

/** An intern as a list or a read shows it. */
interface Shown {
  readonly name: unknown;
  readonly status: string;
}

/** The outcome of a delete: the teardown began, the intern does not exist, or a hindrance. */
type Removed = 'leaving' | 'absent' | Hindrance;

const refused = (request: string, { status }: Answer): Hindrance => ({ kind: 'refused', request, status });

/** The parts that a delete needs. */
interface Remover {
  send(send: Send): Promise<Answer>;
  readonly own: Pick<Ownership, 'bears' | 'isSafeToDelete' | 'note'>;
}

/**
 * Starts the teardown of one intern if it bears a name of the run: any other name is somebody else's. `shown` is an earlier
 * read of it, if any. Never throws.
 */
export async function removeIntern(
  { send, own }: Remover,
  { id, as }: Pick<Made, 'id' | 'as'>,
  shown?: Shown,
): Promise<Removed> {
  const path = internPath(id);
  try {
    let { name } = shown ?? {};
    const isSafe = name === undefined && own.isSafeToDelete(id);
    if (name === undefined && !isSafe) {
      const read = await send({ path, as });
      if (read.status === 404) return 'absent';
      if (read.status >= 300) return refused('GET', read);
      ({ name } = recordOf(read.json));
    }
    if (!isSafe && !own.bears(id, name)) return { kind: 'named-otherwise', name };
    const answer = await send({ method: 'DELETE', path, as, json: { acknowledge_workspace_loss: true } });
    return answer.status < 300 || answer.status === 404 ? 'leaving' : refused('DELETE', answer);
  } catch (error) {
    return hindrance(error);
  }
}

async function forEach<Item>(items: readonly Item[], atOnce: number, work: (item: Item) => Promise<void>) {
  const waiting = items.values();
  const next = async () => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, next));
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
    if (answer.status !== 200) throw new Hindered({ kind: 'refused', request: 'GET /interns', status: answer.status });
    const body = answer.json as { data?: Partial<Record<'id' | 'name' | 'status', unknown>>[]; next_cursor?: unknown };
    if (!Array.isArray(body?.data)) throw new Hindered({ kind: 'no-list' });
    yield body.data;
    if (typeof body.next_cursor !== 'string') return;
    after = body.next_cursor;
  }
  throw new Hindered({ kind: 'no-last-page' });
}

/**
 * The interns of the run that the list shows. Notes unknown ones, whose create was never answered.
 */
export async function look(
  { own, send }: Pick<CleanupOptions, 'own' | 'send'>,
  as: CredentialName,
): Promise<Map<string, Shown>> {
  const there = new Map<string, Shown>();
  const known = new Set(own.open().map((made) => made.id));
  for await (const page of pages(send, as))
    for (const { id, name, status } of page) {
      if (typeof id !== 'string') continue;
      const isNew = !known.has(id) && own.adopts({ id, name }, as);
      if (isNew || known.has(id)) there.set(id, { name, status: String(status) });
    }
  return there;
}

/** Pages of the list in which unused interns are looked for. The list is newest first. */
const FEW = 2;

/** Deletes interns. A list reads those of one creator together; interns that it lacks are read one by one. */
export async function removeInterns(from: Remover, interns: readonly Made[]): Promise<void> {
  const { own, send } = from;
  for (const as of new Set(interns.map((one) => one.as))) {
    const mine = interns.filter((one) => one.as === as);
    const shown = new Map<unknown, Shown>();
    if (mine.filter(({ id }) => !own.isSafeToDelete(id)).length > 1) {
      let count = 0;
      try {
        for await (const page of pages(send, as)) {
          for (const { id, name, status } of page) shown.set(id, { name, status: String(status) });
          if (++count === FEW || mine.every(({ id }) => shown.has(id))) break;
        }
      } catch {
        // Without a list, each intern is read.
      }
    }
    for (const one of mine) {
      const removed = await removeIntern(from, one, shown.get(one.id));
      if (typeof removed === 'string') own.note({ event: 'deleting', id: one.id });
    }
  }
}

/** Removes a secret or a mapping. Undefined where it is gone. */
async function remove({ send, group }: CleanupOptions, { path, as }: Stored): Promise<Hindrance | undefined> {
  try {
    const isMapping = isMappingPath(path);
    if (isMapping) {
      // Others may have written the ledger: only mappings of the named group belong to the run.
      const read = await send({ path, as });
      if (read.status === 404) return undefined;
      if (read.status >= 300) return refused('GET', read);
      const { scim_group_id: name } = recordOf(recordOf(read.json).data);
      if (group === undefined || String(name).toLowerCase() !== group.toLowerCase())
        return { kind: 'named-otherwise', name };
    }
    const query = isMapping ? { query: { keep_members: 'false' } } : {};
    const answer = await send({ method: 'DELETE', path, as, ...query });
    // A secret that a check tried to store with an invalid credential does not exist.
    const nothing = answer.status === 404 || (answer.status === 401 && as !== 'api_key' && !isMapping);
    return answer.status < 300 || nothing ? undefined : refused('DELETE', answer);
  } catch (error) {
    return hindrance(error);
  }
}

/** Removes the secrets and mappings of the run. Returns the rest, with reasons. */
async function removeStored(options: CleanupOptions): Promise<Left[]> {
  const kept: Left[] = [];
  await forEach(options.own.stored(), options.atOnce, async (one) => {
    const because = await remove(options, one);
    if (because === undefined) options.own.note({ event: 'removed', ...one });
    else kept.push({ id: one.path, name: one.path, because });
  });
  return kept;
}

/** Most retries of failed removals. */
const ROUNDS = 3;

/** Whether a later delete may succeed. */
const mayPass = ({ because }: Left): boolean =>
  because.kind === 'no-answer' || (because.kind === 'refused' && because.status >= 500);

/** Whether somebody else gave the intern its name. */
const isForeign = (because?: Hindrance): boolean =>
  because?.kind === 'named-otherwise' && typeof because.name === 'string';

/** The number of requests for lists and retries, if teardowns are quick. */
export const LOOKS = 10;

/**
 * The number of requests of a clean-up: one for each thing, and those for lists.
 *
 * @param isRefused whether a gateway has answered a write of the run: it may refuse deletes, which are sent again
 */
export function requestsOfCleanUp(
  { creators, open, stored }: Pick<Ownership, 'creators' | 'open' | 'stored'>,
  isRefused: boolean,
): number {
  const things = stored().length + open().filter(({ deleting }) => deleting !== true).length;
  return creators().length + stored().length === 0 ? 0 : LOOKS * (isRefused ? 3 : 1) + things;
}

const STILL_THERE = { kind: 'still-there' } as const;

/** Removes everything that a run made. Returns the rest with reasons. Never throws. */
export async function cleanUp(given: CleanupOptions): Promise<CleanupResult> {
  const { send, givenUp } = untilGivenUp(given.send);
  const options = { ...given, send };
  const { own } = options;
  const hindrances = new Map<string, Hindrance>();
  const leaving = new Set<string>();
  /** Interns whose delete was accepted since the list was last read. */
  const accepted = new Set<string>();
  let unsearched: Hindrance | undefined;
  let kept: Left[] = [];
  let allCreators = true;
  for (let round = 0; ; round++) {
    unsearched = undefined;
    if (round === 0 || kept.some(mayPass)) kept = await removeStored(options);
    // Computed before the loop, which removes interns.
    const creators = own.creators().filter((as) => allCreators || own.open().some((made) => made.as === as));
    for (const as of creators) {
      let there: Map<string, Shown> | undefined;
      try {
        there = await look(options, as);
        for (const made of own.open()) if (made.as === as) accepted.delete(made.id);
      } catch (error) {
        // A credential that never created an intern needs no search: checks also try invalid ones.
        if (as === 'api_key' || own.open().some((made) => made.as === as)) unsearched = hindrance(error);
      }
      const stay: Made[] = [];
      for (const made of own.open().filter((one) => one.as === as)) {
        const state = there?.get(made.id)?.status;
        // The list counts only for interns whose delete was accepted.
        if (there !== undefined && state === undefined && made.deleting === true) {
          own.note({ event: 'gone', id: made.id });
          continue;
        }
        if (state !== undefined) hindrances.set(made.id, { kind: 'still-there', status: state });
        if (made.deleting === true && state === 'destroying') leaving.add(made.id);
        else if (there !== undefined) leaving.delete(made.id);
        // A delete by a check may have had no effect, and it did not accept the loss of a workspace.
        const stood = round === 0 && state !== undefined && state !== 'destroying';
        if (made.deleting !== true || state === 'destroy_failed' || stood) stay.push(made);
      }
      await forEach(stay, options.atOnce, async (made) => {
        const { id } = made;
        const removed = await removeIntern(options, made, there?.get(id));
        if (removed === 'leaving') {
          accepted.add(id);
          own.note({ event: 'deleting', id });
        } else if (removed !== 'absent') hindrances.set(id, removed);
        else if (there !== undefined) own.note({ event: 'gone', id });
      });
    }
    // A teardown takes time, and so does a create whose client has left.
    const maybeMore = round === 0 && own.hasUnanswered();
    allCreators = maybeMore;
    const stored = round < ROUNDS && kept.some(mayPass);
    const mayGo = own.open().some(({ id }) => !isForeign(hindrances.get(id)));
    if ((!mayGo && !maybeMore && !stored) || givenUp() || !(await options.pause(round))) break;
  }
  const left = own.open();
  const created = (options.before ?? 0) + own.count();
  return {
    created,
    deleted: created - left.length,
    failed: [
      ...kept,
      ...left.map(({ id, name }) => ({
        id,
        name,
        because: accepted.has(id) ? STILL_THERE : (hindrances.get(id) ?? STILL_THERE),
        ...(leaving.has(id) || accepted.has(id) ? { leaving: true as const } : {}),
      })),
    ],
    ...(unsearched === undefined ? {} : { unsearched }),
  };
}
