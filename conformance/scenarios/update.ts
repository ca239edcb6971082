import fc from 'fast-check';
import { equal, ok } from '../model/assert.js';
import { untouched } from '../model/record.js';
import { DIGEST } from '../requests/operations.js';
import { checksOf } from '../run/check.js';
import * as expect from '../run/expect.js';
import { onRunning, onStopped } from './steps/interns.js';

const INVALID = { status: 400, reason: 'invalid_body', retryable: false } as const;

/** The fields that can be cleared. */
const SETTABLE = ['description', 'instructions', 'model'] as const;

export const UPDATE = checksOf('UPDATE-1', {
  'update/in-every-state': {
    title: 'A running and a suspended intern can be updated, and keep their status. The suspended one can be deleted.',
    ...onRunning([], async ({ api, interns, assume }, intern) => {
      // In which states an intern can be changed is not stated.
      const updated = async (changes: Record<string, unknown>) => {
        const answer = await api.update(intern.id, changes);
        assume(answer.status !== 409, 'an intern that can be changed', undefined, expect.seen(answer));
        return expect.intern(answer, expect.ACCEPTED, 'an update');
      };
      const running = await updated({ description: 'while running' });
      equal(running.status, 'running', 'status after an update of a running intern');
      expect.done(await api.suspend(intern.id), 'a suspend');
      const before = await interns.untilSuspended(intern.id);
      const after = await updated({ instructions: 'New.' });
      equal(after.status, before.status, 'status after an update of a suspended intern');
      untouched(after.description, 'while running', 'description', 'after an update of instructions');
      // Cleaning up would delete it all the same.
      expect.done(await api.remove(intern.id), 'a delete of a suspended intern');
    }),
  },
  'update/null-clears': {
    level: 'P',
    title:
      'null clears description, instructions and model, each by itself, an empty text the description; a name cannot be cleared.',
    needs: ['write'],
    async run(ctx) {
      const { api, interns } = ctx;
      const full = { description: 'a', instructions: 'b', model: 'acme/one' };
      const intern = await interns.stopped({ description: 'first' });
      const empty = await api.update(intern.id, { description: '' });
      const { description: none } = expect.intern(empty, expect.ACCEPTED, 'an update of description to an empty text');
      equal(none ?? '', '', 'description after an update to an empty text');
      // The model that is shown before one was chosen is not stated.
      const cleared = { description: null, instructions: null, model: intern.model };
      for (const key of ctx.sample(SETTABLE)) {
        expect.status(await api.update(intern.id, full), expect.ACCEPTED, 'an update that sets all');
        expect.status(await api.update(intern.id, { [key]: null }), expect.ACCEPTED, `an update of ${key} to null`);
        const after = expect.intern(await api.get(intern.id), 200, 'the read');
        const { description = null, instructions = null, model: slug = null } = after;
        const now = { description, instructions, model: slug };
        for (const other of SETTABLE)
          if (other !== key) untouched(now[other], full[other], other, `after ${key} was set to null`);
        equal(now[key], cleared[key] ?? null, `${key} after an update to null`);
      }
      expect.error(await api.update(intern.id, { name: null }), INVALID, 'an update of name to null');
    },
  },
  'update/model-at-next-provision': {
    level: 'P',
    title: 'A new model takes effect at the next provision, not before.',
    ...onRunning(['control', 'running'], async ({ api, interns, chat }, intern) => {
      const usage = async () => (await (await chat(intern.id, 'Hello.')).end()).final?.usage ?? null;
      ok((await usage()) !== null, 'usage before the change', 'what echo reports');
      expect.status(await api.update(intern.id, { model: 'script/no-usage' }), expect.ACCEPTED, 'the update');
      equal(expect.intern(await api.get(intern.id), 200, 'the read').model, 'script/no-usage', 'model as it is read');
      ok((await usage()) !== null, 'usage before the next provision', 'what the old model reports');
      expect.status(await api.suspend(intern.id), 200, 'a suspend');
      expect.status(await api.provision(intern.id), 202, 'a provision');
      await interns.until(intern.id, ['running']);
      equal(await usage(), null, 'usage after the provision');
    }),
  },
  'update/no-op': {
    level: 'C',
    title: 'A body that changes nothing is 200, and changes neither the record nor its updated_at.',
    needs: ['control', 'clock', 'write'],
    async run({ api, interns, clock }) {
      const intern = await interns.stopped({ description: 'same' });
      await clock.advance(10);
      for (const body of [{}, { description: 'same' }, { name: intern.name }, { model: null, description: 'same' }]) {
        const after = expect.intern(
          await api.update(intern.id, body),
          expect.ACCEPTED,
          `an update with ${JSON.stringify(body)}`,
        );
        equal(after, intern, `the record after ${JSON.stringify(body)}`);
      }
    },
  },
  'update/moves-updated-at': {
    level: 'C',
    title: 'Every change moves updated_at forward by at least 1 ms, also when the clock stands still.',
    maxRuns: 30,
    ...onStopped(['control', 'write'], async ({ api, interns, property }, intern) => {
      let count = 0;
      const field = fc.constantFrom('description', 'instructions', 'name', 'model');
      await property('changes', field, async (key) => {
        const before = expect.intern(await api.get(intern.id), 200, 'the read before');
        count++;
        const value = key === 'name' ? interns.name() : key === 'model' ? `acme/m${count}` : `change ${count}`;
        const after = expect.intern(
          await api.update(intern.id, { [key]: value }),
          expect.ACCEPTED,
          `an update of ${key}`,
        );
        const moved = Date.parse(after.updated_at) - Date.parse(before.updated_at);
        ok(moved >= 1, 'updated_at', 'at least 1 ms later', `${before.updated_at}, ${after.updated_at}`);
        equal(after.created_at, intern.created_at, 'created_at');
      });
    }),
  },
  'update/status-moves-updated-at': {
    level: 'C',
    title: 'Every change of status moves updated_at forward too.',
    ...onStopped(['control', 'running'], async ({ api, interns }, intern) => {
      const at = async () => Date.parse(expect.intern(await api.get(intern.id), 200, 'the read').updated_at);
      let before = Date.parse(intern.updated_at);
      const steps: readonly (readonly [string, () => Promise<unknown>])[] = [
        ['provision', () => api.provision(intern.id)],
        ['the boot', () => interns.until(intern.id, ['running'])],
        ['suspend', () => api.suspend(intern.id)],
        ['delete', () => api.remove(intern.id)],
      ];
      for (const [what, step] of steps) {
        await step();
        const after = await at();
        ok(after > before, `updated_at after ${what}`, `later than ${new Date(before).toISOString()}`, after);
        before = after;
      }
    }),
  },
  'update/while-it-boots': {
    requirement: 'UPDATE-1',
    title: 'Changes during a boot are kept once the intern runs.',
    needs: ['running'],
    async run({ api, interns, assume }) {
      const intern = await interns.stopped({ description: 'before' });
      expect.done(await api.provision(intern.id), 'the provision');
      const answer = await api.update(intern.id, { description: 'while it boots' });
      // In which states an intern can be changed is not stated.
      assume(answer.status !== 409, 'an intern that can be changed', undefined, expect.seen(answer));
      expect.done(answer, 'an update while it boots');
      const running = await interns.until(intern.id, ['running']);
      equal(running.description, 'while it boots', 'description of the running intern');
    },
  },
  'get/no-known-secrets': {
    requirement: 'GET-1',
    title: "Neither the intern's own key nor its daemon token stands in any answer of the lifecycle.",
    ...onRunning(['control', 'running', 'oauth_token'], async ({ api, control }, { id }) => {
      const { api_key } = await control.intern(id);
      const daemon = (await api.daemon(id, { as: 'oauth_token' })).json as { token?: string };
      const texts = [
        (await api.get(id)).text,
        (await api.get(id, { as: { bearer: api_key } })).text,
        (await api.list()).text,
        (await api.update(id, { description: 'seen' })).text,
        (await api.sign(id, { bodySha256: DIGEST }, { as: 'oauth_token' })).text,
        (await api.remove(id)).text,
      ];
      for (const secret of [api_key, daemon.token ?? api_key]) {
        ok(!texts.some((text) => text.includes(secret)), 'the answers', 'no credential of the intern');
      }
    }),
  },
});
