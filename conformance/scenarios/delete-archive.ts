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
});
