import { Refusal } from '../../../emulator/contract/errors.js';
import type { InternRow } from '../../../emulator/contract/state.js';
import { plans } from '../combinators/behaviours.js';
import { inside, transitions, visible, whenGone, wrap } from '../combinators/parts.js';
import { errorReply, knowingSuspended, rewriteRecords } from '../combinators/replies.js';
import { instead, rewriteFields } from '../combinators/requests.js';
import { survives } from '../combinators/runs.js';
import { defineDeviations, together } from '../mutant.js';

const INVALID = errorReply(400, 'Invalid request body', 'invalid_body');

export const DELETE = defineDeviations({
  // A deleted intern stays destroying.
  'teardown-never-ends': plans((plan) => ({ ...plan, teardown: { ...plan.teardown, ends: 'hangs' } })),
  // While the teardown goes on the status is that of before.
  'deleting-shows-the-old-status': rewriteRecords((record) =>
    record.status === 'destroying' ? { ...record, status: 'stopped' } : record,
  ),
  // A booting intern cannot be deleted.
  'delete-not-while-booting': transitions((row) =>
    row.on === 'delete' ? { ...row, from: row.from.filter((one) => one !== 'provisioning') } : row,
  ),
  // An intern cannot be read any more as soon as it is being deleted.
  'destroying-is-404': visible((caller, id, interns) => {
    const row = interns.visible(caller, id);
    if (row.record.status === 'destroying') throw new Refusal('not_found');
    return row;
  }),
  // The vault of a gone intern can still be attached.
  'vault-outlives-its-intern': () => {
    const gone = new Set<unknown>();
    return together(
      whenGone((row) => gone.add(row.record.vault_id)),
      wrap({
        createCreate: (usual) => (request) => {
          const { vault_id, ...body } = request.body;
          if (vault_id === undefined || !gone.has(vault_id)) return usual(request);
          const { created, intern } = usual({ ...request, body });
          return { created, intern: { ...intern, attached_vault_id: vault_id } };
        },
      }),
    );
  },
  'own-key-reads-the-gone': () => {
    const gone = new Map<string, InternRow>();
    const read = whenGone(
      (row) => gone.set(row.id, row),
      (usual) =>
        inside(usual, 'visible', (visible) => (caller, id) => {
          const row = gone.get(id);
          return row && caller.internId === id ? row : visible(caller, id);
        }),
    );
    return together(wrap({ createAccounts: () => ({ removeOwnKey() {} }) }), read);
  },
  // A delete ends no run.
  'delete-lets-runs-go-on': survives('deleted'),
  // A delete without a body is 400.
  'delete-needs-a-body': instead(({ operation, request }) => operation === 'delete' && !request.body, INVALID),
  // A delete with white space for a body is 400.
  'delete-takes-white-space-for-a-body': instead(
    async ({ operation, request }) =>
      operation === 'delete' && request.body && (await request.clone().text()).trim() === '',
    INVALID,
  ),
  // Unknown fields of a delete are ignored.
  'delete-drops-unknown-fields': rewriteFields('delete', ({ acknowledge_workspace_loss }) =>
    acknowledge_workspace_loss === undefined ? {} : { acknowledge_workspace_loss },
  ),
  // A workspace that cannot be archived is lost without acknowledgement.
  'delete-loses-the-workspace': plans((plan) => ({ ...plan, teardown: { ...plan.teardown, ends: 'gone' } })),
  // acknowledge_workspace_loss changes nothing.
  'delete-ignores-the-acknowledgement': wrap({
    createProvisioning: (usual) => ({ destroy: (row) => usual.destroy(row, false) }),
  }),
  // The message of a failed teardown does not name workspace_archive_failed.
  'delete-forgets-why-it-failed': rewriteRecords((record) =>
    record.status === 'destroy_failed' ? { ...record, last_failure_message: 'The teardown failed' } : record,
  ),
  // An intern that was suspended cannot be deleted before it runs again.
  'delete-of-the-suspended-is-409': knowingSuspended((suspended) =>
    instead(
      ({ operation, internId = '' }) => operation === 'delete' && suspended.has(internId),
      errorReply(409, 'The intern is suspended', 'intern_busy'),
    ),
  ),
});
