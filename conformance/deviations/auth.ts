import { Refusal } from '../../emulator/contract/errors.js';
import type { Caller } from '../../emulator/domain/caller.js';
import type { Interns } from '../../emulator/domain/interns.js';
import type { Alterations } from '../../emulator/parts.js';
import { after, before, errorAnswer, errors, operationOf, preempts, requests, rows, served } from './change.js';
import { defineDeviations, together } from './deviation.js';

/** Changes who a token belongs to. */
const callers = (
  change: (caller: Caller | undefined, token: string, interns: Interns) => Caller | undefined,
): Alterations => ({
  pipelineDeps: (deps) => ({
    ...deps,
    resolve: (token) => after(deps.resolve(token), (caller) => change(caller, token, deps.interns)),
  }),
});

/** Changes what a caller sees. */
const visible = (
  change: (caller: Caller, id: string, interns: Interns) => ReturnType<Interns['visible']>,
): Alterations => ({
  interns: (usual) => ({ ...usual, visible: (caller, id) => change(caller, id, usual) }),
});

const withAuthorization = (request: Request, value: string): Request => {
  const headers = new Headers(request.headers);
  headers.set('authorization', value);
  return new Request(request, { headers });
};

/** What is judged with the interns at hand, before the caller is. */
const early = (
  judge: (request: Request, internId: string, interns: Interns) => ReturnType<typeof errorAnswer> | undefined,
): Alterations => {
  let interns: Interns | undefined;
  return together(
    {
      interns(usual) {
        interns = usual;
        return usual;
      },
    },
    preempts((request, { internId }) =>
      internId === undefined || !interns ? undefined : judge(request, internId, interns),
    ),
  );
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
    name: 'own-key-acts-as-its-creator',
    requirement: 'AUTH-2',
    description: "An intern's own key counts as the person who created the intern.",
    alters: callers((caller, _token, interns) =>
      caller?.internId === undefined ? caller : { ...caller, id: interns.get(caller.internId)?.creator ?? caller.id },
    ),
    caughtBy: ['auth/own-key-is-a-caller-of-its-own', 'limiter/per-member', 'invoke-sessions/session-of-an-own-key'],
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
  {
    name: 'hidden-is-403',
    requirement: 'AUTH-3',
    description: 'An intern that the caller cannot see is 403.',
    alters: visible((caller, id, interns) => {
      try {
        return interns.visible(caller, id);
      } catch (error) {
        throw interns.get(id) ? new Refusal('regional') : error;
      }
    }),
    caughtBy: ['auth/hidden-is-unknown', 'auth/own-key-other-interns', 'auth/workspace-of-the-key', 'auth/matrix'],
  },
  {
    name: 'hidden-says-so',
    requirement: 'AUTH-3',
    description: 'The 404 of a hidden intern has a message of its own.',
    alters: visible((caller, id, interns) => {
      try {
        return interns.visible(caller, id);
      } catch (error) {
        throw interns.get(id) ? new Refusal('not_found', { message: 'Intern not visible' }) : error;
      }
    }),
    caughtBy: ['auth/hidden-is-unknown', 'auth/hidden-whatever-the-body', 'auth/own-key-other-interns'],
  },
  {
    name: 'hidden-tells-by-a-header',
    requirement: 'AUTH-3',
    description: 'The 404 of a hidden intern has a header that one for an unknown id has not.',
    alters: visible((caller, id, interns) => {
      try {
        return interns.visible(caller, id);
      } catch (error) {
        throw interns.get(id) ? new Refusal('not_found', { headers: { vary: 'authorization' } }) : error;
      }
    }),
    caughtBy: ['auth/hidden-is-unknown'],
  },
  {
    name: 'hidden-told-by-its-body',
    requirement: 'AUTH-3',
    description: 'The media type is judged first where the intern exists, seen or not.',
    alters: () =>
      early((request, id, interns) => {
        const type = request.headers.get('content-type');
        return interns.get(id) && type !== null && !type.includes('application/json')
          ? errorAnswer(415, 'Request body must be sent as application/json', 'unsupported_media_type')
          : undefined;
      }),
    caughtBy: ['auth/hidden-whatever-the-body'],
  },
  {
    name: 'kind-of-credential-first',
    requirement: 'AUTH-3',
    description: 'An API key asking for the daemon of a hidden intern is 403, of an unknown one 404.',
    alters: () => {
      let resolve: (token: string) => unknown = () => undefined;
      const seen = new Set<string>();
      return together(
        {
          pipelineDeps(deps) {
            resolve = deps.resolve;
            return deps;
          },
        },
        served((answer, request, resource) => {
          const operation = operationOf(resource, request.method);
          if (answer.status !== 404 || (operation !== 'daemon' && operation !== 'sign')) return answer;
          const token = /^Bearer +(\S+)/i.exec(request.headers.get('authorization') ?? '')?.[1];
          const caller = token === undefined ? undefined : (resolve(token) as Caller | undefined);
          const known = resource.internId !== undefined && seen.has(resource.internId);
          return known && caller?.kind === 'api_key' && caller.programme
            ? errorAnswer(403, 'Personal connections require the OIDC login', 'personal_identity_required')
            : answer;
        }),
        {
          interns: (usual) => ({
            ...usual,
            put(row, ...rest) {
              seen.add(row.id);
              return usual.put(row, ...rest);
            },
          }),
        },
      );
    },
    caughtBy: ['auth/kind-after-visibility'],
  },
  {
    name: 'gone-is-told-from-unknown',
    requirement: 'AUTH-3',
    description: 'An intern that was deleted is 404 with a message of its own.',
    alters: {
      interns: (usual) => {
        const gone = new Set<string>();
        return {
          ...usual,
          remove(row) {
            gone.add(row.id);
            usual.remove(row);
          },
          visible(caller, id) {
            if (gone.has(id)) throw new Refusal('not_found', { message: 'Intern was deleted' });
            return usual.visible(caller, id);
          },
        };
      },
    },
    caughtBy: ['auth/hidden-timeless'],
  },
  {
    name: 'own-key-sees-the-workspace',
    requirement: 'AUTH-4',
    description: "An intern's own key sees the other interns of the workspace.",
    alters: visible((caller, id, interns) =>
      interns.visible({ ...caller, kind: caller.kind === 'own_key' ? 'api_key' : caller.kind }, id),
    ),
    caughtBy: ['auth/own-key-other-interns'],
  },
  {
    name: 'own-key-lists-its-intern',
    requirement: 'AUTH-4',
    description: 'For an own key the collection lists its one intern.',
    alters: () => {
      let listing = false;
      return {
        pipelineDeps: (deps) => ({
          ...deps,
          resolve: (token) =>
            after(deps.resolve(token), (caller) =>
              listing && caller?.kind === 'own_key' ? { ...caller, kind: 'api_key' as const } : caller,
            ),
        }),
        pipeline: (serve) => (request, resource, framed) => {
          listing = resource.routes.some((row) => row.path === '/interns') && request.method === 'GET';
          return serve(request, resource, framed);
        },
        interns: (usual) => ({
          ...usual,
          list: (caller) => usual.list(caller.internId === undefined ? caller : { ...caller, kind: 'own_key' }),
        }),
      };
    },
    caughtBy: ['auth/own-key-collection'],
  },
  {
    name: 'own-key-creates',
    requirement: 'AUTH-4',
    description: 'With an own key interns are created.',
    alters: () => {
      let creating = false;
      return {
        pipelineDeps: (deps) => ({
          ...deps,
          resolve: (token) =>
            after(deps.resolve(token), (caller) =>
              creating && caller?.kind === 'own_key' ? { ...caller, kind: 'api_key' as const } : caller,
            ),
        }),
        pipeline: (serve) => (request, resource, framed) => {
          creating = resource.routes.some((row) => row.path === '/interns') && request.method === 'POST';
          return serve(request, resource, framed);
        },
      };
    },
    caughtBy: ['auth/own-key-collection'],
  },
  {
    name: 'own-key-collection-is-403',
    requirement: 'AUTH-4',
    description: 'For an own key the collection is 403.',
    alters: served((answer, request, resource) =>
      answer.status === 404 &&
      resource.internId === undefined &&
      resource.routes.length > 0 &&
      resource.area === 'interns' &&
      request.headers.get('authorization')?.includes('emu-ikey-')
        ? errorAnswer(403, 'Forbidden')
        : answer,
    ),
    caughtBy: ['order/own-key-on-the-collection', 'auth/own-key-collection'],
  },
  {
    name: 'own-key-sees-nothing',
    requirement: 'AUTH-4',
    description: "An intern's own key is 404 on its own intern.",
    alters: visible((caller, id, interns) => {
      if (caller.kind === 'own_key') throw new Refusal('not_found');
      return interns.visible(caller, id);
    }),
    caughtBy: ['auth/own-key-sees-its-intern', 'auth/own-key-acts-on-its-intern'],
  },
  {
    name: 'own-key-only-reads',
    requirement: 'AUTH-4',
    description: "An intern's own key cannot change or delete the intern.",
    alters: before(['update', 'delete', 'suspend', 'provision'], ({ caller }) =>
      caller.kind === 'own_key' ? errorAnswer(403, 'Forbidden', 'forbidden') : undefined,
    ),
    caughtBy: ['auth/own-key-acts-on-its-intern'],
  },
  {
    name: 'outsider-is-401',
    requirement: 'AUTH-5',
    description: 'A caller outside the programme is 401.',
    alters: callers((caller) => (caller && caller.kind !== 'management' && !caller.programme ? undefined : caller)),
    caughtBy: [
      'auth/outsider-one-answer',
      'auth/outsider',
      'auth/outsider-any-path',
      'auth/outsider-any-body',
      'auth/matrix',
    ],
  },
  {
    name: 'outsider-lists-nothing',
    requirement: 'AUTH-5',
    description: 'A caller outside the programme gets an empty list.',
    alters: () => {
      let listing = false;
      return {
        pipelineDeps: (deps) => ({
          ...deps,
          resolve: (token) =>
            after(deps.resolve(token), (caller) =>
              listing && caller && caller.kind !== 'management' ? { ...caller, programme: true } : caller,
            ),
        }),
        pipeline: (serve) => (request, resource, framed) => {
          listing = resource.routes.some((row) => row.path === '/interns') && request.method === 'GET';
          return serve(request, resource, framed);
        },
      };
    },
    caughtBy: ['auth/outsider', 'auth/matrix'],
  },
  {
    name: 'method-before-programme',
    requirement: 'AUTH-5',
    description: 'A wrong method is 405 whoever calls.',
    alters: preempts((request, { area, routes }) =>
      area === 'interns' &&
      request.headers.has('authorization') &&
      routes.length > 0 &&
      !['HEAD', 'OPTIONS'].includes(request.method) &&
      !routes.some((row) => row.method === request.method)
        ? {
            ...errorAnswer(405, 'Method not allowed', 'method_not_allowed'),
            headers: { 'content-type': 'application/json', allow: 'GET' },
          }
        : undefined,
    ),
    caughtBy: ['auth/outsider-any-path'],
  },
  {
    name: 'media-type-before-programme',
    requirement: 'AUTH-5',
    description: 'A body of another media type is 415 whoever calls.',
    alters: preempts((request, resource) => {
      const row = resource.routes.find((one) => one.method === request.method);
      const type = request.headers.get('content-type');
      return row?.body.json === 'required' && type !== null && !/^application\/json/i.test(type)
        ? errorAnswer(415, 'Request body must be sent as application/json', 'unsupported_media_type')
        : undefined;
    }),
    caughtBy: ['auth/outsider-any-body'],
  },
  {
    name: 'size-before-programme',
    requirement: 'AUTH-5',
    description: 'An oversized body is 413 whoever calls.',
    alters: preempts(async (request, { area }) => {
      if (area !== 'interns' || request.body === null || request.headers.get('authorization') === null)
        return undefined;
      const size = (await request.clone().arrayBuffer()).byteLength;
      return size > 1_048_576 ? errorAnswer(413, 'Request body exceeds 1048576 bytes', 'payload_too_large') : undefined;
    }),
    caughtBy: ['auth/outsider-any-body'],
  },
]);
