import { Refusal } from '../../emulator/contract/errors.js';
import type { Caller } from '../../emulator/domain/caller.js';
import type { Interns } from '../../emulator/domain/interns.js';
import type { Alterations } from './alterations.js';
import { after, before, errorAnswer, operationOf, preempts, served } from './change.js';
import { callers, visible } from './change-auth.js';
import { defineDeviations, together } from './deviation.js';

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

export const VISIBILITY = defineDeviations([
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
