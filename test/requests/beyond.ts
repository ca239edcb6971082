import { as, NOBODY } from '../../conformance/requests/callers.js';
import { json, NO_OBJECTS, PAGES, TYPES, tooLarge } from '../../conformance/requests/contents.js';
import { TABLES } from '../../conformance/requests/rows.js';
import { bad, bads, type Ground, type Table, type Value, v } from '../../conformance/requests/value.js';

const of = (operation: Table['operation']): Table[] => TABLES.filter((table) => table.operation === operation);

/** An operation on the secrets of an intern, on those of the workspace. */
const inWorkspace = ({ states: _, ...table }: Table, operation: Table['operation']): Table => ({
  ...table,
  operation,
  path: () => '/vault/secrets/api_token',
  parts: table.parts.map((part) =>
    part.map((value) => ({
      ...value,
      make(ground) {
        const { path, ...made } = value.make(ground);
        return path === undefined ? made : { ...made, path: path.replace(/interns\/[^/]*\//, '') };
      },
    })),
  ),
});

const MAPPINGS = '/scim/group-mappings';
const MANAGERS: readonly Value[] = [as('management_key'), NOBODY, bad(as('api_key')), bad(as('foreign_api_key'))];
const MAPPING: readonly Value[] = of('scim').flatMap(({ parts }) => parts[1] ?? []);
const directory = (method: string, path: string, ...parts: (readonly Value[])[]): Table => ({
  operation: 'scim',
  method,
  path: () => path,
  parts: [MANAGERS, ...parts],
});
const kept = (keep_members: string): Value => v(`members kept: ${keep_members}`, () => ({ query: { keep_members } }));
const roles = (make: (role: string) => (ground: Ground) => unknown): readonly Value[] => [
  json('a member', make('member')),
  json('an admin', make('admin')),
  ...bads(json('a role of nobody', make('owner')), ...tooLarge(make('member'))),
  ...NO_OBJECTS,
];

/**
 * Tables of rows that the kit does not send: operations on what a workspace or a directory shares, which would reach what
 * others have, and a create that comes again with its key.
 */
export const BEYOND: readonly Table[] = [
  ...of('create').map((table) => ({ ...table, parts: table.parts.map((part, at) => part.slice(at === 3 ? 1 : 0, 2)) })),
  ...of('store intern secret').map((table) => inWorkspace(table, 'store secret')),
  ...of('delete intern secret').map((table) => inWorkspace(table, 'delete secret')),
  ...of('copy secrets').map((table) => ({
    ...table,
    parts: table.parts.map((part, at) => (at === 1 ? [json('one of the workspace', { names: ['api_token'] })] : part)),
  })),
  directory('GET', MAPPINGS, PAGES),
  directory('GET', '/scim/groups', PAGES),
  directory('POST', '/scim/sync-jobs'),
  directory('GET', '/scim/sync-jobs/00000000-0000-4000-8000-00000000dead'),
  directory(
    'POST',
    MAPPINGS,
    roles((role) => ({ ctx: { target } }) => ({
      scim_group_id: target.scimGroupId,
      workspace_id: target.foreignWorkspaceId,
      role,
    })),
    TYPES,
  ),
  directory(
    'PATCH',
    MAPPINGS,
    MAPPING,
    roles((role) => () => ({ role })),
  ),
  directory('DELETE', MAPPINGS, MAPPING, [...['true', 'false'].map(kept), bad(kept('yes'))]),
];
