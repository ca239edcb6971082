import { equal, notEqual } from '../framework/assert.js';
import { checksOf } from '../framework/check.js';
import * as expect from '../framework/expect.js';
import { onStopped } from '../helpers/interns.js';
import { DIGEST, OPERATIONS, request } from '../helpers/operations.js';
import { type As, internPath } from '../probe/request.js';

const REFUSED = { status: 403, reason: 'personal_identity_required', retryable: false } as const;

export const AUTH_KINDS = checksOf('AUTH-6', {
  'auth/scim-needs-a-management-key': {
    title: 'The SCIM read without a credential is 401 `Missing Authentication header`.',
    needs: ['management_key', 'scim_mapping'],
    async run({ api, target, twin, wrongKey }) {
      const id = target.scimMappingId ?? '';
      await twin('mapping', async () =>
        expect.status(await api.scim(id, { as: 'management_key' }), 200, 'the valid twin'),
      );
      const answer = await api.scim(id, { as: null });
      const expected = { status: 401, message: 'Missing Authentication header', metadata: 'absent' } as const;
      expect.error(answer, expected, 'the read without a credential');
      const other = await api.scim(id, { as: wrongKey });
      expect.error(other, { status: other.status, metadata: 'absent' }, 'the read with a wrong key');
      expect.refused(await api.scim(id), 'the read with an API key');
    },
  },
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
  'auth/management-key-on-interns': {
    level: 'P',
    title: 'A management key under /interns is 401, on every operation.',
    ...onStopped(['management_key'], async (ctx, intern) => {
      await ctx.each(
        'operations',
        OPERATIONS,
        async (row) => {
          const answer = await ctx.send(request(ctx, row, intern.id, { as: 'management_key' }));
          expect.error(answer, { status: 401, metadata: 'absent' }, `${row.name} as management_key`);
        },
        OPERATIONS.length,
      );
    }),
  },
  'auth/daemon-needs-oauth': {
    requirement: 'AUTH-7',
    title: 'get_intern_daemon with an API key, of a person or an intern, is 403 personal_identity_required.',
    needs: ['running', 'oauth_token', 'own_key'],
    async run({ api, interns, send, undisturbed }) {
      const own = await interns.own({ running: true });
      if (own.ours) expect.status(await api.daemon(own.id, { as: 'oauth_token' }), 200, 'the valid twin');
      for (const as of ['api_key', own.key] as const) {
        if (as === 'api_key' && !own.ours) continue;
        for (const path of ['daemon', 'daemon-access']) {
          const answer = await send({ path: internPath(own.id, `/${path}`), as });
          // Where the alias is served is not stated.
          if (path === 'daemon-access' && answer.status === 404) continue;
          // Nor is the order: the state of the intern may be checked before the kind of the credential.
          if (!own.ours) undisturbed(answer.status !== 409, 'the intern of the own key', 'running', answer.text);
          expect.error(answer, { status: 403, reason: 'personal_identity_required' }, `${path} with an API key`);
        }
      }
    },
  },
  'auth/signing-needs-the-vault-grant': {
    requirement: 'AUTH-8',
    title: 'Signing with an API key or an interns-only grant is 403 personal_identity_required, not retryable.',
    needs: ['write', 'oauth_token', 'oauth_interns_only_token', 'own_key'],
    async run(ctx) {
      const { api, interns, send } = ctx;
      const intern = await interns.stopped();
      const json = { bodySha256: DIGEST };
      await ctx.twin('sign', async () =>
        expect.status(await api.sign(intern.id, json, { as: 'oauth_token' }), expect.ACCEPTED, 'the valid twin'),
      );
      const own = await interns.own();
      const callers = [
        [intern.id, 'api_key'],
        [intern.id, 'oauth_interns_only_token'],
        [own.id, own.key],
      ] as const;
      // Every caller in every run: a signature in another's name is worth the requests.
      for (const [id, as] of callers) {
        for (const path of ['daemon/sign', 'daemon-access/sign']) {
          const what = `${path} as ${typeof as === 'string' ? as : 'own key'}`;
          const answer = await send({ method: 'POST', path: internPath(id, `/${path}`), as, json });
          const message = /^Personal connections require the OIDC login/;
          expect.error(answer, { ...REFUSED, message }, what);
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
