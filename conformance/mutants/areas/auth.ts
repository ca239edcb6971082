import { Refusal } from '../../../emulator/contract/errors.js';
import type { Interns } from '../../../emulator/domain/interns.js';
import { withRequest } from '../../../emulator/wire/request.js';
import { defineMutants } from '../mutant.js';
import { errorReply, errors } from '../operators/answers.js';
import { all, by, method, type Of } from '../operators/exchange.js';
import { callers, refusesCalls, rewire, routes, visible, wrap } from '../operators/parts.js';
import { ANY, as, asked, header } from '../operators/requests.js';

const LIFECYCLE = ['list', 'create', 'get', 'update', 'delete', 'provision', 'suspend', 'chat', 'invoke'] as const;

const isKeyed: Of = ({ request }) => request.headers.has('authorization');

export const AUTH = defineMutants({
  'key-not-needed-to-read': as('api_key', all('interns', method('GET'), by('nobody'))),
  'key-wrong-is-403': errors({ of: isKeyed, status: 401 }, { status: 403 }),
  'key-message-of-its-own': errors({ of: 'interns', status: 401 }, { message: 'Unauthorized' }),
  // A key is taken under any scheme of Authorization, or none.
  'key-under-any-scheme': header(ANY, 'authorization', (given) =>
    given && !/^bearer /i.test(given) ? `Bearer ${given.split(' ').at(-1)}` : given,
  ),
  'key-in-the-query': asked(ANY, (request, { query }) => {
    const token = query.get('access_token');
    return token === null ? request : withRequest(request, { headers: { authorization: `Bearer ${token}` } });
  }),
  'key-by-its-beginning': rewire({
    createPipeline: (deps) => [
      { ...deps, resolve: async (token) => (await deps.resolve(token)) ?? deps.resolve(token.slice(0, -1)) },
    ],
  }),
  // Every intern is read with every key.
  'workspaces-not-kept-apart': visible((caller, id, interns) => interns.get(id) ?? interns.visible(caller, id)),
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
  'callers-by-workspace': callers((caller) => caller && { ...caller, id: caller.workspaceId }),
  'scim-401-with-the-other-message': errors({ of: 'scim', status: 401 }, { message: 'Invalid or missing API key' }),
  'scim-other-credentials-are-403': errors({ of: all('scim', isKeyed), status: 401 }, { status: 403 }),
  'daemon-by-api-key': routes('daemon', { credential: 'any' }),
  'daemon-403-with-another-reason': errors(
    { of: 'daemon', reason: 'personal_identity_required' },
    { reason: 'forbidden', retryable: false },
  ),
  'signing-by-interns-only-grant': routes('sign', { credential: 'oauth' }),
  'signing-403-is-retryable': errors({ reason: 'personal_identity_required' }, { retryable: true }),
  'oauth-only-for-the-daemon': refusesCalls(
    LIFECYCLE,
    ({ caller }) => caller.kind === 'oauth',
    errorReply(403, 'An API key is needed', 'forbidden'),
  ),
  'interns-only-grant-cannot-chat': refusesCalls(
    ['chat', 'invoke'],
    ({ caller }) => caller.grant === 'interns',
    errorReply(403, 'The grant lacks chat', 'forbidden'),
  ),
});
