import { equal, notEqual } from '../framework/assert.js';
import { checksOf } from '../framework/check.js';
import * as expect from '../framework/expect.js';
import type { As } from '../probe/request.js';

export const AUTH_KINDS = checksOf('AUTH-6', {
  'auth/scim-other-credentials': {
    level: 'C',
    title: 'Any other credential on SCIM is the same 401 as none, for known and unknown mappings.',
    needs: ['control', 'own_key', 'peer_api_key', 'oauth_token', 'oauth_interns_only_token', 'scim_mapping'],
    async run({ api, interns, target, wrongKey }) {
      const own = await interns.own();
      const expected = { status: 401, message: 'Missing Authentication header', metadata: 'absent' } as const;
      const others: As[] = ['api_key', 'peer_api_key', 'oauth_token', 'oauth_interns_only_token', own.key, wrongKey];
      for (const as of others) {
        for (const id of [target.scimMappingId ?? '', interns.unknownId()]) {
          expect.error(await api.scim(id, { as }), expected, `the mapping as ${typeof as === 'string' ? as : 'a key'}`);
        }
      }
    },
  },
  'auth/oauth-acts-as-its-member': {
    requirement: 'AUTH-10',
    title: 'An OAuth token of either grant acts as its member on lifecycle, chat and invoke.',
    needs: ['control', 'running', 'oauth_token', 'oauth_interns_only_token'],
    async run({ api, interns, chat }) {
      for (const as of ['oauth_token', 'oauth_interns_only_token'] as const) {
        const body = interns.body();
        const made = expect.intern(await api.create(body, { as }), 201, `a create as ${as}`);
        // The same caller: an equal create of the person's key replays, another one of the name is a conflict.
        const replay = expect.intern(await api.create(body), 200, `the same create with the key, after ${as}`);
        equal(replay.id, made.id, 'id of the replayed create');
        const other = await api.create({ ...body, description: 'another' }, { as });
        expect.error(other, { status: 409, reason: 'name_conflict' }, 'another create of that name');
        expect.status(await api.update(made.id, { description: as }, { as }), 200, `an update as ${as}`);
        expect.status(await api.provision(made.id, { as }), 202, `a provision as ${as}`);
        await interns.until(made.id, ['running'], { as });
        const said = await (await chat(made.id, 'Hello.', { as })).end();
        expect.finish(said, 'stop', `chat as ${as}`);
        expect.status(await api.invoke(made.id, { input: 'Hello.' }, { as }), 202, `an invoke as ${as}`);
        expect.status(await api.suspend(made.id, { as }), 200, `a suspend as ${as}`);
        expect.status(await api.remove(made.id, undefined, { as }), 202, `a delete as ${as}`);
        notEqual(expect.page(await api.list({}, { as }), 'the list').data.length, 0, `interns listed as ${as}`);
      }
    },
  },
});
