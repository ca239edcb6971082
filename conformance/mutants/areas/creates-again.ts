import { Refusal } from '../../../emulator/contract/errors.js';
import type { InternRow } from '../../../emulator/contract/state.js';
import type { Interns } from '../../../emulator/domain/interns.js';
import { isRecord, type Json } from '../../../emulator/wire/json.js';
import { bodyOf, tokenOf, withRequest } from '../../../emulator/wire/request.js';
import { defineMutants, type Mutation, together } from '../mutant.js';
import { errorReply, errors, exchanges, status } from '../operators/answers.js';
import { plans } from '../operators/behaviours.js';
import { all } from '../operators/exchange.js';
import { namesTaken, puts, remembersCreates, soon, wrap } from '../operators/parts.js';
import { asked, header, instead } from '../operators/requests.js';

const KEY = 'idempotency-key';

/** The caller and the key of a create. */
const keyOf = (request: Request) => `${tokenOf(request)} ${request.headers.get(KEY)}`;

/** Has retries of a key send the body that was sent first, where `when` says so. */
const sendsTheFirst = (when: (first: Json, now: Json) => boolean): Mutation =>
  asked('create', async (request, { first }) => {
    const now = request.headers.has(KEY) ? await bodyOf(request) : undefined;
    if (!isRecord(now)) return request;
    const before = first(keyOf(request), now);
    return when(before, now) ? withRequest(request, { body: JSON.stringify(before) }) : request;
  });

/** The fate of a create that broke off. */
const brokenOff = (then: (row: InternRow, interns: Interns) => void) => (): Mutation => {
  let interns: Interns | undefined;
  return wrap({
    createInterns(usual) {
      interns = usual;
      return usual;
    },
    createCreate: (usual) => (request) => {
      try {
        return usual(request);
      } catch (error) {
        if (interns && error instanceof Refusal && error.key === 'upstream_unavailable') {
          const row = interns.list(request.caller).find((one) => one.record.name === request.body.name);
          if (row) then(row, interns);
        }
        throw error;
      }
    },
  });
};

/** Forgets a step that a create has left to do. */
const skips = (step: 'vault' | 'provisioner') =>
  brokenOff((row, interns) => {
    interns.put(row, undefined, { unfinished: row.unfinished.filter((one) => one !== step) });
  });

/** Retries under a key, and of creates that broke off (CREATE-4). */
export const CREATES_AGAIN = defineMutants({
  'key-not-looked-at': header('create', KEY, (_, { times }) => `none-${times(KEY)}`),
  // Equal creates that are sent at once each make an intern: keys and names are noted a moment too late.
  'key-looked-up-before-it-waits': () => {
    const named = new Set<string>();
    return together(
      remembersCreates((entries) => {
        const fresh = new Set<string>();
        return {
          get: (id) => (fresh.has(id) ? undefined : entries.get(id)),
          put(row) {
            fresh.add(row.id);
            void soon(() => fresh.delete(row.id));
            entries.put(row);
          },
        };
      }),
      puts((put, interns) => (row, ...rest) => {
        const { name } = row.record;
        if (!interns.get(row.id)) {
          named.add(name);
          void soon(() => named.delete(name));
        }
        return put(row, ...rest);
      }),
      namesTaken((taken) => (creator, workspace, name, except) => {
        return !named.has(name) && taken(creator, workspace, name, except);
      }),
    );
  },
  'key-replays-with-201': status('create', 200, 201),
  'key-replays-whatever-the-body': sendsTheFirst(() => true),
  'key-compares-only-names': sendsTheFirst((first, now) => first.name === now.name),
  'key-reused-is-422': errors({ reason: 'idempotency_key_reused' }, { status: 422 }),
  'key-of-128-at-most': instead(
    all('create', ({ request }) => (request.headers.get(KEY)?.length ?? 0) > 128),
    errorReply(400, 'Idempotency-Key must be 1 to 128 characters', 'invalid_body'),
  ),
  // The retry of a create that broke off meets the half-made intern as a conflict.
  'unfinished-starts-over': () => {
    const again = new Map<string, string>();
    return exchanges(async ({ operation, request, times }, next) => {
      if (operation !== 'create') return next(request);
      const asked = `${keyOf(request)} ${await request.clone().text()}`;
      const key = again.get(asked) ?? request.headers.get(KEY) ?? undefined;
      const response = await next(withRequest(request, { headers: { [KEY]: key } }));
      if (response.status === 502) again.set(asked, `again-${times(KEY)}`);
      return response;
    });
  },
  // The retry of a create that broke off before the vault leaves it without one.
  'unfinished-stays-without-a-vault': skips('vault'),
  'unfinished-is-not-provisioned': skips('provisioner'),
  'unfinished-is-500': errors({ reason: 'upstream_unavailable' }, { status: 500 }),
  // The key of an unfinished create is not compared with its body.
  'unfinished-taken-over-by-another-body': remembersCreates((entries) => ({
    get(id) {
      const entry = entries.get(id);
      return entry && entry.answer === null && !entry.derived ? undefined : entry;
    },
  })),
  // vault-fails-once creates at the first try.
  'vault-script-does-not-fail': plans((plan) => ({ ...plan, vault: 'ok' })),
});
