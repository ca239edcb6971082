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
  'key-not-needed-to-read': {
    description: 'Reads without Authorization are answered.',
    mutant: withTheKey(
      ({ area, request }) => area === 'interns' && request.method === 'GET' && !request.headers.has('authorization'),
    ),
  },
  'key-wrong-is-403': {
    description: 'An invalid key is 403.',
    mutant: errors({ of: isKeyed, status: 401 }, { status: 403 }),
  },
  'key-message-of-its-own': {
    description: 'The message of the 401 is `Unauthorized`.',
    mutant: errors({ area: 'interns', status: 401 }, { message: 'Unauthorized' }),
  },
  'key-under-any-scheme': {
    description: 'A key is taken under any scheme of Authorization, or none.',
    mutant: rewriteHeader('authorization', (given) =>
      given && !/^bearer /i.test(given) ? `Bearer ${given.split(' ').at(-1)}` : given,
    ),
  },
  'key-in-the-query': {
    description: 'A key is taken from the query too.',
    mutant: rewriteRequest((request) => {
      const token = new URL(request.url).searchParams.get('access_token');
      return token === null ? request : withHeader(request, 'authorization', `Bearer ${token}`);
    }),
  },
  'key-by-its-beginning': {
    description: 'What begins with a key is that key.',
    mutant: rewire({
      createPipeline: (deps) => [
        { ...deps, resolve: async (token) => (await deps.resolve(token)) ?? deps.resolve(token.slice(0, -1)) },
      ],
    }),
  },
  'workspaces-not-kept-apart': {
    description: 'Every intern is read with every key.',
    mutant: visible((caller, id, interns) => interns.get(id) ?? interns.visible(caller, id)),
  },
  'list-of-all-workspaces': {
    description: 'The list holds the interns of every workspace.',
    mutant: wrap({
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
  },
  'interns-of-their-creator-only': {
    description: 'A key sees only the interns that its person created.',
    mutant: visible((caller, id, interns) => {
      const row = interns.visible(caller, id);
      if (caller.kind !== 'own_key' && row.creator !== caller.id) throw new Refusal('not_found');
      return row;
    }),
  },
  'token-and-key-are-two-callers': {
    description: "A person's OAuth token is another caller than the API key.",
    mutant: callers((caller) => (caller?.kind === 'oauth' ? { ...caller, id: `oauth:${caller.id}` } : caller)),
  },
  'callers-by-workspace': {
    description: 'All keys of a workspace are one caller.',
    mutant: callers((caller) => caller && { ...caller, id: caller.workspaceId }),
  },
  'scim-401-with-the-other-message': {
    description: 'The 401 of SCIM says `Invalid or missing API key`.',
    mutant: errors({ area: 'scim', status: 401 }, { message: 'Invalid or missing API key' }),
  },
  'scim-other-credentials-are-403': {
    description: 'An API key on SCIM is 403.',
    mutant: errors({ area: 'scim', of: isKeyed, status: 401 }, { status: 403 }),
  },
  'daemon-by-api-key': {
    description: 'An API key reads the daemon token.',
    mutant: routes('daemon', (row) => ({ ...row, credential: 'any' })),
  },
  'daemon-403-with-another-reason': {
    description: 'The 403 of an API key has the reason forbidden.',
    mutant: errors({ of: 'daemon', reason: 'personal_identity_required' }, { reason: 'forbidden', retryable: false }),
  },
  'signing-by-interns-only-grant': {
    description: 'A grant without vault:read signs.',
    mutant: routes('sign', (row) => ({ ...row, credential: 'oauth' })),
  },
  'signing-403-is-retryable': {
    description: 'The 403 of signing says that trying again helps.',
    mutant: errors({ reason: 'personal_identity_required' }, { retryable: true }),
  },
  'oauth-only-for-the-daemon': {
    description: 'An OAuth token is 403 on lifecycle, chat and invoke.',
    mutant: beforeHandling(LIFECYCLE, ({ caller }) =>
      caller.kind === 'oauth' ? errorReply(403, 'An API key is needed', 'forbidden') : undefined,
    ),
  },
  'interns-only-grant-cannot-chat': {
    description: 'An interns-only grant is 403 on chat and invoke.',
    mutant: beforeHandling(['chat', 'invoke'], ({ caller }) =>
      caller.grant === 'interns' ? errorReply(403, 'The grant lacks chat', 'forbidden') : undefined,
    ),
  },
});
