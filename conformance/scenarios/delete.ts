import { equal, ok, oneOf } from '../model/assert.js';
import { ownVault } from '../model/record.js';
import { internPath } from '../probe/request.js';
import { textBytes } from '../requests/operations.js';
import { checksOf } from '../run/check.js';
import * as expect from '../run/expect.js';
import { onStopped } from './steps/interns.js';

const BUSY = { status: 409, reason: 'intern_busy', retryable: false } as const;

const STARTED = expect.ACCEPTED;

export const DELETE = checksOf('DELETE-1', {
  'delete/destroying-is-busy': {
    level: 'C',
    title: 'Update, provision and suspend of a destroying intern are 409 intern_busy; it can still be read.',
    needs: ['control', 'running'],
    async run({ api, interns }) {
      for (const intern of [await interns.running(), await interns.stopped()]) {
        expect.status(await api.remove(intern.id), 202, 'the delete');
        expect.error(await api.update(intern.id, { description: 'late' }), BUSY, 'an update');
        expect.error(await api.provision(intern.id), BUSY, 'a provision');
        expect.error(await api.suspend(intern.id), BUSY, 'a suspend');
        const read = expect.intern(await api.get(intern.id), 200, 'the read');
        equal([read.status, read.description], ['destroying', null], 'status and description');
        await interns.untilGone(intern.id);
      }
    },
  },
  'delete/own-key-dies': {
    level: 'P',
    title: "The intern's own key works until the teardown has ended, and is 401 after.",
    needs: ['control', 'own_key'],
    async run({ api, interns }) {
      const { id, key: as } = await interns.own();
      expect.status(await api.get(id, { as }), 200, 'the read with the own key');
      expect.status(await api.remove(id), 202, 'the delete');
      expect.status(await api.get(id, { as }), 200, 'the read while the teardown goes on');
      await interns.untilGone(id);
      for (const answer of [await api.get(id, { as }), await api.list({}, { as })]) {
        expect.error(answer, { status: 401, metadata: 'absent' }, 'a request with the key of a gone intern');
      }
    },
  },
  'delete/optional-body': {
    requirement: 'DELETE-2',
    title: 'Without a body, with white space, with {} and with the boolean either way a delete is accepted.',
    needs: ['write'],
    async run(ctx) {
      const { api, interns, send } = ctx;
      const json = { 'content-type': 'application/json' };
      const bodies = [{}, { acknowledge_workspace_loss: false }, { acknowledge_workspace_loss: true }];
      for (const body of ctx.sample(bodies)) {
        const answer = await api.remove((await interns.stopped()).id, body);
        expect.status(answer, STARTED, `a delete with ${JSON.stringify(body)}`);
      }
      for (const text of ctx.sample(['', ' ', '\r\n\t '])) {
        const path = internPath((await interns.stopped()).id);
        const answer = await send({ method: 'DELETE', path, headers: json, body: textBytes(text) });
        expect.status(answer, STARTED, `a delete with the body ${JSON.stringify(text)}`);
      }
      expect.status(await api.remove((await interns.stopped()).id), STARTED, 'a delete without body and content type');
    },
  },
  'delete/vault-is-gone': {
    requirement: 'DELETE-1',
    title: 'The vault of a gone intern is gone, too: it cannot be attached to another intern.',
    ...onStopped([], async ({ api, assume, interns }, gone) => {
      const { vault_id } = gone;
      assume(typeof vault_id === 'string', 'a record that shows its vault', 'vault_id is published alone', vault_id);
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
    requirement: 'DELETE-3',
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
