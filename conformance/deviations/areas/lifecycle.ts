import { Refusal } from '../../../emulator/contract/errors.js';
import type { InternRow } from '../../../emulator/contract/state.js';
import type { Interns } from '../../../emulator/domain/interns.js';
import { defineDeviations, together } from '../mutant.js';
import { errors, inRecords, knowingSuspended, refused } from '../operators/answers.js';
import { plans } from '../operators/behaviours.js';
import { all } from '../operators/exchange.js';
import { allows, inside, moves, visible, whenGone, wrap } from '../operators/parts.js';
import { instead, sends, sent, withoutFields } from '../operators/requests.js';
import { showsRuns, survives } from '../operators/runs.js';

/** Provision, suspend and delete (PROV, SUSP, DELETE). */
export const LIFECYCLE = defineDeviations({
  // An update while an intern boots is undone when the boot ends.
  'boot-writes-back-what-it-read': () => {
    const read = new Map<string, string | null>();
    return moves((move) => (row, event, record, change) => {
      if (event === 'provision') read.set(row.id, row.record.description);
      const back = event === 'boot_succeeded' ? { description: read.get(row.id) ?? null } : {};
      return move(row, event, { ...record, ...back }, change);
    });
  },
  'boot-never-ends': plans((plan) => ({ ...plan, boot: { ...plan.boot, ends: 'hangs' } })),
  'provision-at-create-is-ignored': sends<unknown>('create', 'provision', (value) => (value === true ? false : value)),
  'provision-at-every-create': sent('create', (body) => ({ provision: true, ...body })),
  // An intern that waits is provisioned after ten minutes.
  'provision-by-itself-after-a-while': () => {
    let later: (ms: number, then: () => void) => void = () => {};
    let interns: Interns | undefined;
    return wrap({
      createClock(clock) {
        later = (ms, then) => void clock.timer(ms, then);
        return clock;
      },
      createInterns(usual) {
        interns = usual;
        return usual;
      },
      createProvisioning(usual) {
        if (!interns) return usual;
        const all = interns;
        inside(all, 'put', (put) => (row, ...rest) => {
          if (!all.get(row.id))
            later(600_000, () => {
              const now = all.get(row.id);
              if (now?.record.status === 'stopped') usual.provision(now);
            });
          return put(row, ...rest);
        });
        return usual;
      },
    });
  },
  'boot-without-progress': inRecords('progress', null),
  'boot-without-hostname': inRecords('hostname', null),
  'boot-starts-anew-when-asked-again': allows('provision', (from) => [...from, 'queued', 'provisioning']),
  'provision-refusal-is-423': errors({ reason: 'intern_busy', status: 409 }, { status: 423 }),
  // A failed boot does not show the script's message.
  'failed-with-the-usual-message': plans(({ boot: { message: _, ...boot }, ...plan }) => ({ ...plan, boot })),
  'suspend-does-nothing': wrap({ createProvisioning: () => ({ suspend: (row) => row }) }),
  'suspend-twice': allows('suspend', (from) => [...from, 'stopped']),
  'suspend-lets-runs-go-on': survives('suspended'),
  // Runs of invoke that a suspend ended are shown as going on.
  'suspend-forgets-invoke-runs': showsRuns(({ ended, ended_at, ...run }) =>
    run.origin === 'invoke' && ended === 'cancelled'
      ? { ...run, status: 'running' }
      : { ...run, ...(ended && { ended }), ...(ended_at && { ended_at }) },
  ),
  'daemon-token-outlives-the-suspend': moves(
    (move) => (row, event, record, change) =>
      move(
        row,
        event,
        record,
        event === 'boot_succeeded' ? { ...change, daemon_token: `emu-dtok-${row.id.replaceAll('-', '')}` } : change,
      ),
  ),
  'teardown-never-ends': plans((plan) => ({ ...plan, teardown: { ...plan.teardown, ends: 'hangs' } })),
  'deleting-shows-the-old-status': inRecords('status', (status) => (status === 'destroying' ? 'stopped' : status)),
  'delete-not-while-booting': allows('delete', (from) => from.filter((one) => one !== 'provisioning')),
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
  // With its own key a gone intern is read as it was.
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
  'delete-lets-runs-go-on': survives('deleted'),
  'delete-needs-a-body': instead(
    all('delete', ({ request }) => !request.body),
    refused('invalid_body'),
  ),
  // A delete with white space for a body is 400.
  'delete-takes-white-space-for-a-body': instead(
    async ({ operation, request }) =>
      operation === 'delete' && request.body && (await request.clone().text()).trim() === '',
    refused('invalid_body'),
  ),
  'delete-drops-unknown-fields': withoutFields('delete', (name) => name !== 'acknowledge_workspace_loss'),
  'delete-loses-the-workspace': plans((plan) => ({ ...plan, teardown: { ...plan.teardown, ends: 'gone' } })),
  'delete-ignores-the-acknowledgement': wrap({
    createProvisioning: (usual) => ({ destroy: (row) => usual.destroy(row, false) }),
  }),
  // The message of a failed teardown does not name workspace_archive_failed.
  'delete-forgets-why-it-failed': inRecords<unknown>('last_failure_message', (message, { parent }) =>
    parent.status === 'destroy_failed' ? 'The teardown failed' : message,
  ),
  // An intern that was suspended cannot be deleted before it runs again.
  'delete-of-the-suspended-is-409': knowingSuspended((isSuspended) =>
    instead(
      all('delete', ({ internId }) => isSuspended(internId)),
      refused('intern_busy'),
    ),
  ),
});
