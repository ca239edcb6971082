import { Refusal } from '../../../emulator/contract/errors.js';
import type { Json } from '../../../emulator/wire/json.js';
import { tokenOf } from '../../../emulator/wire/request.js';
import { defineMutants } from '../mutant.js';
import { answers, errors, exchanges, inRecords, knowingSuspended, refused } from '../operators/answers.js';
import { plans } from '../operators/behaviours.js';
import { all } from '../operators/exchange.js';
import { allows, holding, inside, knowingGone, moves, visible, wrap } from '../operators/parts.js';
import { instead, sends, sent, withoutFields } from '../operators/requests.js';
import { showsRuns, survives } from '../operators/runs.js';

/** An accepted call does the same to another intern of its caller: the latest that a call of the other name was accepted for. */
const takesAnother = (operation: 'delete' | 'suspend', after: 'create' | 'provision') => () => {
  const latest = new Map<string | undefined, string[]>();
  return exchanges(async (exchange, next) => {
    const { emulator, internId = '', request } = exchange;
    const answer = await next(request);
    const caller = tokenOf(request);
    const known = latest.get(caller) ?? [];
    if (!answer.ok) return answer;
    const id = after === 'create' ? String(((await answer.clone().json()) as Json).id) : internId;
    if (exchange.operation === after) latest.set(caller, [...known, id]);
    if (exchange.operation !== operation) return answer;
    const other = known.findLast((one) => one !== internId);
    latest.set(
      caller,
      known.filter((one) => one !== other && one !== internId),
    );
    const url = request.url.replace(internId, other ?? '');
    if (other !== undefined)
      await emulator.fetch(
        new Request(url, { method: request.method, headers: { authorization: `Bearer ${caller}` } }),
      );
    return answer;
  });
};

/** Provision, suspend and delete (PROV, SUSP, DELETE). */
export const LIFECYCLE = defineMutants({
  // An update while an intern boots is undone when the boot ends.
  'boot-writes-back-what-it-read': moves((move) => {
    const read = new Map<string, string | null>();
    return (row, event, record, change) => {
      if (event === 'provision') read.set(row.id, row.record.description);
      const back = event === 'boot_succeeded' ? { description: read.get(row.id) ?? null } : {};
      return move(row, event, { ...record, ...back }, change);
    };
  }),
  'boot-never-ends': plans((plan) => ({ ...plan, boot: { ...plan.boot, ends: 'hangs' } })),
  'provision-at-create-is-ignored': sends<unknown>('create', 'provision', (value) => (value === true ? false : value)),
  'provision-at-every-create': sent('create', (body) => ({ provision: true, ...body })),
  // An intern that waits is provisioned after ten minutes.
  'provision-by-itself-after-a-while': answers({ of: 'create', status: 201 }, (reply, { request, emulator }) => {
    const { id, status } = JSON.parse(String(reply.body)) as Json;
    const headers = { authorization: `Bearer ${tokenOf(request)}` };
    const provision = new Request(`${request.url}/${id}/provision`, { method: 'POST', headers });
    if (status === 'stopped') emulator.clock.timer(600_000, () => void emulator.fetch(provision), 'work');
    return reply;
  }),
  // An intern that waits for its provision boots after a minute.
  'boot-after-a-minute': inRecords<string>('status', (status, { parent, emulator }) =>
    status === 'stopped' &&
    parent.hostname === null &&
    emulator.clock.now() - Date.parse(String(parent.created_at)) > 60_000
      ? 'provisioning'
      : status,
  ),
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
  'delete-takes-another': takesAnother('delete', 'create'),
  'suspend-takes-another': takesAnother('suspend', 'provision'),
  'teardown-never-ends': plans((plan) => ({ ...plan, teardown: { ...plan.teardown, ends: 'hangs' } })),
  'deleting-shows-the-old-status': inRecords('status', (status) => (status === 'destroying' ? 'stopped' : status)),
  'delete-not-while-booting': allows('delete', (from) => from.filter((one) => one !== 'provisioning')),
  'destroying-is-404': visible((caller, id, interns) => {
    const row = interns.visible(caller, id);
    if (row.record.status === 'destroying') throw new Refusal('not_found');
    return row;
  }),
  // The vault of a gone intern can still be attached.
  'vault-outlives-its-intern': knowingGone((gone) =>
    wrap({
      createCreate: (usual) => (request) => {
        const { vault_id, ...body } = request.body;
        if (![...gone.values()].some(({ record }) => record.vault_id === vault_id)) return usual(request);
        const { created, intern } = usual({ ...request, body });
        return { created, intern: { ...intern, attached_vault_id: vault_id ?? null } };
      },
    }),
  ),
  // With its own key a gone intern is read as it was.
  'own-key-reads-the-gone': knowingGone((gone) =>
    wrap({
      createAccounts: () => ({ removeOwnKey() {} }),
      createInterns: (usual) =>
        inside(usual, 'visible', (visible) => (caller, id) => {
          const row = gone.get(id);
          return row && caller.internId === id ? row : visible(caller, id);
        }),
    }),
  ),
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
  // An intern that waits for an answer cannot be deleted.
  'delete-waits-for-the-answer': holding('createRuns', (runs) =>
    instead(
      all(
        'delete',
        ({ internId = '' }) =>
          runs()
            ?.list(internId)
            .some(({ status }) => status === 'waiting') === true,
      ),
      refused('busy'),
    ),
  ),
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
