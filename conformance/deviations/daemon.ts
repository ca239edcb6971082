import type { Alterations } from './alterations.js';
import { before, bodies, errors, rows } from './change.js';
import type { Json } from './change-lifecycle.js';
import { aliasOf, withoutHeader } from './change-signing.js';
import { defineDeviations, together } from './deviation.js';

const DAEMON_ALIAS = aliasOf('/interns/:id/daemon-access');

const accesses = (change: (body: Json) => Json): Alterations => bodies('daemon', (body) => change(body));

export const DAEMON = defineDeviations([
  {
    name: 'daemon-can-be-stored',
    requirement: 'DAEMON-1',
    description: 'Origin and token are answered without Cache-Control: no-store.',
    alters: withoutHeader('daemon', 'cache-control'),
    caughtBy: ['daemon/access'],
  },
  {
    name: 'daemon-needs-the-vault-grant',
    requirement: 'DAEMON-1',
    description: 'An interns-only grant does not read the daemon token.',
    alters: rows('daemon', (row) => ({ ...row, credential: 'oauth_vault' })),
    caughtBy: ['daemon/access', 'daemon/token-per-boot', 'auth/matrix'],
  },
  {
    name: 'daemon-under-other-names',
    requirement: 'DAEMON-1',
    description: 'The token is answered as daemon_token.',
    alters: accesses(({ token, ...body }) => ({ ...body, daemon_token: token })),
    caughtBy: ['daemon/access', 'daemon/access-form'],
  },
  {
    name: 'daemon-origin-with-a-path',
    requirement: 'DAEMON-1',
    description: 'origin ends in a path.',
    alters: accesses((body) => ({ ...body, origin: `${String(body.origin)}/daemon` })),
    caughtBy: ['daemon/access-form'],
  },
  {
    name: 'daemon-origin-ends-in-a-slash',
    requirement: 'DAEMON-1',
    description: 'origin ends in a slash.',
    alters: accesses((body) => ({ ...body, origin: `${String(body.origin)}/` })),
    caughtBy: ['daemon/access-form'],
  },
  {
    name: 'daemon-not-running-is-404',
    requirement: 'DAEMON-1',
    description: 'An intern that does not run is 404.',
    alters: errors(({ reason }) => (reason === 'intern_not_running' ? { status: 404 } : undefined)),
    caughtBy: ['daemon/not-running', 'auth/matrix'],
  },
  {
    name: 'daemon-not-running-is-retryable',
    requirement: 'DAEMON-1',
    description: 'intern_not_running says that trying again helps.',
    alters: errors(({ reason, error }) =>
      reason === 'intern_not_running' ? { error: { ...error, metadata: { reason, retryable: true } } } : undefined,
    ),
    caughtBy: ['daemon/not-running'],
  },
  {
    name: 'daemon-of-a-stopped-intern',
    requirement: 'DAEMON-1',
    description: 'The access of an intern that does not run is answered with a token to come.',
    alters: before('daemon', ({ intern }) =>
      intern.record.status === 'running'
        ? undefined
        : {
            status: 200,
            body: JSON.stringify({ origin: 'http://127.0.0.1:4684', token: `emu-dtok-${intern.id}` }),
            headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
          },
    ),
    caughtBy: ['daemon/not-of-a-stopped-intern', 'daemon/not-running', 'daemon/reveals-logged', 'auth/matrix'],
  },
  {
    name: 'daemon-unreachable-is-502',
    requirement: 'DAEMON-1',
    description: 'A daemon that cannot be reached is 502.',
    alters: errors(({ status, reason }) =>
      status === 409 && reason === 'intern_unreachable' ? { status: 502 } : undefined,
    ),
    caughtBy: ['daemon/unreachable'],
  },
  {
    name: 'daemon-not-asked-whether-it-is-there',
    requirement: 'DAEMON-1',
    description: 'The access of a daemon that cannot be reached is answered.',
    alters: {
      scripts: (usual) => ({
        ...usual,
        resolveLifecycle: (row) => ({ ...usual.resolveLifecycle(row), daemon: 'reachable' }),
      }),
    },
    caughtBy: ['daemon/unreachable'],
  },
  {
    name: 'daemon-token-of-each-caller',
    requirement: 'DAEMON-1',
    description: 'Each reveal has a token of its own.',
    alters: () => {
      let count = 0;
      return accesses((body) => ({ ...body, token: `${String(body.token)}.${count++}` }));
    },
    caughtBy: ['daemon/token-per-boot', 'proof/accepted'],
  },
  {
    name: 'daemon-token-of-all',
    requirement: 'DAEMON-1',
    description: 'All daemons have one token.',
    alters: accesses((body) => ({ ...body, token: 'emu-dtok-shared' })),
    caughtBy: ['daemon/token-per-boot'],
  },
  {
    name: 'reveal-not-logged',
    requirement: 'DAEMON-2',
    description: 'A reveal by the alias is not logged.',
    alters: () => {
      let quiet = false;
      return together(
        {
          store: (store) => {
            const usual = store.collection.bind(store);
            store.collection = ((name: 'reveals') => {
              const found = usual(name);
              return name === 'reveals'
                ? {
                    get size() {
                      return found.size;
                    },
                    get: (id: string) => found.get(id),
                    has: (id: string) => found.has(id),
                    values: () => found.values(),
                    put: (row: Parameters<typeof found.put>[0]) => (quiet ? undefined : found.put(row)),
                    delete: (id: string) => found.delete(id),
                  }
                : found;
            }) as typeof store.collection;
            return store;
          },
        },
        {
          routes: (table) =>
            table.map((row) =>
              row.operation === 'daemon'
                ? {
                    ...row,
                    handle(call) {
                      quiet = DAEMON_ALIAS(row);
                      return row.handle(call);
                    },
                  }
                : row,
            ),
        },
      );
    },
    caughtBy: ['daemon/reveals-logged'],
  },
  {
    name: 'reveal-logged-by-member',
    requirement: 'DAEMON-2',
    description: "A reveal is logged by the service's own id of the member.",
    alters: rows('daemon', (row) => ({
      ...row,
      handle: (call) => {
        const { subject: _, ...caller } = call.caller;
        return row.handle(Object.create(call, { caller: { value: caller } }) as typeof call);
      },
    })),
    caughtBy: ['daemon/reveals-logged'],
  },
  {
    name: 'reveal-logged-with-the-token',
    requirement: 'DAEMON-2',
    description: 'The log of reveals holds the token.',
    alters: rows('daemon', (row) => ({
      ...row,
      handle: (call) => {
        const caller = { ...call.caller, subject: `${call.caller.subject} ${call.intern.daemon_token}` };
        return row.handle(Object.create(call, { caller: { value: caller } }) as typeof call);
      },
    })),
    caughtBy: ['daemon/log-holds-no-token', 'daemon/reveals-logged'],
  },
  {
    name: 'daemon-alias-gone',
    requirement: 'DAEMON-3',
    description: 'The deprecated alias of the daemon access is 404.',
    alters: { routes: (table) => table.filter((row) => !DAEMON_ALIAS(row)) },
    caughtBy: ['daemon/alias', 'daemon/alias-tells-its-successor', 'daemon/not-running', 'daemon/unreachable'],
  },
  {
    name: 'daemon-alias-by-api-key',
    requirement: 'DAEMON-3',
    description: 'An API key reads the daemon token by the alias.',
    alters: rows(DAEMON_ALIAS, (row) => ({ ...row, credential: 'any' })),
    caughtBy: ['daemon/alias', 'auth/daemon-needs-oauth'],
  },
  {
    name: 'daemon-alias-can-be-stored',
    requirement: 'DAEMON-3',
    description: 'The alias answers without Cache-Control: no-store.',
    alters: withoutHeader(DAEMON_ALIAS, 'cache-control'),
    caughtBy: ['daemon/alias'],
  },
  {
    name: 'daemon-alias-does-not-say-it-is-one',
    requirement: 'DAEMON-3',
    description: 'The alias has no Deprecation header.',
    alters: rows(DAEMON_ALIAS, ({ successor: _, ...row }) => row),
    caughtBy: ['daemon/alias-tells-its-successor'],
  },
]);
