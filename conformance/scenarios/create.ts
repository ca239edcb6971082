import fc from 'fast-check';
import { equal, match, ok } from '../model/assert.js';
import { inWorkspace, ownVault } from '../model/record.js';
import { checksOf } from '../run/check.js';
import * as expect from '../run/expect.js';
import { onStopped } from './steps/interns.js';

const INVALID = { status: 400, reason: 'invalid_body', retryable: false } as const;
const NAME_TAKEN = { status: 409, reason: 'name_conflict', retryable: false } as const;

export const CREATE = checksOf('CREATE-1', {
  'create/reads-back': {
    title: 'A create answers with the sent values, and a read shows the same.',
    needs: ['write'],
    maxRuns: 20,
    async run(ctx) {
      const { api, interns, target, property } = ctx;
      const some = () => fc.option(ctx.texts({ maxLength: 60 }), { nil: undefined });
      await property('bodies', fc.record({ description: some(), instructions: some() }), async (given) => {
        const body = interns.body(JSON.parse(JSON.stringify(given)));
        const made = expect.intern(await api.create(body), expect.CREATED, 'the create');
        equal(made.name, body.name, 'name of the answer');
        inWorkspace(made, target.workspaceId, 'the answer');
        for (const key of ['description', 'instructions'] as const) {
          // The form of a text that nobody gave is not stated.
          const absent = given[key] === undefined && made[key] === '' ? null : made[key];
          equal(absent ?? null, given[key] ?? null, key);
        }
        const read = expect.intern(await api.get(made.id), 200, 'the read');
        for (const key of ['id', 'name', 'description', 'instructions', 'workspace_id', 'created_at'] as const) {
          equal(read[key], made[key], `${key} as it is read`);
        }
      });
    },
  },
  'create/foreign-workspace-404': {
    level: 'C',
    title: "A workspace that is not the key's is 404, known or not, once the body is found valid.",
    needs: ['control', 'write', 'foreign_workspace'],
    async run({ api, interns, target }) {
      for (const workspace_id of [target.foreignWorkspaceId, interns.unknownId()]) {
        const answer = await api.create(interns.body({ workspace_id }));
        expect.error(answer, { status: 404, reason: 'not_found', retryable: false }, 'a create elsewhere');
        const both = await api.create(interns.body({ workspace_id, colour: 'red' }));
        expect.error(both, INVALID, 'an invalid create elsewhere');
      }
      for (const workspace_id of [null, 7, {}, []]) {
        expect.error(await api.create(interns.body({ workspace_id })), INVALID, 'a workspace_id that is not a string');
      }
    },
  },
  'create/attached-vault': {
    requirement: 'CREATE-2',
    level: 'P',
    title: "vault_id attaches another intern's vault, shown as attached_vault_id, beside a private one.",
    ...onStopped([], async ({ api, interns }, one) => {
      equal(one.attached_vault_id ?? null, null, 'attached_vault_id without an attached vault');
      const other = expect.intern(
        await api.create(interns.body({ vault_id: one.vault_id })),
        expect.CREATED,
        'a create',
      );
      equal(other.attached_vault_id, one.vault_id, 'attached_vault_id');
      match(other.vault_id, /./, 'vault_id beside an attached vault');
      ownVault(other, one);
      equal(expect.intern(await api.get(other.id), 200, 'the read').attached_vault_id, one.vault_id, 'as it is read');
    }),
  },
  'create/vault-that-cannot-be-attached': {
    requirement: 'CREATE-2',
    level: 'P',
    title: 'A vault that cannot be attached is 409: unknown, of another workspace, of an intern that is gone.',
    needs: ['write', 'foreign_api_key', 'foreign_workspace'],
    async run(ctx) {
      const { api, interns } = ctx;
      const theirs = await interns.foreign();
      const gone = await interns.stopped();
      const twin = await api.create(interns.body({ vault_id: gone.vault_id }));
      ownVault(expect.intern(twin, expect.CREATED, 'the valid twin'), gone);
      expect.done(await api.remove(gone.id), 'a delete');
      await interns.untilGone(gone.id);
      for (const vault_id of ctx.sample([interns.unknownId(), theirs.vault_id, gone.vault_id])) {
        const body = interns.body({ vault_id });
        expect.error(await api.create(body), { status: 409 }, `a create with vault ${vault_id}`);
        const data = await ctx.listed('the list');
        ok(!data.some(({ name }) => name === body.name), 'the list', 'no intern of the refused create');
      }
    },
  },
  'create/shortest-name': {
    requirement: 'CREATE-5',
    title: 'A name of 2 characters is accepted, one of 1 is not.',
    needs: ['write'],
    async run({ api, assume, interns, random }) {
      const pick = (units: string) => units[Math.floor(random() * units.length)] ?? 'a';
      const name = `${pick('bcdfghjklmnp')}${pick('0123456789')}`;
      // Such a name lacks the prefix of the run, so the check renames an intern. A create with a taken name makes none.
      const intern = await interns.stopped();
      const renamed = await api.update(intern.id, { name });
      assume(renamed.status !== 409, 'a name of 2 characters that nobody has', 'it is taken');
      equal(expect.intern(renamed, expect.ACCEPTED, 'a rename to a name of 2 characters').name, name, 'name');
      const again = await api.create(interns.body({ name, description: 'another' }));
      await api.update(intern.id, { name: intern.name });
      expect.error(again, NAME_TAKEN, 'a create of a name of 2 characters that is taken');
      expect.error(await api.create(interns.body({ name: name.slice(0, 1) })), INVALID, 'a name of 1 character');
    },
  },
  'create/name-taken': {
    requirement: 'CREATE-5',
    // Others may have used the name of an intern that is handed out again.
    fresh: true,
    title: 'A name is unique for its creator while the intern exists, and free again afterwards.',
    ...onStopped(['peer_api_key'], async ({ api, interns, undisturbed }, one) => {
      const again = { name: one.name, description: 'another' };
      // An equal body of two callers would be about their idempotency keys.
      const peers = { name: one.name, description: "a peer's" };
      expect.error(await api.create(interns.body(again)), NAME_TAKEN, 'a second create of the name');
      expect.status(
        await api.create(interns.body(peers), { as: 'peer_api_key' }),
        expect.CREATED,
        "a peer's create of the name",
      );
      expect.done(await api.remove(one.id), 'the delete');
      const destroying = await api.get(one.id);
      if (destroying.status === 200) {
        const taken = await api.create(interns.body(again));
        if (taken.status !== 409) {
          const { status } = await api.get(one.id);
          undisturbed(status === 200, 'the intern that is torn down', 'still there', status);
        }
        expect.error(taken, NAME_TAKEN, 'a create while the teardown goes on');
      }
      await interns.untilGone(one.id);
      expect.status(await api.create(interns.body(again)), expect.CREATED, 'a create of the name that is free again');
    }),
  },
});
