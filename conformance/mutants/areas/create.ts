import { Refusal } from '../../../emulator/contract/errors.js';
import { isRecord } from '../../../emulator/wire/json.js';
import { defineMutants } from '../mutant.js';
import { errors, field, inRecords, status } from '../operators/answers.js';
import { method } from '../operators/exchange.js';
import { knowingGone, namesTaken, routes, wrap, writes } from '../operators/parts.js';
import { bodies, sends, sent, texts, withoutFields } from '../operators/requests.js';

const FIELDS = ['name', 'workspace_id', 'description', 'instructions', 'provision', 'vault_id'];

/** Creates, and the fields of interns (CREATE-1 to CREATE-3, CREATE-5). */
export const CREATE = defineMutants({
  'workspace-left-out-is-another': sent('create', (body) => ({
    workspace_id: '00000000-0000-4000-8000-00000000dead',
    ...body,
  })),
  'create-loses-white-space': texts('create', ['description', 'instructions'], (text) => text.trim()),
  'create-is-200': status('create', 201, 200),
  // A create in another workspace lands in that of the key.
  'create-ignores-the-workspace': routes('create', { authorize: undefined }),
  'create-in-a-foreign-workspace-is-403': errors(
    { of: method('POST'), status: 404, says: 'Workspace not found' },
    { status: 403 },
  ),
  'create-takes-flags-as-text': sends<unknown>('create', 'provision', (value) => Boolean(value)),
  'vault-shared-by-all': writes((record) =>
    record.vault_id ? { ...record, vault_id: '00000000-0000-4000-8000-000000000001' } : record,
  ),
  // An intern has no vault until it was provisioned.
  'vault-made-at-the-first-boot': inRecords('vault_id', (vault, { parent }) =>
    parent.hostname === null ? null : vault,
  ),
  // An attached vault takes the place of the private one.
  'vault-attached-instead-of-its-own': writes((record, { record: { attached_vault_id: attached } }) =>
    record.vault_id && attached ? { ...record, vault_id: attached } : record,
  ),
  'vault-attached-is-not-shown': field(['create', 'get'], 'attached_vault_id', null),
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
  'name-of-3-at-least': texts('create', 'name', (name) => (name.length < 3 ? '' : name)),
  'name-without-hyphens': field('create', 'name', (name) => name.replaceAll('-', '_')),
  'name-not-unique': namesTaken(() => () => false),
  // The name of a deleted intern stays taken.
  'name-never-free-again': knowingGone((gone) =>
    namesTaken((taken) => (creator, workspace, name, except) => {
      const was = [...gone.values()].some((row) => row.creator === creator && row.record.name === name);
      return was || taken(creator, workspace, name, except);
    }),
  ),
  // Limits of texts count UTF-16 code units.
  'text-counted-in-code-units': texts(['create', 'update'], 'description', (text) =>
    text.length > 2_000 ? 'x'.repeat(2_001) : text,
  ),
  // Numbers and booleans are taken for text.
  'fields-turned-into-text': sends<unknown>(['create', 'update'], ['description', 'instructions'], (value) =>
    ['number', 'boolean'].includes(typeof value) ? String(value) : value,
  ),
  'create-drops-unknown-fields': withoutFields('create', (name) => !FIELDS.includes(name)),
  'update-takes-what-is-no-object': bodies('update', (value) => (isRecord(value) ? value : {})),
  'invalid-body-of-another-reason': errors({ reason: 'invalid_body', status: 400 }, { reason: 'bad_request' }),
});
