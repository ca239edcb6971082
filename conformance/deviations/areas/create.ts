import { Refusal } from '../../../emulator/contract/errors.js';
import { routes, wrap, writes } from '../combinators/parts.js';
import { errors, rewriteJson, rewriteRecords, rewriteStatus } from '../combinators/replies.js';
import { rewriteFields, rewriteTexts } from '../combinators/requests.js';
import { defineDeviations } from '../mutant.js';

export const CREATE = defineDeviations({
  'workspace-left-out-is-another': {
    description: 'A create that names no workspace is made in an unknown one.',
    mutant: rewriteFields('create', (body) => ({ workspace_id: '00000000-0000-4000-8000-00000000dead', ...body })),
  },
  'create-loses-white-space': {
    description: 'description and instructions are trimmed.',
    mutant: rewriteTexts('create', ['description', 'instructions'], (text) => text.trim()),
  },
  'create-is-200': {
    description: 'A create answers 200.',
    mutant: rewriteStatus('create', 201, 200),
  },
  'create-ignores-the-workspace': {
    description: "A create in another workspace goes into the key's.",
    mutant: routes('create', ({ authorize: _, ...row }) => row),
  },
  'create-in-a-foreign-workspace-is-403': {
    description: "A create in a workspace that is not the key's is 403.",
    mutant: errors(
      { of: ({ request }) => request.method === 'POST', status: 404, says: 'Workspace not found' },
      { status: 403 },
    ),
  },
  'create-takes-flags-as-text': {
    description: 'provision is taken for true when it is anything but nothing.',
    mutant: rewriteFields('create', (body) =>
      'provision' in body ? { ...body, provision: Boolean(body.provision) } : body,
    ),
  },
  'vault-shared-by-all': {
    description: 'All interns have the same vault.',
    mutant: writes((record) =>
      record.vault_id ? { ...record, vault_id: '00000000-0000-4000-8000-000000000001' } : record,
    ),
  },
  'vault-made-at-the-first-boot': {
    description: 'An intern has no vault until it was provisioned.',
    mutant: rewriteRecords((record) => (record.hostname === null ? { ...record, vault_id: null } : record)),
  },
  'vault-attached-instead-of-its-own': {
    description: 'An attached vault takes the place of the private one.',
    mutant: writes((record, { record: { attached_vault_id: attached } }) =>
      record.vault_id && attached ? { ...record, vault_id: attached } : record,
    ),
  },
  'vault-attached-is-not-shown': {
    description: 'attached_vault_id is always null.',
    mutant: rewriteJson(['create', 'get'], (body) => ({ ...body, attached_vault_id: null })),
  },
  'vault-that-is-none-is-passed-over': {
    description: 'A vault that cannot be attached is ignored.',
    mutant: wrap({
      createCreate: (usual) => (request) => {
        try {
          return usual(request);
        } catch (error) {
          if (!(error instanceof Refusal) || error.key !== 'vault_unavailable') throw error;
          const { vault_id: _, ...body } = request.body;
          return usual({ ...request, body });
        }
      },
    }),
  },
});
