import { Refusal } from '../../emulator/contract/errors.js';
import type { InternRow } from '../../emulator/contract/state.js';
import type { EndCause } from '../../emulator/domain/runs.js';
import { bodies, inside, parses, reads, records, transitions } from './change.js';
import { objects, plans, survives } from './change-lifecycle.js';
import { defineDeviations, together } from './deviation.js';

export const DELETE = defineDeviations([
  {
    name: 'teardown-never-ends',
    requirement: 'DELETE-1',
    description: 'A deleted intern stays destroying.',
    alters: plans((plan) => ({ ...plan, teardown: { ...plan.teardown, ends: 'hangs' } })),
    caughtBy: ['delete/until-gone', 'delete/from-every-state', 'delete/takes-its-time', 'model/in-time'],
  },
  {
    name: 'gone-is-410',
    requirement: 'DELETE-1',
    description: 'A gone intern is 410.',
    alters: () => {
      const gone = new Set<string>();
      return together(
        {
          interns: (usual) =>
            inside(usual, 'remove', (remove) => (row) => {
              gone.add(row.id);
              remove(row);
            }),
        },
        {
          pipeline: (serve) => async (request, resource, framed) => {
            const answer = await serve(request, resource, framed);
            return answer.status === 404 && resource.internId !== undefined && gone.has(resource.internId)
              ? { ...answer, status: 410, body: String(answer.body).replace('404', '410') }
              : answer;
          },
        },
      );
    },
    caughtBy: ['delete/until-gone', 'auth/hidden-timeless', 'model/lifecycle'],
  },
  {
    name: 'gone-can-be-read',
    requirement: 'DELETE-1',
    description: 'A gone intern is still read, as what it was.',
    alters: () => {
      const gone = new Map<string, InternRow>();
      return {
        interns: (usual) => {
          inside(usual, 'remove', (remove) => (row) => {
            gone.set(row.id, row);
            remove(row);
          });
          return inside(usual, 'visible', (visible) => (caller, id) => {
            const row = gone.get(id);
            if (row && row.record.workspace_id === caller.workspaceId) return row;
            return visible(caller, id);
          });
        },
      };
    },
    caughtBy: ['delete/until-gone', 'auth/hidden-timeless', 'delete/takes-its-time'],
  },
  {
    name: 'delete-is-204',
    requirement: 'DELETE-1',
    description: 'A delete answers 204 without a body.',
    alters: {
      routes: (table) =>
        table.map((row) =>
          row.operation === 'delete'
            ? { ...row, handle: async (call) => ({ ...(await row.handle(call)), status: 204, body: null }) }
            : row,
        ),
    },
    caughtBy: ['delete/answer', 'delete/from-every-state'],
  },
  {
    name: 'delete-answers-deleted',
    requirement: 'DELETE-1',
    description: 'A delete answers {deleted: true}.',
    alters: bodies('delete', () => ({ deleted: true })),
    caughtBy: ['delete/answer'],
  },
  {
    name: 'deleting-shows-the-old-status',
    requirement: 'DELETE-1',
    description: 'While the teardown goes on the status is that of before.',
    alters: records((record) => (record.status === 'destroying' ? { ...record, status: 'stopped' } : record)),
    caughtBy: ['delete/answer', 'delete/destroying-is-busy', 'delete/tried-again'],
  },
  {
    name: 'delete-again-is-409',
    requirement: 'DELETE-1',
    description: 'A delete of a destroying intern is 409.',
    alters: {
      provisioning: (usual) => ({
        ...usual,
        destroy(row, acknowledged) {
          if (row.record.status === 'destroying') throw new Refusal('intern_busy');
          return usual.destroy(row, acknowledged);
        },
      }),
    },
    caughtBy: ['delete/from-every-state', 'delete/acknowledged-at-once'],
  },
  {
    name: 'delete-not-while-booting',
    requirement: 'DELETE-1',
    description: 'A booting intern cannot be deleted.',
    alters: transitions((row) =>
      row.on === 'delete' ? { ...row, from: row.from.filter((one) => one !== 'provisioning') } : row,
    ),
    caughtBy: ['delete/from-every-state', 'provision/hanging-boot'],
  },
  {
    name: 'destroying-can-be-updated',
    requirement: 'DELETE-1',
    description: 'A destroying intern takes updates.',
    alters: transitions((row) => (row.on === 'update' ? { ...row, from: [...row.from, 'destroying'] } : row)),
    caughtBy: ['delete/destroying-is-busy'],
  },
  {
    name: 'destroying-can-be-provisioned',
    requirement: 'DELETE-1',
    description: 'A provision takes a destroying intern back.',
    alters: transitions((row) => (row.on === 'provision' ? { ...row, from: [...row.from, 'destroying'] } : row)),
    caughtBy: ['delete/destroying-is-busy'],
  },
  {
    name: 'destroying-is-404',
    requirement: 'DELETE-1',
    description: 'An intern cannot be read any more as soon as it is being deleted.',
    alters: {
      interns: (usual) =>
        inside(usual, 'visible', (visible) => (caller, id) => {
          const row = visible(caller, id);
          if (row.record.status === 'destroying') throw new Refusal('not_found');
          return row;
        }),
    },
    caughtBy: ['delete/destroying-is-busy', 'delete/own-key-dies', 'delete/from-every-state'],
  },
  {
    name: 'vault-outlives-its-intern',
    requirement: 'DELETE-1',
    description: 'The vault of a gone intern can still be attached.',
    alters: () => {
      const gone = new Set<string>();
      return {
        interns: (usual) =>
          inside(usual, 'remove', (remove) => (row) => {
            if (row.record.vault_id) gone.add(row.record.vault_id);
            remove(row);
          }),
        create: (usual) => (request) => {
          const { vault_id, ...body } = request.body;
          if (vault_id === undefined || !gone.has(vault_id)) return usual(request);
          const { created, intern } = usual({ ...request, body });
          return { created, intern: { ...intern, attached_vault_id: vault_id } };
        },
      };
    },
    caughtBy: ['delete/vault-is-gone', 'create/vault-that-cannot-be-attached'],
  },
  {
    name: 'own-key-dies-at-once',
    requirement: 'DELETE-1',
    description: "An intern's own key is dead as soon as it is being deleted.",
    alters: () => {
      let forget: (row: InternRow) => void = () => {};
      return {
        accounts(usual) {
          forget = (row) => usual.removeOwnKey(row);
          return usual;
        },
        provisioning: (usual) => ({
          ...usual,
          destroy(row, acknowledged) {
            forget(row);
            return usual.destroy(row, acknowledged);
          },
        }),
      };
    },
    caughtBy: ['delete/own-key-dies'],
  },
  {
    name: 'own-key-never-dies',
    requirement: 'DELETE-1',
    description: "A gone intern's own key is known for ever.",
    alters: { accounts: (usual) => ({ ...usual, removeOwnKey() {} }) },
    caughtBy: ['delete/own-key-dies'],
  },
  {
    name: 'own-key-reads-the-gone',
    requirement: 'DELETE-1',
    description: 'With its own key a gone intern is read as it was.',
    alters: {
      accounts: (usual) => ({ ...usual, removeOwnKey() {} }),
      interns: (usual) => {
        const gone = new Map<string, InternRow>();
        inside(usual, 'remove', (remove) => (row) => {
          gone.set(row.id, row);
          remove(row);
        });
        return inside(usual, 'visible', (visible) => (caller, id) => {
          const row = gone.get(id);
          return row && caller.internId === id ? row : visible(caller, id);
        });
      },
    },
    caughtBy: ['delete/own-key-is-dead', 'delete/own-key-dies'],
  },
  {
    name: 'delete-lets-runs-go-on',
    requirement: 'DELETE-1',
    description: 'A delete ends no run.',
    alters: survives('deleted'),
    caughtBy: ['delete/ends-runs', 'delete/ends-waiting-runs', 'chat-endings/delete-while-streaming'],
  },
  {
    name: 'delete-ends-runs-when-it-is-done',
    requirement: 'DELETE-1',
    description: 'Runs end when the teardown ends, not when it starts.',
    alters: () => {
      let endAll: (id: string | undefined, why: EndCause) => void = () => {};
      return {
        runs(usual) {
          endAll = usual.endAll;
          return {
            ...usual,
            endAll(id, why) {
              if (why !== 'deleted') usual.endAll(id, why);
            },
          };
        },
        interns: (usual) =>
          inside(usual, 'remove', (remove) => (row) => {
            endAll(row.id, 'deleted');
            remove(row);
          }),
      };
    },
    caughtBy: ['delete/ends-runs', 'delete/ends-waiting-runs', 'chat-endings/delete-while-streaming'],
  },
  {
    name: 'delete-needs-a-body',
    requirement: 'DELETE-2',
    description: 'A delete without a body is 400.',
    alters: parses('delete', (parse, parts) => {
      if (parts.json() === undefined) throw new Refusal('invalid_body');
      return parse(parts);
    }),
    caughtBy: ['delete/optional-body', 'delete/until-gone'],
  },
  {
    name: 'delete-takes-white-space-for-a-body',
    requirement: 'DELETE-2',
    description: 'A delete with white space for a body is 400.',
    alters: parses('delete', (parse, parts) => {
      if (parts.bytes.length > 0 && parts.json() === undefined) throw new Refusal('invalid_body');
      return parse(parts);
    }),
    caughtBy: ['delete/optional-body'],
  },
  {
    name: 'delete-drops-unknown-fields',
    requirement: 'DELETE-2',
    description: 'Unknown fields of a delete are ignored.',
    alters: objects('delete', ({ acknowledge_workspace_loss }) =>
      acknowledge_workspace_loss === undefined ? {} : { acknowledge_workspace_loss },
    ),
    caughtBy: ['delete/bad-body'],
  },
  {
    name: 'delete-takes-null-for-no-body',
    requirement: 'DELETE-2',
    description: 'A delete with the body null is accepted.',
    alters: reads('delete', (value) => (value === null ? undefined : value)),
    caughtBy: ['delete/bad-body'],
  },
  {
    name: 'delete-takes-the-flag-as-text',
    requirement: 'DELETE-2',
    description: 'acknowledge_workspace_loss may be any value.',
    alters: objects('delete', (body) =>
      'acknowledge_workspace_loss' in body
        ? { ...body, acknowledge_workspace_loss: body.acknowledge_workspace_loss === true }
        : body,
    ),
    caughtBy: ['delete/bad-body'],
  },
  {
    name: 'delete-loses-the-workspace',
    requirement: 'DELETE-3',
    description: 'A workspace that cannot be archived is lost without acknowledgement.',
    alters: plans((plan) => ({ ...plan, teardown: { ...plan.teardown, ends: 'gone' } })),
    caughtBy: ['delete/archive-fails', 'delete/tried-again'],
  },
  {
    name: 'delete-again-loses-the-workspace',
    requirement: 'DELETE-3',
    description: 'The second delete needs no acknowledgement.',
    alters: {
      provisioning: (usual) => ({
        ...usual,
        destroy: (row, acknowledged) => usual.destroy(row, acknowledged || row.record.status === 'destroy_failed'),
      }),
    },
    caughtBy: ['delete/archive-fails', 'delete/tried-again'],
  },
  {
    name: 'delete-ignores-the-acknowledgement',
    requirement: 'DELETE-3',
    description: 'acknowledge_workspace_loss changes nothing.',
    alters: { provisioning: (usual) => ({ ...usual, destroy: (row) => usual.destroy(row, false) }) },
    caughtBy: ['delete/archive-fails', 'delete/acknowledged-at-once'],
  },
  {
    name: 'delete-takes-acknowledgement-only-after-a-failure',
    requirement: 'DELETE-3',
    description: 'An acknowledgement given with the first delete is forgotten.',
    alters: {
      provisioning: (usual) => ({
        ...usual,
        destroy: (row, acknowledged) => usual.destroy(row, acknowledged && row.record.status === 'destroy_failed'),
      }),
    },
    caughtBy: ['delete/acknowledged-at-once'],
  },
  {
    name: 'delete-forgets-why-it-failed',
    requirement: 'DELETE-3',
    description: 'The message of a failed teardown does not name workspace_archive_failed.',
    alters: records((record) =>
      record.status === 'destroy_failed' ? { ...record, last_failure_message: 'The teardown failed' } : record,
    ),
    caughtBy: ['delete/archive-fails'],
  },
  {
    name: 'delete-is-not-tried-again',
    requirement: 'DELETE-3',
    description: 'A delete of a destroy_failed intern without acknowledgement is 409.',
    alters: {
      provisioning: (usual) => ({
        ...usual,
        destroy(row, acknowledged) {
          if (row.record.status === 'destroy_failed' && !acknowledged) throw new Refusal('intern_busy');
          return usual.destroy(row, acknowledged);
        },
      }),
    },
    caughtBy: ['delete/tried-again'],
  },
  {
    name: 'teardown-in-a-second',
    requirement: 'EMU-3',
    description: 'Every teardown takes one second, whatever the script says.',
    alters: plans((plan) => ({ ...plan, teardown: { ...plan.teardown, after: 1_000 } })),
    caughtBy: ['delete/takes-its-time'],
  },
]);
