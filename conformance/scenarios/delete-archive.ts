import { equal, ok, oneOf } from '../framework/assert.js';
import { checksOf } from '../framework/check.js';
import * as expect from '../framework/expect.js';
import { onStopped } from '../helpers/interns.js';
import { ownVault } from '../helpers/record.js';

const STARTED = expect.ACCEPTED;

export const DELETE_ARCHIVE = checksOf('DELETE-3', {
  'delete/vault-is-gone': {
    requirement: 'DELETE-1',
    title: 'The vault of a gone intern is gone with it: no other intern gets it attached.',
    ...onStopped([], async ({ api, interns }, gone) => {
      const { vault_id } = gone;
      expect.done(await api.remove(gone.id), 'the delete');
      await interns.untilGone(gone.id);
      const answer = await api.create(interns.body({ vault_id }));
      if (answer.status >= 400 && answer.status < 500) return;
      const made = expect.intern(answer, expect.CREATED, 'a create with the vault of a gone intern');
      ownVault(made, gone);
      for (const key of ['vault_id', 'attached_vault_id'] as const) {
        ok(made[key] !== vault_id, `${key} of another intern`, 'not the vault that is gone', made[key]);
      }
    }),
  },
  'delete/archive-fails': {
    title: 'A teardown whose archive fails leaves destroy_failed, says so, and keeps the workspace until acknowledged.',
    needs: ['control', 'write'],
    async run({ api, interns }) {
      const intern = await interns.stopped({ instructions: 'script: teardown-fails' });
      expect.status(await api.remove(intern.id), STARTED, 'the delete');
      const failed = await interns.until(intern.id, ['destroy_failed']);
      ok(
        failed.last_failure_message?.includes('workspace_archive_failed'),
        'last_failure_message',
        'names workspace_archive_failed',
        failed.last_failure_message,
      );
      for (const body of [undefined, {}, { acknowledge_workspace_loss: false }]) {
        oneOf(
          (await api.remove(intern.id, body)).status,
          [...STARTED, 409],
          'status of a delete without acknowledgement',
        );
        const kept = await interns.until(intern.id, ['destroy_failed']);
        equal(kept.name, intern.name, 'name of the intern that is still there');
      }
      expect.status(
        await api.remove(intern.id, { acknowledge_workspace_loss: true }),
        STARTED,
        'the acknowledged delete',
      );
      await interns.untilGone(intern.id);
    },
  },
  'provision/not-from-destroy-failed': {
    requirement: 'PROV-1',
    level: 'P',
    title: 'An intern whose teardown failed can be neither provisioned nor suspended: 409 intern_busy.',
    needs: ['control', 'write'],
    async run({ api, interns }) {
      const busy = { status: 409, reason: 'intern_busy', retryable: false } as const;
      const intern = await interns.stopped({ instructions: 'script: teardown-fails' });
      expect.status(await api.remove(intern.id), 202, 'the delete');
      await interns.until(intern.id, ['destroy_failed']);
      expect.error(await api.provision(intern.id), busy, 'a provision');
      expect.error(await api.suspend(intern.id), busy, 'a suspend');
      equal(expect.intern(await api.get(intern.id), 200, 'the read').status, 'destroy_failed', 'status after both');
    },
  },
  'delete/tried-again': {
    level: 'C',
    title: 'Without the acknowledgement a delete is 202 and tried again, and succeeds when the archive does.',
    needs: ['control', 'write'],
    async run({ api, interns, control }) {
      const intern = await interns.stopped({ instructions: 'script: teardown-fails' });
      expect.status(await api.remove(intern.id), 202, 'the delete');
      await interns.until(intern.id, ['destroy_failed']);
      expect.status(await api.remove(intern.id), 202, 'the delete tried again');
      equal(expect.intern(await api.get(intern.id), 200, 'the read').status, 'destroying', 'status while it is tried');
      await interns.until(intern.id, ['destroy_failed']);
      await control.useScript(intern.id, 'echo');
      expect.status(await api.remove(intern.id), 202, 'a delete that can be archived');
      await interns.untilGone(intern.id);
    },
  },
  'delete/acknowledged-at-once': {
    level: 'C',
    title: 'An acknowledgement given with the first delete counts, one given while it goes on too.',
    needs: ['control', 'write'],
    async run({ api, interns }) {
      const given = { acknowledge_workspace_loss: true };
      const first = await interns.stopped({ instructions: 'script: teardown-fails' });
      expect.status(await api.remove(first.id, given), 202, 'the acknowledged first delete');
      await interns.untilGone(first.id);
      const other = await interns.stopped({ instructions: 'script: teardown-fails' });
      expect.status(await api.remove(other.id), 202, 'a delete');
      expect.status(await api.remove(other.id, given), 202, 'the acknowledgement while it goes on');
      await interns.untilGone(other.id);
    },
  },
  'delete/takes-its-time': {
    requirement: 'EMU-3',
    title: 'A scripted teardown takes as long as it says: the intern is destroying until then, and gone after.',
    needs: ['control', 'clock', 'write'],
    async run({ api, interns, clock, control }) {
      const slow = await control.script({ lifecycle: { teardown: { after: '2h' } } });
      const intern = await interns.stopped({ instructions: `script: ${slow}` });
      expect.status(await api.remove(intern.id), 202, 'the delete');
      await clock.advance(7_199_999);
      equal(
        expect.intern(await api.get(intern.id), 200, 'the read').status,
        'destroying',
        'status 1 ms before the end',
      );
      await clock.advance(1);
      expect.status(await api.get(intern.id), 404, 'the read when the time has come');
    },
  },
});
