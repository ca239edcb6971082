import {
  type CreateMappingBody,
  createMappingSchema,
  DEFAULT_SCIM_PAGE,
  MAX_SCIM_PAGE,
  type UpdateMappingBody,
  updateMappingSchema,
} from '../contract/scim.js';
import type { Caller } from '../domain/caller.js';
import type { Directory } from '../domain/directory.js';
import type { Store } from '../store/store.js';
import { checked, countOf, wrongField } from './checked.js';
import { json } from './response.js';
import { type PathNames, type RequestParts, type Route, route } from './route.js';

export interface ScimRoutesDeps {
  readonly directory: Directory;
  readonly store: Pick<Store, 'commit'>;
  /** The path of the interface as its clients see it, up to the version. */
  readonly basePath: string;
}

interface PageQuery {
  readonly offset: number;
  readonly limit: number;
}

const JSON_BODY = { read: true, json: 'ignored', invalid: 'invalid_body' } as const;

const parsePage = ({ query }: RequestParts): PageQuery => ({
  offset: countOf(query, 'offset', 0, Number.POSITIVE_INFINITY, 0),
  limit: countOf(query, 'limit', 1, MAX_SCIM_PAGE, DEFAULT_SCIM_PAGE),
});
const pageOf = (rows: readonly unknown[], { offset, limit }: PageQuery) =>
  json({ data: rows.slice(offset, offset + limit), total_count: rows.length });

/** A grant must not be deleted by accident: there is no default. */
function parseKeepMembers({ query }: RequestParts): { keepMembers: boolean } {
  const values = query.getAll('keep_members');
  const [value] = values;
  if (values.length === 1 && (value === 'true' || value === 'false')) return { keepMembers: value === 'true' };
  throw wrongField('invalid_query', 'keep_members', 'expected true or false, once', 'Invalid query');
}

const organizationOf = ({ organizationId = '' }: Caller): string => organizationId;

/** The directory's operations (SCIM-1 to SCIM-7). UUIDs match in any case; an invalid id is unknown. */
export function scimRoutes({ directory, store, basePath }: ScimRoutesDeps): Route[] {
  const mappingOf = (caller: Caller, id = '') => directory.mapping(organizationOf(caller), id);
  const jobOf = (caller: Caller, id = '') => directory.job(organizationOf(caller), id);
  const base = { operation: 'scim' } as const;
  const onMapping = {
    ...base,
    path: '/scim/group-mappings/:scimId',
    admit: (caller: Caller, { scimId }: PathNames) => void mappingOf(caller, scimId),
  };

  return [
    route<PageQuery>({
      ...base,
      method: 'GET',
      path: '/scim/group-mappings',
      parse: parsePage,
      handle: ({ caller, input }) => pageOf(directory.mappings(organizationOf(caller)), input),
    }),
    route<CreateMappingBody>({
      ...base,
      method: 'POST',
      path: '/scim/group-mappings',
      body: JSON_BODY,
      parse: (parts) => checked(createMappingSchema, parts.json()),
      authorize: ({ caller, input }) => directory.authorizeMapping(organizationOf(caller), input),
      async handle({ caller, input }) {
        const mapping = directory.createMapping(organizationOf(caller), input);
        await store.commit();
        return json({ data: mapping }, 201);
      },
    }),
    route<undefined>({
      ...onMapping,
      method: 'GET',
      parse: () => undefined,
      handle: ({ caller, scimId }) => json({ data: mappingOf(caller, scimId) }),
    }),
    route<UpdateMappingBody>({
      ...onMapping,
      method: 'PATCH',
      body: JSON_BODY,
      parse: (parts) => checked(updateMappingSchema, parts.json()),
      async handle({ caller, scimId, input }) {
        const mapping = directory.updateMapping(mappingOf(caller, scimId), input.role);
        await store.commit();
        return json({ data: mapping });
      },
    }),
    route<{ keepMembers: boolean }>({
      ...onMapping,
      method: 'DELETE',
      parse: parseKeepMembers,
      async handle({ caller, scimId }) {
        directory.deleteMapping(mappingOf(caller, scimId));
        await store.commit();
        return json({ deleted: true });
      },
    }),
    route<PageQuery>({
      ...base,
      method: 'GET',
      path: '/scim/groups',
      parse: parsePage,
      handle: ({ caller, input }) => pageOf(directory.groups(organizationOf(caller)), input),
    }),
    route<undefined>({
      ...base,
      method: 'POST',
      path: '/scim/sync-jobs',
      parse: () => undefined,
      async handle({ caller }) {
        const job = directory.startJob(organizationOf(caller));
        await store.commit();
        return json({ data: job }, 202, { location: `${basePath}/scim/sync-jobs/${job.id}` });
      },
    }),
    route<undefined>({
      ...base,
      method: 'GET',
      path: '/scim/sync-jobs/:scimId',
      admit: (caller, { scimId }) => void jobOf(caller, scimId),
      parse: () => undefined,
      handle: ({ caller, scimId }) => json({ data: jobOf(caller, scimId) }),
    }),
  ];
}
