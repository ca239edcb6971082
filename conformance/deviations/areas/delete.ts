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
  'teardown-never-ends': {
    description: 'A deleted intern stays destroying.',
    mutant: plans((plan) => ({ ...plan, teardown: { ...plan.teardown, ends: 'hangs' } })),
  },
  'deleting-shows-the-old-status': {
    description: 'While the teardown goes on the status is that of before.',
    mutant: rewriteRecords((record) => (record.status === 'destroying' ? { ...record, status: 'stopped' } : record)),
  },
  'delete-not-while-booting': {
    description: 'A booting intern cannot be deleted.',
    mutant: transitions((row) =>
      row.on === 'delete' ? { ...row, from: row.from.filter((one) => one !== 'provisioning') } : row,
    ),
  },
  'destroying-is-404': {
    description: 'An intern cannot be read any more as soon as it is being deleted.',
    mutant: visible((caller, id, interns) => {
      const row = interns.visible(caller, id);
      if (row.record.status === 'destroying') throw new Refusal('not_found');
      return row;
    }),
  },
  'vault-outlives-its-intern': {
    description: 'The vault of a gone intern can still be attached.',
    mutant: () => {
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
  },
  'own-key-reads-the-gone': {
    description: 'With its own key a gone intern is read as it was.',
    mutant: () => {
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
  },
  'delete-lets-runs-go-on': {
    description: 'A delete ends no run.',
    mutant: survives('deleted'),
  },
  'delete-needs-a-body': {
    description: 'A delete without a body is 400.',
    mutant: instead(({ operation, request }) => operation === 'delete' && !request.body, INVALID),
  },
  'delete-takes-white-space-for-a-body': {
    description: 'A delete with white space for a body is 400.',
    mutant: instead(
      async ({ operation, request }) =>
        operation === 'delete' && request.body && (await request.clone().text()).trim() === '',
      INVALID,
    ),
  },
  'delete-drops-unknown-fields': {
    description: 'Unknown fields of a delete are ignored.',
    mutant: rewriteFields('delete', ({ acknowledge_workspace_loss }) =>
      acknowledge_workspace_loss === undefined ? {} : { acknowledge_workspace_loss },
    ),
  },
  'delete-loses-the-workspace': {
    description: 'A workspace that cannot be archived is lost without acknowledgement.',
    mutant: plans((plan) => ({ ...plan, teardown: { ...plan.teardown, ends: 'gone' } })),
  },
  'delete-ignores-the-acknowledgement': {
    description: 'acknowledge_workspace_loss changes nothing.',
    mutant: wrap({ createProvisioning: (usual) => ({ destroy: (row) => usual.destroy(row, false) }) }),
  },
  'delete-forgets-why-it-failed': {
    description: 'The message of a failed teardown does not name workspace_archive_failed.',
    mutant: rewriteRecords((record) =>
      record.status === 'destroy_failed' ? { ...record, last_failure_message: 'The teardown failed' } : record,
    ),
  },
  'delete-of-the-suspended-is-409': {
    description: 'An intern that was suspended cannot be deleted before it runs again.',
    mutant: knowingSuspended((suspended) =>
      instead(
        ({ operation, internId = '' }) => operation === 'delete' && suspended.has(internId),
        errorReply(409, 'The intern is suspended', 'intern_busy'),
      ),
    ),
  },
});
