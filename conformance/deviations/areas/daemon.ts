import type { Exchange, Json } from '../combinators/exchange.js';
import { handles, routes } from '../combinators/parts.js';
import { answers, errors, jsonReply, rewriteJson, withoutHeader } from '../combinators/replies.js';
import { defineDeviations, type Mutant } from '../mutant.js';

const isAlias = (row: { readonly path: string }) => row.path === '/interns/:id/daemon-access';

const isAliasOfAccess = ({ operation, alias }: Exchange) => operation === 'daemon' && alias;

const NOT_STORED = 'cache-control';

const accesses = (change: (body: Json) => Json): Mutant => rewriteJson('daemon', (body) => change(body));

export const DAEMON = defineDeviations({
  'daemon-can-be-stored': {
    description: 'Origin and token are answered without Cache-Control: no-store.',
    mutant: withoutHeader(NOT_STORED, { of: 'daemon', status: 200 }),
  },
  'daemon-needs-the-vault-grant': {
    description: 'An interns-only grant does not read the daemon token.',
    mutant: routes('daemon', (row) => ({ ...row, credential: 'oauth_vault' })),
  },
  'daemon-under-other-names': {
    description: 'The token is answered as daemon_token.',
    mutant: accesses(({ token, ...body }) => ({ ...body, daemon_token: token })),
  },
  'daemon-of-a-stopped-intern': {
    description: 'The access of an intern that does not run is answered with a token to come.',
    mutant: answers({ of: 'daemon', status: 409, reason: 'intern_not_running' }, (_, { internId }) =>
      jsonReply(
        200,
        { origin: 'http://127.0.0.1:4684', token: `emu-dtok-${internId}` },
        { 'cache-control': 'no-store' },
      ),
    ),
  },
  'daemon-unreachable-is-502': {
    description: 'A daemon that cannot be reached is 502.',
    mutant: errors({ status: 409, reason: 'intern_unreachable' }, { status: 502 }),
  },
  'reveal-logged-by-member': {
    description: "A reveal is logged by the service's own id of the member.",
    mutant: handles('daemon', (call, handle) => {
      const { subject: _, ...caller } = call.caller;
      return handle(Object.create(call, { caller: { value: caller } }) as typeof call);
    }),
  },
  'reveal-logged-with-the-token': {
    description: 'The log of reveals holds the token.',
    mutant: handles('daemon', (call, handle) => {
      const caller = { ...call.caller, subject: `${call.caller.subject} ${call.intern.daemon_token}` };
      return handle(Object.create(call, { caller: { value: caller } }) as typeof call);
    }),
  },
  'daemon-alias-gone': {
    description: 'The deprecated alias of the daemon access is 404.',
    mutant: routes(isAlias, () => undefined),
  },
  'daemon-alias-by-api-key': {
    description: 'An API key reads the daemon token by the alias.',
    mutant: routes(isAlias, (row) => ({ ...row, credential: 'any' })),
  },
  'daemon-alias-can-be-stored': {
    description: 'The alias answers without Cache-Control: no-store.',
    mutant: withoutHeader(NOT_STORED, { of: isAliasOfAccess, status: 200 }),
  },
  'daemon-alias-does-not-say-it-is-one': {
    description: 'The alias has no Deprecation header.',
    mutant: withoutHeader('deprecation', { of: isAliasOfAccess }),
  },
});
