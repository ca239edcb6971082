import type { Exchange, Json } from '../combinators/exchange.js';
import { handles, routes } from '../combinators/parts.js';
import { answers, errors, jsonReply, rewriteJson, withoutHeader } from '../combinators/replies.js';
import { defineDeviations, type Mutant } from '../mutant.js';

const isAlias = (row: { readonly path: string }) => row.path === '/interns/:id/daemon-access';

const isAliasOfAccess = ({ operation, alias }: Exchange) => operation === 'daemon' && alias;

const NOT_STORED = 'cache-control';

const accesses = (change: (body: Json) => Json): Mutant => rewriteJson('daemon', (body) => change(body));

export const DAEMON = defineDeviations({
  // Origin and token are answered without Cache-Control: no-store.
  'daemon-can-be-stored': withoutHeader(NOT_STORED, { of: 'daemon', status: 200 }),
  // An interns-only grant does not read the daemon token.
  'daemon-needs-the-vault-grant': routes('daemon', (row) => ({ ...row, credential: 'oauth_vault' })),
  'daemon-under-other-names': accesses(({ token, ...body }) => ({ ...body, daemon_token: token })),
  // The access of an intern that does not run is answered with a token to come.
  'daemon-of-a-stopped-intern': answers(
    { of: 'daemon', status: 409, reason: 'intern_not_running' },
    (_, { internId }) =>
      jsonReply(
        200,
        { origin: 'http://127.0.0.1:4684', token: `emu-dtok-${internId}` },
        { 'cache-control': 'no-store' },
      ),
  ),
  // A daemon that cannot be reached is 502.
  'daemon-unreachable-is-502': errors({ status: 409, reason: 'intern_unreachable' }, { status: 502 }),
  // A reveal is logged by the service's own id of the member.
  'reveal-logged-by-member': handles('daemon', (call, handle) => {
    const { subject: _, ...caller } = call.caller;
    return handle(Object.create(call, { caller: { value: caller } }) as typeof call);
  }),
  // The log of reveals holds the token.
  'reveal-logged-with-the-token': handles('daemon', (call, handle) => {
    const caller = { ...call.caller, subject: `${call.caller.subject} ${call.intern.daemon_token}` };
    return handle(Object.create(call, { caller: { value: caller } }) as typeof call);
  }),
  // The deprecated alias of the daemon access is 404.
  'daemon-alias-gone': routes(isAlias, () => undefined),
  // An API key reads the daemon token by the alias.
  'daemon-alias-by-api-key': routes(isAlias, (row) => ({ ...row, credential: 'any' })),
  // The alias answers without Cache-Control: no-store.
  'daemon-alias-can-be-stored': withoutHeader(NOT_STORED, { of: isAliasOfAccess, status: 200 }),
  'daemon-alias-does-not-say-it-is-one': withoutHeader('deprecation', { of: isAliasOfAccess }),
});
