import { Refusal } from '../../emulator/contract/errors.js';
import type { InternRow } from '../../emulator/contract/state.js';
import type { Alterations } from './alterations.js';
import { bodies, errors, inside, reads, rows, statuses } from './change.js';
import { forwarded } from './change-create.js';
import { isObject, type Json, objects } from './change-lifecycle.js';
import { defineDeviations, together } from './deviation.js';

/** Changes rows of interns as they are written. */
const writes = (change: (row: InternRow) => InternRow): Alterations => ({
  store: (store) =>
    inside(store, 'collection', (collection) => {
      const usual = collection.bind(store);
      return ((name: 'interns') => {
        const found = usual(name);
        return name === 'interns'
          ? { ...found, ...forwarded(found), put: (row: InternRow) => found.put(change(row)) }
          : found;
      }) as typeof collection;
    }),
});

export const CREATE = defineDeviations([
  {
    name: 'create-loses-white-space',
    requirement: 'CREATE-1',
    description: 'description and instructions are trimmed.',
    alters: objects('create', (body) => ({
      ...body,
      ...(typeof body.description === 'string' ? { description: body.description.trim() } : {}),
      ...(typeof body.instructions === 'string' ? { instructions: body.instructions.trim() } : {}),
    })),
    caughtBy: ['create/reads-back'],
  },
  {
    name: 'create-answers-what-was-sent',
    requirement: 'CREATE-1',
    description: 'The answer of a create has another creation time than what is read.',
    alters: bodies('create', (body) => ({ ...body, created_at: '2020-01-01T00:00:00.000Z' })),
    caughtBy: ['create/reads-back'],
  },
  {
    name: 'create-is-200',
    requirement: 'CREATE-1',
    description: 'A create answers 200.',
    alters: statuses('create', 201, 200),
    caughtBy: ['create/status-201'],
  },
  {
    name: 'create-has-a-default-workspace',
    requirement: 'CREATE-1',
    description: 'A create without a workspace goes into one of its own choice.',
    alters: () => {
      let workspace = '';
      return together(
        {
          seed(seed) {
            workspace = seed.members[0]?.workspace_id ?? '';
            return seed;
          },
        },
        objects('create', (body) => ({ workspace_id: workspace, ...body })),
      );
    },
    caughtBy: ['create/explicit-workspace'],
  },
  {
    name: 'create-ignores-the-workspace',
    requirement: 'CREATE-1',
    description: "A create in another workspace goes into the key's.",
    alters: rows('create', ({ authorize: _, ...row }) => row),
    caughtBy: ['create/foreign-workspace', 'create/foreign-workspace-404'],
  },
  {
    name: 'create-in-a-foreign-workspace-is-403',
    requirement: 'CREATE-1',
    description: "A create in a workspace that is not the key's is 403.",
    alters: errors(({ status, error, request }) =>
      status === 404 && error.message === 'Workspace not found' && request.method === 'POST'
        ? { status: 403 }
        : undefined,
    ),
    caughtBy: ['create/foreign-workspace-404'],
  },
  {
    name: 'create-judges-the-workspace-before-the-body',
    requirement: 'CREATE-1',
    description: 'An invalid create in a foreign workspace is 404 instead of 400.',
    alters: () => {
      let workspaces: string[] = [];
      return together(
        {
          seed(seed) {
            workspaces = seed.members.map((member) => member.workspace_id);
            return seed;
          },
        },
        reads('create', (value) => {
          if (isObject(value) && typeof value.workspace_id === 'string' && value.workspace_id !== workspaces[0])
            throw new Refusal('workspace_not_found');
          return value;
        }),
      );
    },
    caughtBy: ['create/foreign-workspace-404'],
  },
  {
    name: 'create-takes-flags-as-text',
    requirement: 'CREATE-1',
    description: 'provision is taken for true when it is anything but nothing.',
    alters: objects('create', (body) => ('provision' in body ? { ...body, provision: Boolean(body.provision) } : body)),
    caughtBy: ['create/flag-types'],
  },
  {
    name: 'create-takes-vault-ids-of-any-type',
    requirement: 'CREATE-1',
    description: 'A vault_id that is no string is ignored.',
    alters: objects('create', ({ vault_id, ...body }) => (typeof vault_id === 'string' ? { ...body, vault_id } : body)),
    caughtBy: ['create/flag-types'],
  },
  {
    name: 'vault-shared-by-all',
    requirement: 'CREATE-2',
    description: 'All interns have the same vault.',
    alters: {
      interns: (usual) =>
        inside(
          usual,
          'put',
          (put) => (row, record, change) =>
            put(
              row,
              record?.vault_id ? { ...record, vault_id: '00000000-0000-4000-8000-000000000001' } : record,
              change,
            ),
        ),
    },
    caughtBy: ['create/private-vault'],
  },
  {
    name: 'vault-made-at-the-first-boot',
    requirement: 'CREATE-2',
    description: 'An intern has no vault until it was provisioned.',
    alters: bodies(['create', 'get', 'list', 'update'], (body) => {
      const bare = (record: Json) => (record.hostname === null ? { ...record, vault_id: null } : record);
      return Array.isArray(body.data) ? { ...body, data: (body.data as Json[]).map(bare) } : bare(body);
    }),
    caughtBy: ['create/private-vault', 'create/vault-in-listing'],
  },
  {
    name: 'vault-changes-with-a-suspend',
    requirement: 'CREATE-2',
    description: 'A suspend gives the intern another vault.',
    alters: {
      interns: (usual) =>
        inside(
          usual,
          'move',
          (move) => (row, event, record, change) =>
            move(
              row,
              event,
              event === 'suspend' ? { ...record, vault_id: '00000000-0000-4000-8000-000000000002' } : record,
              change,
            ),
        ),
    },
    caughtBy: ['create/private-vault'],
  },
  {
    name: 'vault-attached-instead-of-its-own',
    requirement: 'CREATE-2',
    description: 'An attached vault takes the place of the private one.',
    alters: {
      interns: (usual) =>
        inside(
          usual,
          'put',
          (put) => (row, record, change) =>
            put(
              row,
              record?.vault_id && row.record.attached_vault_id
                ? { ...record, vault_id: row.record.attached_vault_id }
                : record,
              change,
            ),
        ),
    },
    caughtBy: ['create/private-vault-beside-attached', 'create/attached-vault'],
  },
  {
    name: 'vault-attached-is-not-shown',
    requirement: 'CREATE-2',
    description: 'attached_vault_id is always null.',
    alters: bodies(['create', 'get'], (body) => ({ ...body, attached_vault_id: null })),
    caughtBy: ['create/attached-vault'],
  },
  {
    name: 'vault-that-is-none-is-passed-over',
    requirement: 'CREATE-2',
    description: 'A vault that cannot be attached is ignored.',
    alters: {
      create: (usual) => (request) => {
        try {
          return usual(request);
        } catch (error) {
          if (!(error instanceof Refusal) || error.key !== 'vault_unavailable') throw error;
          const { vault_id: _, ...body } = request.body;
          return usual({ ...request, body });
        }
      },
    },
    caughtBy: ['create/vault-that-cannot-be-attached'],
  },
  {
    name: 'vault-that-is-none-is-404',
    requirement: 'CREATE-2',
    description: 'A vault that cannot be attached is 404.',
    alters: errors(({ reason }) => (reason === 'vault_unavailable' ? { status: 404 } : undefined)),
    caughtBy: ['create/vault-that-cannot-be-attached'],
  },
  {
    name: 'record-keeps-no-creation-time',
    requirement: 'GET-1',
    description: 'created_at moves with every change.',
    alters: writes((row) => ({ ...row, record: { ...row.record, created_at: row.record.updated_at } })),
    caughtBy: ['update/only-what-is-named', 'create/reads-back'],
  },
]);
