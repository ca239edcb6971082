import { Refusal } from '../../../emulator/contract/errors.js';
import { routes, wrap, writes } from '../combinators/parts.js';
import { errors, rewriteJson, rewriteRecords, rewriteStatus } from '../combinators/replies.js';
import { rewriteFields, rewriteTexts } from '../combinators/requests.js';
import { defineDeviations } from '../mutant.js';

export const CREATE = defineDeviations({
  // A create that names no workspace is made in an unknown one.
  'workspace-left-out-is-another': rewriteFields('create', (body) => ({
    workspace_id: '00000000-0000-4000-8000-00000000dead',
    ...body,
  })),
  'create-loses-white-space': rewriteTexts('create', ['description', 'instructions'], (text) => text.trim()),
  'create-is-200': rewriteStatus('create', 201, 200),
  // A create in another workspace goes into the key's.
  'create-ignores-the-workspace': routes('create', ({ authorize: _, ...row }) => row),
  // A create in a workspace that is not the key's is 403.
  'create-in-a-foreign-workspace-is-403': errors(
    { of: ({ request }) => request.method === 'POST', status: 404, says: 'Workspace not found' },
    { status: 403 },
  ),
  // provision is taken for true when it is anything but nothing.
  'create-takes-flags-as-text': rewriteFields('create', (body) =>
    'provision' in body ? { ...body, provision: Boolean(body.provision) } : body,
  ),
  'vault-shared-by-all': writes((record) =>
    record.vault_id ? { ...record, vault_id: '00000000-0000-4000-8000-000000000001' } : record,
  ),
  // An intern has no vault until it was provisioned.
  'vault-made-at-the-first-boot': rewriteRecords((record) =>
    record.hostname === null ? { ...record, vault_id: null } : record,
  ),
  // An attached vault takes the place of the private one.
  'vault-attached-instead-of-its-own': writes((record, { record: { attached_vault_id: attached } }) =>
    record.vault_id && attached ? { ...record, vault_id: attached } : record,
  ),
  // attached_vault_id is always null.
  'vault-attached-is-not-shown': rewriteJson(['create', 'get'], (body) => ({ ...body, attached_vault_id: null })),
  // A vault that cannot be attached is ignored.
  'vault-that-is-none-is-passed-over': wrap({
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
});
