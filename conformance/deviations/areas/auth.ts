import { Refusal } from '../../../emulator/contract/errors.js';
import type { Interns } from '../../../emulator/domain/interns.js';
import { type Exchange, withHeader } from '../combinators/exchange.js';
import { beforeHandling, callers, rewire, routes, visible, wrap } from '../combinators/parts.js';
import { errorReply, errors } from '../combinators/replies.js';
import { rewriteHeader, rewriteRequest, withTheKey } from '../combinators/requests.js';
import { defineDeviations } from '../mutant.js';

const LIFECYCLE = ['list', 'create', 'get', 'update', 'delete', 'provision', 'suspend', 'chat', 'invoke'] as const;

const isKeyed = ({ request }: Exchange) => request.headers.has('authorization');

export const AUTH = defineDeviations({
  'key-not-needed-to-read': withTheKey(
    ({ area, request }) => area === 'interns' && request.method === 'GET' && !request.headers.has('authorization'),
  ),
  // An invalid key is 403.
  'key-wrong-is-403': errors({ of: isKeyed, status: 401 }, { status: 403 }),
  'key-message-of-its-own': errors({ area: 'interns', status: 401 }, { message: 'Unauthorized' }),
  // A key is taken under any scheme of Authorization, or none.
  'key-under-any-scheme': rewriteHeader('authorization', (given) =>
    given && !/^bearer /i.test(given) ? `Bearer ${given.split(' ').at(-1)}` : given,
  ),
  'key-in-the-query': rewriteRequest((request) => {
    const token = new URL(request.url).searchParams.get('access_token');
    return token === null ? request : withHeader(request, 'authorization', `Bearer ${token}`);
  }),
  'key-by-its-beginning': rewire({
    createPipeline: (deps) => [
      { ...deps, resolve: async (token) => (await deps.resolve(token)) ?? deps.resolve(token.slice(0, -1)) },
    ],
  }),
  // Every intern is read with every key.
  'workspaces-not-kept-apart': visible((caller, id, interns) => interns.get(id) ?? interns.visible(caller, id)),
  // The list holds the interns of every workspace.
  'list-of-all-workspaces': wrap({
    createInterns: (usual) => {
      let all: ReturnType<Interns['list']> = [];
      return {
        put(row, ...rest) {
          const next = usual.put(row, ...rest);
          all = [next, ...all.filter((one) => one.id !== row.id)].sort((a, b) => b.seq - a.seq);
          return next;
        },
        list: (caller) =>
          caller.kind === 'own_key' ? usual.list(caller) : all.flatMap((row) => usual.get(row.id) ?? []),
      };
    },
  }),
  // A key sees only the interns that its person created.
  'interns-of-their-creator-only': visible((caller, id, interns) => {
    const row = interns.visible(caller, id);
    if (caller.kind !== 'own_key' && row.creator !== caller.id) throw new Refusal('not_found');
    return row;
  }),
  // A person's OAuth token is another caller than the API key.
  'token-and-key-are-two-callers': callers((caller) =>
    caller?.kind === 'oauth' ? { ...caller, id: `oauth:${caller.id}` } : caller,
  ),
  // All keys of a workspace are one caller.
  'callers-by-workspace': callers((caller) => caller && { ...caller, id: caller.workspaceId }),
  'scim-401-with-the-other-message': errors({ area: 'scim', status: 401 }, { message: 'Invalid or missing API key' }),
  // An API key on SCIM is 403.
  'scim-other-credentials-are-403': errors({ area: 'scim', of: isKeyed, status: 401 }, { status: 403 }),
  // An API key reads the daemon token.
  'daemon-by-api-key': routes('daemon', (row) => ({ ...row, credential: 'any' })),
  // The 403 of an API key has the reason forbidden.
  'daemon-403-with-another-reason': errors(
    { of: 'daemon', reason: 'personal_identity_required' },
    { reason: 'forbidden', retryable: false },
  ),
  // A grant without vault:read signs.
  'signing-by-interns-only-grant': routes('sign', (row) => ({ ...row, credential: 'oauth' })),
  // The 403 of signing says that trying again helps.
  'signing-403-is-retryable': errors({ reason: 'personal_identity_required' }, { retryable: true }),
  // An OAuth token is 403 on lifecycle, chat and invoke.
  'oauth-only-for-the-daemon': beforeHandling(LIFECYCLE, ({ caller }) =>
    caller.kind === 'oauth' ? errorReply(403, 'An API key is needed', 'forbidden') : undefined,
  ),
  'interns-only-grant-cannot-chat': beforeHandling(['chat', 'invoke'], ({ caller }) =>
    caller.grant === 'interns' ? errorReply(403, 'The grant lacks chat', 'forbidden') : undefined,
  ),
});
