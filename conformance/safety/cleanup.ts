import type { Answer } from '../probe/client.js';
import type { CredentialName, Send } from '../probe/request.js';
import type { Ledger, Made } from './ledger.js';

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
  /** Prefix of the names that the run gave. */
  readonly prefix: string;
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

/** Starts the teardown of one intern. Undefined where it went, else why not. */
export async function removeIntern(
  send: CleanupOptions['send'],
  made: { id: string; as: CredentialName },
): Promise<string | undefined> {
  try {
    const answer = await send({
      method: 'DELETE',
      path: `/interns/${made.id}`,
      as: made.as,
      json: { acknowledge_workspace_loss: true },
    });
    if (answer.status < 300 || answer.status === 404) return undefined;
    return `DELETE answered ${answer.status}`;
  } catch (error) {
    return why(error);
  }
}

/**
 * What the list shows of the prefix. Notes in the ledger those it does not know, whose create was never answered, and as
 * gone those that are not listed any more. Answers the statuses of those that are.
 */
async function look(options: CleanupOptions, as: CredentialName): Promise<Map<string, string>> {
  const there = new Map<string, string>();
  const known = new Set(options.ledger.open().map((made) => made.id));
  let after: string | undefined;
  for (let pages = 0; ; pages++) {
    const query = after === undefined ? {} : { query: { starting_after: after } };
    const answer = await options.send({ path: '/interns', as, ...query });
    if (answer.status !== 200) throw new Error(`GET /interns answered ${answer.status}`);
    const body = answer.json as
      | { data?: { id: string; name: string; status?: string }[]; next_cursor?: string }
      | undefined;
    if (!Array.isArray(body?.data)) throw new Error('GET /interns answered no list');
    for (const entry of body.data) {
      if (known.has(entry.id)) there.set(entry.id, String(entry.status));
      else if (entry.name.startsWith(options.prefix)) {
        options.ledger.write({ event: 'created', id: entry.id, name: entry.name, as });
        there.set(entry.id, String(entry.status));
      }
    }
    if (typeof body.next_cursor !== 'string') return there;
    if (pages > 500) throw new Error('GET /interns has no last page');
    after = body.next_cursor;
  }
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
      let there: Map<string, string> | undefined;
      try {
        there = await look(options, as);
      } catch (error) {
        // Checks try to create with credentials that open nothing; those have nothing to look for.
        if (as === 'api_key' || ledger.open().some((made) => made.as === as)) notSearched = why(error);
      }
      const stay: Made[] = [];
      for (const made of ledger.open().filter((one) => one.as === as)) {
        const state = there?.get(made.id);
        // The list is taken at its word only for what has agreed to be deleted.
        if (there !== undefined && state === undefined && made.deleting === true) {
          ledger.write({ event: 'gone', id: made.id });
          continue;
        }
        if (state !== undefined) reasons.set(made.id, `still there, status ${state}`);
        if (made.deleting === true && state === 'destroying') leaving.add(made.id);
        else if (there !== undefined) leaving.delete(made.id);
        if (made.deleting !== true || state === 'destroy_failed') stay.push(made);
      }
      const waiting = stay.values();
      const remove = async () => {
        for (const made of waiting) {
          const failed = await removeIntern(options.send, made);
          if (failed === undefined) ledger.write({ event: 'deleting', id: made.id });
          else reasons.set(made.id, failed);
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
