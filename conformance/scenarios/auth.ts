import fc from 'fast-check';
import { equal, notEqual, ok } from '../model/assert.js';
import { inWorkspace } from '../model/record.js';
import { type As, type CredentialName, internPath } from '../probe/request.js';
import { checksOf } from '../run/check.js';
import * as expect from '../run/expect.js';

export const AUTH = checksOf('AUTH-1', {
  'auth/key-in-the-query': {
    title: 'A key in the query opens nothing.',
    // Servers log queries: only the key of an intern of this run goes there.
    needs: ['control', 'own_key'],
    async run({ interns, send, unmet }) {
      const { id, key } = await interns.own();
      if (key === null || typeof key === 'string') return unmet('own_key', 'the key is not known');
      const { bearer } = key;
      expect.status(await send({ path: internPath(id), as: key }), 200, 'the own key as bearer token');
      for (const name of ['api_key', 'key', 'access_token', 'token']) {
        const answer = await send({ path: internPath(id), as: null, query: { [name]: bearer } });
        expect.error(answer, { status: 401 }, `a read with the key as ${name} in the query`);
      }
    },
  },
  'auth/key-exact': {
    title: 'Only the exact key is accepted: cut, lengthened or with one character changed it is 401.',
    needs: ['own_key'],
    async run({ interns, send, property, unmet }) {
      const own = await interns.own();
      const path = internPath(own.id);
      expect.status(await send({ path, as: own.key }), 200, 'the own key');
      if (own.key === null || typeof own.key === 'string')
        return unmet('own_key', 'no credential but that of an intern of the run is sent with a character changed');
      const key = own.key.bearer;
      const other = fc
        .tuple(fc.constantFrom('cut', 'begin', 'more', 'before', 'change', 'case'), fc.nat(key.length - 1))
        .map(([how, at]) => {
          if (how === 'cut') return key.slice(0, at);
          if (how === 'begin') return key.slice(at + 1);
          if (how === 'more') return `${key}${key[at]}`;
          if (how === 'before') return `x${key}`;
          if (how === 'case') return key.toUpperCase();
          return `${key.slice(0, at)}${key[at] === 'x' ? 'y' : 'x'}${key.slice(at + 1)}`;
        })
        .filter((text) => text !== '' && text !== key);
      await property('keys', other, async (bearer) => {
        expect.error(await send({ path, as: { bearer } }), { status: 401 }, 'a read with a key that is nearly right');
      });
    },
  },
  'auth/workspace-of-the-key': {
    requirement: 'AUTH-2',
    title: 'The key selects the workspace: a key of another workspace neither lists, reads nor changes an intern.',
    needs: ['write', 'foreign_api_key', 'foreign_workspace'],
    async run(ctx) {
      const { api, interns, target } = ctx;
      const ours = await interns.stopped();
      const theirs = await interns.foreign();
      const seen = async (as: CredentialName, id: string) =>
        (await ctx.listed(`the list as ${as}`, { having: [id], options: { as } })).map((intern) => intern.id);
      const own = await seen('api_key', ours.id);
      const foreign = await seen('foreign_api_key', theirs.id);
      ok(own.includes(ours.id), 'the list of a key', 'with the intern that it made', 'without it');
      ok(foreign.includes(theirs.id), 'the list of a key', 'with the intern that it made', 'without it');
      const strangers = [...own.filter((id) => id === theirs.id), ...foreign.filter((id) => id === ours.id)];
      equal(strangers, [], 'interns of another workspace in the list of a key');
      expect.status(await api.get(theirs.id, { as: 'foreign_api_key' }), 200, 'the read with the key of the workspace');
      expect.status(await api.get(theirs.id), 404, 'the read with a key of another workspace');
      const send = { as: 'foreign_api_key' } as const;
      const filtered = expect.page(await api.list({ status: ours.status }, send), 'the filtered list of a key');
      const ourOwn = filtered.data.filter(({ id }) => id === ours.id);
      equal(ourOwn, [], 'interns of another workspace in the filtered list of a key');
      expect.status(await api.get(ours.id, send), 404, 'the read with the foreign key');
      expect.status(
        await api.update(ours.id, { description: 'of others' }, send),
        404,
        'the update with the foreign key',
      );
      inWorkspace(theirs, target.foreignWorkspaceId, 'the foreign intern');
    },
  },
  'auth/scim-other-credentials': {
    requirement: 'AUTH-6',
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
