import type { Answer } from '../probe/client.js';
import type { CredentialName, Send } from '../probe/request.js';
import type { Ledger } from './ledger.js';

/** What became of the interns that a run made. Apart from conformance: a target may be right and still keep leftovers. */
export interface CleanupResult {
  readonly created: number;
  readonly deleted: number;
  readonly failed: readonly { readonly id: string; readonly name: string; readonly why: string }[];
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
}

const why = (error: unknown) => (error instanceof Error ? error.message : String(error));

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

/** Looks for interns of the prefix that the ledger does not know: those whose create was never answered. */
async function search(options: CleanupOptions, as: CredentialName) {
  let after: string | undefined;
  for (let pages = 0; pages < 200; pages++) {
    const answer = await options.send({
      path: '/interns',
      as,
      ...(after === undefined ? {} : { query: { starting_after: after } }),
    });
    if (answer.status !== 200) throw new Error(`GET /interns answered ${answer.status}`);
    const body = answer.json as
      | { data?: { id: string; name: string; status?: string }[]; next_cursor?: string }
      | undefined;
    const known = new Set(options.ledger.open().map((made) => made.id));
    for (const entry of body?.data ?? []) {
      if (entry.name.startsWith(options.prefix) && !known.has(entry.id)) {
        options.ledger.write({ event: 'created', id: entry.id, name: entry.name, as });
      }
    }
    if (typeof body?.next_cursor !== 'string') return;
    after = body.next_cursor;
  }
}

/** Takes away everything a run made, and says what it could not take away. Never throws. */
export async function cleanUp(options: CleanupOptions): Promise<CleanupResult> {
  let notSearched: string | undefined;
  for (const as of options.ledger.creators()) {
    await search(options, as).catch((error) => {
      notSearched = why(error);
    });
  }
  const reasons = new Map<string, string>();
  for (const made of options.ledger.open()) {
    const failed = await removeIntern(options.send, made);
    if (failed !== undefined) reasons.set(made.id, failed);
  }
  // A teardown takes its time; what is not 404 after it is a leftover.
  for (let round = 0; ; round++) {
    for (const made of options.ledger.open()) {
      try {
        const answer = await options.send({ path: `/interns/${made.id}`, as: made.as });
        if (answer.status === 404) options.ledger.write({ event: 'gone', id: made.id });
        else if (answer.status === 200) {
          const state = (answer.json as { status?: string } | undefined)?.status;
          reasons.set(made.id, reasons.get(made.id) ?? `still there, status ${state}`);
          if (state === 'destroy_failed') await removeIntern(options.send, made);
        } else reasons.set(made.id, `GET answered ${answer.status}`);
      } catch (error) {
        reasons.set(made.id, why(error));
      }
    }
    if (options.ledger.open().length === 0 || !(await options.pause(round))) break;
  }
  const left = options.ledger.open();
  return {
    created: options.created,
    deleted: options.created - left.length,
    failed: left.map(({ id, name }) => ({ id, name, why: reasons.get(id) ?? 'still there' })),
    ...(notSearched === undefined ? {} : { notSearched }),
  };
}
