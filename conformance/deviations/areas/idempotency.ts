import { bodyOf, isObject, type Json, tokenOf, withRequest } from '../combinators/exchange.js';
import { inside, remembersCreates, soon, wrap } from '../combinators/parts.js';
import { errorReply, errors, rewriteStatus } from '../combinators/replies.js';
import { instead, rewriteHeader, rewriteRequest } from '../combinators/requests.js';
import { defineDeviations, type Mutant, together } from '../mutant.js';

/** The caller and the key of a create. */
const keyOf = (request: Request) => `${tokenOf(request)} ${request.headers.get('idempotency-key')}`;

/** Has retries of a key send the body that was sent first, where `when` says so. */
const sendsTheFirst = (when: (first: Json, now: Json) => boolean) => (): Mutant => {
  const firsts = new Map<string, Json>();
  return rewriteRequest(async (request, { operation }) => {
    if (operation !== 'create' || !request.headers.has('idempotency-key')) return request;
    const body = await bodyOf(request);
    if (!isObject(body)) return request;
    const first = firsts.get(keyOf(request)) ?? body;
    firsts.set(keyOf(request), first);
    return when(first, body) ? withRequest(request, { body: JSON.stringify(first) }) : request;
  });
};

export const IDEMPOTENCY = defineDeviations({
  // A retry with the same key is a create of its own.
  'key-not-looked-at': () => {
    let count = 0;
    return rewriteHeader('idempotency-key', (key, { operation }) => (operation === 'create' ? `none-${count++}` : key));
  },
  // Equal creates that are sent at once each make an intern: keys and names are noted a moment too late.
  'key-looked-up-before-it-waits': () =>
    together(
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
      wrap({
        createInterns(usual) {
          const fresh = new Set<string>();
          inside(usual, 'put', (put) => (row, ...rest) => {
            if (!usual.get(row.id)) {
              fresh.add(row.record.name);
              void soon(() => fresh.delete(row.record.name));
            }
            return put(row, ...rest);
          });
          return inside(
            usual,
            'nameTaken',
            (taken) => (creator, workspace, name, except) =>
              !fresh.has(name) && taken(creator, workspace, name, except),
          );
        },
      }),
    ),
  'key-replays-with-201': rewriteStatus('create', 200, 201),
  'key-replays-whatever-the-body': sendsTheFirst(() => true),
  // Bodies of one key are compared by their names.
  'key-compares-only-names': sendsTheFirst((first, now) => first.name === now.name),
  'key-reused-is-422': errors({ reason: 'idempotency_key_reused' }, { status: 422 }),
  // A key of more than 128 characters is refused.
  'key-of-128-at-most': instead(
    ({ operation, request }) => operation === 'create' && (request.headers.get('idempotency-key')?.length ?? 0) > 128,
    errorReply(400, 'Idempotency-Key must be 1 to 128 characters', 'invalid_body'),
  ),
});
