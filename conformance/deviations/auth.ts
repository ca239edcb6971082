import { Refusal } from '../../emulator/contract/errors.js';
import type { Interns } from '../../emulator/domain/interns.js';
import type { Alterations } from './alterations.js';
import { after, before, errorAnswer, errors, operationOf, requests, rows } from './change.js';
import { callers, visible } from './change-auth.js';
import { defineDeviations, together } from './deviation.js';

const withAuthorization = (request: Request, value: string): Request => {
  const headers = new Headers(request.headers);
  headers.set('authorization', value);
  return new Request(request, { headers });
};

/** Alice's key, as the seed has it. */
const ofAlice = (change: (key: () => string) => Alterations): Alterations => {
  let key = '';
  return together(
    {
      seed(seed) {
        key = seed.members[0]?.api_key ?? '';
        return seed;
      },
    },
    change(() => key),
  );
};

const LIFECYCLE = ['list', 'create', 'get', 'update', 'delete', 'provision', 'suspend', 'chat', 'invoke'] as const;

export const AUTH = defineDeviations([
  {
    name: 'key-not-needed-to-read',
    requirement: 'AUTH-1',
    description: 'Reads without Authorization are answered.',
    alters: () =>
      ofAlice((key) =>
        requests((request, { area }) =>
          area === 'interns' && request.method === 'GET' && !request.headers.has('authorization')
            ? withAuthorization(request, `Bearer ${key()}`)
            : request,
        ),
      ),
    caughtBy: ['auth/key-needed', 'auth/key-message'],
  },
  {
    name: 'key-not-needed-to-chat',
    requirement: 'AUTH-1',
    description: 'Chat without Authorization is answered.',
    alters: () =>
      ofAlice((key) =>
        requests((request, resource) =>
          operationOf(resource, request.method) === 'chat' && !request.headers.has('authorization')
            ? withAuthorization(request, `Bearer ${key()}`)
            : request,
        ),
      ),
    caughtBy: ['auth/key-needed'],
  },
  {
    name: 'key-wrong-is-403',
    requirement: 'AUTH-1',
    description: 'An invalid key is 403.',
    alters: errors(({ status, request }) =>
      status === 401 && request.headers.has('authorization') ? { status: 403 } : undefined,
    ),
    caughtBy: ['auth/key-needed', 'auth/key-exact', 'auth/management-key-on-interns', 'auth/scim-other-credentials'],
  },
  {
    name: 'key-message-of-its-own',
    requirement: 'AUTH-1',
    description: 'The message of the 401 is `Unauthorized`.',
    alters: errors(({ status, error, resource }) =>
      status === 401 && resource.area === 'interns' ? { error: { ...error, message: 'Unauthorized' } } : undefined,
    ),
    caughtBy: ['auth/key-message'],
  },
  {
    name: 'key-under-any-scheme',
    requirement: 'AUTH-1',
    description: 'A key is taken under any scheme of Authorization, or none.',
    alters: requests((request) => {
      const given = request.headers.get('authorization');
      return given && !/^bearer /i.test(given)
        ? withAuthorization(request, `Bearer ${given.split(' ').at(-1)}`)
        : request;
    }),
    caughtBy: ['auth/authorization-forms'],
  },
  {
    name: 'key-in-another-header',
    requirement: 'AUTH-1',
    description: 'A key in x-api-key is taken too.',
    alters: requests((request) => {
      const given = request.headers.get('x-api-key');
      return given && !request.headers.has('authorization') ? withAuthorization(request, `Bearer ${given}`) : request;
    }),
    caughtBy: ['auth/authorization-forms'],
  },
  {
    name: 'key-in-the-query',
    requirement: 'AUTH-1',
    description: 'A key in the query is taken too.',
    alters: requests((request) => {
      const { searchParams } = new URL(request.url);
      const given = searchParams.get('api_key') ?? searchParams.get('key') ?? searchParams.get('access_token');
      return given && !request.headers.has('authorization') ? withAuthorization(request, `Bearer ${given}`) : request;
    }),
    caughtBy: ['auth/authorization-forms'],
  },
  {
    name: 'key-by-its-beginning',
    requirement: 'AUTH-1',
    description: 'What begins with a key is that key.',
    alters: {
      pipelineDeps: (deps) => ({
        ...deps,
        resolve: (token) => after(deps.resolve(token), (caller) => caller ?? deps.resolve(token.slice(0, -1))),
      }),
    },
    caughtBy: ['auth/key-exact'],
  },
  {
    name: 'key-in-any-case',
    requirement: 'AUTH-1',
    description: 'Upper and lower case of a key do not count.',
    alters: () => {
      const keys = new Map<string, string>();
      return {
        accounts: (usual) => ({
          ...usual,
          addOwnKey(row) {
            keys.set(row.api_key.toLowerCase(), row.api_key);
            usual.addOwnKey(row);
          },
        }),
        pipelineDeps: (deps) => ({ ...deps, resolve: (token) => deps.resolve(keys.get(token.toLowerCase()) ?? token) }),
      };
    },
    caughtBy: ['auth/key-exact'],
  },
  {
    name: 'workspaces-not-kept-apart',
    requirement: 'AUTH-2',
    description: 'Every intern is read with every key.',
    alters: visible((caller, id, interns) => interns.get(id) ?? interns.visible(caller, id)),
    caughtBy: [
      'auth/workspace-of-the-key',
      'auth/hidden-is-unknown',
      'auth/hidden-whatever-the-body',
      'auth/own-key-other-interns',
      'auth/matrix',
      'chat-answers/not-to-others',
    ],
  },
  {
    name: 'list-of-all-workspaces',
    requirement: 'AUTH-2',
    description: 'The list holds the interns of every workspace.',
    alters: {
      interns: (usual) => {
        let all: ReturnType<Interns['list']> = [];
        return {
          ...usual,
          put(row, ...rest) {
            const next = usual.put(row, ...rest);
            all = [next, ...all.filter((one) => one.id !== row.id)].sort((a, b) => b.seq - a.seq);
            return next;
          },
          list: (caller) =>
            caller.kind === 'own_key' ? usual.list(caller) : all.flatMap((row) => usual.get(row.id) ?? []),
        };
      },
    },
    caughtBy: ['auth/workspace-of-the-key'],
  },
  {
    name: 'interns-of-their-creator-only',
    requirement: 'AUTH-2',
    description: 'A key sees only the interns that its person created.',
    alters: visible((caller, id, interns) => {
      const row = interns.visible(caller, id);
      if (caller.kind !== 'own_key' && row.creator !== caller.id) throw new Refusal('not_found');
      return row;
    }),
    caughtBy: ['auth/workspace-shares-interns', 'chat-lock/for-every-caller'],
  },
  {
    name: 'token-and-key-are-two-callers',
    requirement: 'AUTH-2',
    description: "A person's OAuth token is another caller than the API key.",
    alters: callers((caller) => (caller?.kind === 'oauth' ? { ...caller, id: `oauth:${caller.id}` } : caller)),
    caughtBy: [
      'auth/own-key-is-a-caller-of-its-own',
      'invoke-sessions/session-of-the-member',
      'limiter/per-member',
      'create/one-caller-one-key',
      'auth/oauth-acts-as-its-member',
    ],
  },
  {
    name: 'callers-by-workspace',
    requirement: 'AUTH-2',
    description: 'All keys of a workspace are one caller.',
    alters: callers((caller) => caller && { ...caller, id: caller.workspaceId }),
    caughtBy: [
      'auth/own-key-is-a-caller-of-its-own',
      'create/key-per-caller',
      'invoke-sessions/session-of-the-caller',
      'limiter/per-member',
    ],
  },
  {
    name: 'scim-without-a-key',
    requirement: 'AUTH-6',
    description: 'SCIM is read without Authorization.',
    alters: () => {
      let key = '';
      return together(
        {
          seed(seed) {
            key = seed.management_key;
            return seed;
          },
        },
        requests((request, { area }) =>
          area === 'scim' && !request.headers.has('authorization')
            ? withAuthorization(request, `Bearer ${key}`)
            : request,
        ),
      );
    },
    caughtBy: ['auth/scim-needs-a-management-key'],
  },
  {
    name: 'scim-401-with-the-other-message',
    requirement: 'AUTH-6',
    description: 'The 401 of SCIM says `Invalid or missing API key`.',
    alters: errors(({ status, error, resource }) =>
      status === 401 && resource.area === 'scim'
        ? { error: { ...error, message: 'Invalid or missing API key' } }
        : undefined,
    ),
    caughtBy: ['auth/scim-needs-a-management-key'],
  },
  {
    name: 'scim-other-credentials-are-403',
    requirement: 'AUTH-6',
    description: 'An API key on SCIM is 403.',
    alters: errors(({ status, request, resource }) =>
      status === 401 && resource.area === 'scim' && request.headers.has('authorization') ? { status: 403 } : undefined,
    ),
    caughtBy: ['auth/scim-other-credentials'],
  },
  {
    name: 'scim-by-any-key',
    requirement: 'AUTH-6',
    description: 'SCIM is read with any API key.',
    alters: () => {
      let scim = false;
      return together(
        callers((caller) => (scim && caller ? { ...caller, kind: 'management' } : caller)),
        {
          pipeline: (serve) => (request, resource, framed) => {
            scim = resource.area === 'scim';
            return serve(request, resource, framed);
          },
        },
      );
    },
    caughtBy: ['auth/scim-other-credentials'],
  },
  {
    name: 'management-key-is-403-on-interns',
    requirement: 'AUTH-6',
    description: 'A management key on /interns is 403.',
    alters: () => {
      let key = '';
      return together(
        {
          seed(seed) {
            key = seed.management_key;
            return seed;
          },
        },
        errors(({ status, request, resource }) =>
          status === 401 && resource.area === 'interns' && request.headers.get('authorization') === `Bearer ${key}`
            ? { status: 403 }
            : undefined,
        ),
      );
    },
    caughtBy: ['auth/management-key-on-interns', 'auth/matrix'],
  },
  {
    name: 'daemon-by-api-key',
    requirement: 'AUTH-7',
    description: 'An API key reads the daemon token.',
    alters: rows('daemon', (row) => ({ ...row, credential: 'any' })),
    caughtBy: ['auth/daemon-needs-oauth', 'auth/matrix'],
  },
  {
    name: 'daemon-403-with-another-reason',
    requirement: 'AUTH-7',
    description: 'The 403 of an API key has the reason forbidden.',
    alters: errors(({ reason, error, request, resource }) =>
      reason === 'personal_identity_required' && operationOf(resource, request.method) === 'daemon'
        ? { error: { ...error, metadata: { reason: 'forbidden', retryable: false } } }
        : undefined,
    ),
    caughtBy: ['auth/daemon-needs-oauth'],
  },
  {
    name: 'signing-by-interns-only-grant',
    requirement: 'AUTH-8',
    description: 'A grant without vault:read signs.',
    alters: rows('sign', (row) => ({ ...row, credential: 'oauth' })),
    caughtBy: ['auth/signing-needs-the-vault-grant', 'auth/matrix'],
  },
  {
    name: 'signing-403-is-retryable',
    requirement: 'AUTH-8',
    description: 'The 403 of signing says that trying again helps.',
    alters: errors(({ reason, error }) =>
      reason === 'personal_identity_required'
        ? { error: { ...error, metadata: { reason, retryable: true } } }
        : undefined,
    ),
    caughtBy: ['auth/signing-needs-the-vault-grant'],
  },
  {
    name: 'signing-by-api-key-is-401',
    requirement: 'AUTH-8',
    description: 'Signing with an API key is 401.',
    alters: errors(({ reason, error, request, resource }) =>
      reason === 'personal_identity_required' && operationOf(resource, request.method) === 'sign'
        ? { status: 401, error: { ...error, code: 401 } }
        : undefined,
    ),
    caughtBy: ['auth/signing-needs-the-vault-grant'],
  },
  {
    name: 'oauth-only-for-the-daemon',
    requirement: 'AUTH-10',
    description: 'An OAuth token is 403 on lifecycle, chat and invoke.',
    alters: before(LIFECYCLE, ({ caller }) =>
      caller.kind === 'oauth' ? errorAnswer(403, 'An API key is needed', 'forbidden') : undefined,
    ),
    caughtBy: ['auth/oauth-acts-as-its-member', 'auth/matrix'],
  },
  {
    name: 'interns-only-grant-cannot-chat',
    requirement: 'AUTH-10',
    description: 'An interns-only grant is 403 on chat and invoke.',
    alters: before(['chat', 'invoke'], ({ caller }) =>
      caller.grant === 'interns' ? errorAnswer(403, 'The grant lacks chat', 'forbidden') : undefined,
    ),
    caughtBy: ['auth/oauth-acts-as-its-member'],
  },
]);
