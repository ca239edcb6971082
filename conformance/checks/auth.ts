import fc from 'fast-check';
import { equal, notEqual, ok } from '../assert.js';
import { defineChecks } from '../check.js';
import type { Ctx } from '../context.js';
import { each, picked } from '../each.js';
import * as expect from '../expect.js';
import { BY_KEY, DIGEST, OPERATIONS, type Operation, operation, request } from '../operations.js';
import type { As, CredentialName, Send } from '../probe/request.js';

const REFUSED = { status: 403, reason: 'personal_identity_required', retryable: false } as const;

/** The operation with a body that is refused after the caller was judged, so that nothing comes of it. */
const harmless = (ctx: Ctx, row: Operation, id: string, as: As): Send =>
  row.method === 'GET'
    ? request(ctx, row, id, { as })
    : request(ctx, row, id, { as, json: { bodySha256: 7, name: 7 } });

/** What each credential may do with an intern of its workspace. `ok` stands for: judged no further than the body. */
const MATRIX: Readonly<Record<string, (row: Operation) => 'ok' | 401 | 403 | 404>> = {
  api_key: ({ as }) => (as === 'api_key' ? 'ok' : 403),
  peer_api_key: ({ as }) => (as === 'api_key' ? 'ok' : 403),
  foreign_api_key: ({ on }) => (on === 'intern' ? 404 : 'ok'),
  outsider_api_key: () => 404,
  management_key: () => 401,
  oauth_token: () => 'ok',
  peer_oauth_token: () => 'ok',
  oauth_interns_only_token: ({ name }) => (name.startsWith('sign') ? 403 : 'ok'),
};

export const AUTH = defineChecks([
  {
    id: 'auth/key-needed',
    requirement: 'AUTH-1',
    level: 'S',
    title: 'Without a key, or with a wrong one, every operation is 401 with a code and a message.',
    needs: ['write'],
    async run(ctx) {
      const { interns, send, wrongKey } = ctx;
      const intern = await interns.stopped();
      expect.status(await send(request(ctx, operation('get'), intern.id)), 200, 'the valid twin');
      await each(ctx, 'operations', OPERATIONS, async (row) => {
        for (const as of [null, wrongKey]) {
          const answer = await send(request(ctx, row, intern.id, { as }));
          expect.error(answer, { status: 401 }, `${row.name} ${as === null ? 'without a key' : 'with a wrong key'}`);
        }
      });
      const after = expect.intern(await ctx.api.get(intern.id), 200, 'the read after');
      equal(after.status, intern.status, 'status after the refused requests');
    },
  },
  {
    id: 'auth/key-message',
    requirement: 'AUTH-1',
    level: 'P',
    title: 'The 401 says `Invalid or missing API key`, without metadata.',
    needs: [],
    async run(ctx) {
      await each(ctx, 'operations', BY_KEY, async (row) => {
        for (const as of [null, ctx.wrongKey]) {
          const answer = await ctx.send(request(ctx, row, ctx.interns.unknownId(), { as }));
          const expected = { status: 401, message: 'Invalid or missing API key', metadata: 'absent' } as const;
          expect.error(answer, expected, `${row.name} ${as === null ? 'without a key' : 'with a wrong key'}`);
        }
      });
    },
  },
  {
    id: 'auth/authorization-forms',
    requirement: 'AUTH-1',
    level: 'S',
    title: 'What is no bearer token in Authorization is 401: another scheme, no scheme, no token, a key elsewhere.',
    needs: ['own_key'],
    async run(ctx) {
      const { interns, send, unmet } = ctx;
      const own = await interns.own();
      const path = `/interns/${own.id}`;
      expect.status(await send({ path, as: own.key }), 200, 'the own key as bearer token');
      if (own.key === null || typeof own.key === 'string') return unmet('own_key', 'the key is not told');
      const key = own.key.bearer;
      const forms: Record<string, string>[] = [
        { authorization: key },
        { authorization: `Basic ${key}` },
        { authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` },
        { authorization: `Token ${key}` },
        { authorization: `Bearer${key}` },
        { authorization: 'Bearer' },
        { 'x-api-key': key },
        { cookie: `authorization=${key}` },
      ];
      await each(ctx, 'forms', forms, async (headers) => {
        expect.error(
          await send({ path, as: null, headers }),
          { status: 401 },
          `a read with ${Object.keys(headers)[0]}`,
        );
      });
    },
  },
  {
    id: 'auth/key-exact',
    requirement: 'AUTH-1',
    level: 'S',
    title: 'A key is taken as a whole: cut, lengthened or with one character changed it is 401.',
    needs: ['own_key'],
    async run({ interns, send, property, unmet }) {
      const own = await interns.own();
      const path = `/interns/${own.id}`;
      expect.status(await send({ path, as: own.key }), 200, 'the own key');
      if (own.key === null || typeof own.key === 'string') return unmet('own_key', 'the key is not told');
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
  {
    id: 'auth/matrix',
    requirement: 'AUTH-2',
    level: 'C',
    title: 'Every credential is judged on every operation as the tables of credentials say.',
    needs: [
      'control',
      'write',
      'peer_api_key',
      'foreign_api_key',
      'outsider_api_key',
      'management_key',
      'oauth_token',
      'oauth_interns_only_token',
      'peer_oauth_token',
    ],
    async run(ctx) {
      const intern = await ctx.interns.stopped();
      for (const [as, judge] of Object.entries(MATRIX)) {
        for (const row of OPERATIONS) {
          const expected = judge(row);
          const answer = await ctx.send(harmless(ctx, row, intern.id, as as CredentialName));
          const passed = row.method === 'GET' ? (row.name.startsWith('daemon') ? 409 : 200) : 400;
          expect.status(answer, expected === 'ok' ? passed : expected, `${row.name} as ${as}`);
        }
      }
    },
  },
  {
    id: 'auth/workspace-of-the-key',
    requirement: 'AUTH-2',
    level: 'S',
    title: 'The key selects the workspace: an intern of one is neither listed nor read with a key of another.',
    needs: ['write', 'foreign_api_key', 'foreign_workspace'],
    async run({ api, interns, target }) {
      const ours = await interns.stopped();
      const theirs = await interns.stopped({ workspace_id: target.foreignWorkspaceId }, { as: 'foreign_api_key' });
      const listed = async (as: CredentialName) =>
        expect.page(await api.list({}, { as }), `the list as ${as}`).data.map(({ id }) => id);
      const own = await listed('api_key');
      const foreign = await listed('foreign_api_key');
      ok(own.includes(ours.id) && !own.includes(theirs.id), 'the list of the key', 'its workspace only', own.length);
      ok(foreign.includes(theirs.id) && !foreign.includes(ours.id), 'the list of the other key', 'its workspace only');
      expect.status(await api.get(theirs.id, { as: 'foreign_api_key' }), 200, 'the read with the key of the workspace');
      expect.status(await api.get(theirs.id), 404, 'the read with a key of another workspace');
      expect.status(await api.get(ours.id, { as: 'foreign_api_key' }), 404, 'the read with the foreign key');
      equal(theirs.workspace_id, target.foreignWorkspaceId, 'workspace_id of the foreign intern');
    },
  },
  {
    id: 'auth/workspace-shares-interns',
    requirement: 'AUTH-2',
    level: 'C',
    title: 'Every key and token of a workspace sees all its interns.',
    needs: ['control', 'write', 'peer_api_key', 'peer_oauth_token', 'oauth_token', 'oauth_interns_only_token'],
    async run({ api, interns }) {
      const made = await interns.stopped();
      const peers = await interns.stopped({}, { as: 'peer_api_key' });
      for (const as of [
        'api_key',
        'peer_api_key',
        'peer_oauth_token',
        'oauth_token',
        'oauth_interns_only_token',
      ] as const) {
        for (const { id } of [made, peers]) {
          expect.status(await api.get(id, { as }), 200, `the read as ${as}`);
          const { data } = expect.page(await api.list({}, { as }), `the list as ${as}`);
          ok(
            data.some((intern) => intern.id === id),
            `the list as ${as}`,
            'the intern',
            data.length,
          );
        }
      }
    },
  },
  {
    id: 'auth/own-key-is-a-caller-of-its-own',
    requirement: 'AUTH-2',
    level: 'C',
    title: "One person's key and tokens are one caller; a peer and an own key are others, by what the limiter counts.",
    needs: ['control', 'running', 'own_key', 'peer_api_key', 'oauth_token'],
    async run({ api, interns, control }) {
      const { id, key } = await interns.own({ running: true });
      await control.limit(1);
      expect.status(await api.sign(id, { bodySha256: DIGEST }, { as: 'oauth_token' }), 200, 'the signature');
      const limited = { limited: true };
      expect.status(await api.invoke(id, { input: 'Hi.' }, limited), 429, "an invoke with the same person's key");
      expect.status(await api.invoke(id, { input: 'Hi.' }, { as: 'peer_api_key', ...limited }), 202, "a peer's invoke");
      expect.status(await api.invoke(id, { input: 'Hi.' }, { as: key, ...limited }), 202, 'an invoke with the own key');
      expect.status(await api.invoke(id, { input: 'Hi.' }, { as: key, ...limited }), 429, 'the next with the own key');
    },
  },
  {
    id: 'auth/scim-needs-a-management-key',
    requirement: 'AUTH-6',
    level: 'S',
    title: 'The SCIM read without a credential is 401 `Missing Authentication header`.',
    needs: ['management_key', 'scim_mapping'],
    async run({ api, target }) {
      const id = target.scimMappingId ?? '';
      expect.status(await api.scim(id, { as: 'management_key' }), 200, 'the valid twin');
      const answer = await api.scim(id, { as: null });
      const expected = { status: 401, message: 'Missing Authentication header', metadata: 'absent' } as const;
      expect.error(answer, expected, 'the read without a credential');
      expect.refused(await api.scim(id), 'the read with an API key');
    },
  },
  {
    id: 'auth/scim-other-credentials',
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
  {
    id: 'auth/management-key-on-interns',
    requirement: 'AUTH-6',
    level: 'P',
    title: 'A management key under /interns is 401, on every operation.',
    needs: ['write', 'management_key'],
    async run(ctx) {
      const intern = await ctx.interns.stopped();
      await each(ctx, 'operations', OPERATIONS, async (row) => {
        const answer = await ctx.send(request(ctx, row, intern.id, { as: 'management_key' }));
        expect.error(answer, { status: 401, metadata: 'absent' }, `${row.name} as management_key`);
      });
    },
  },
  {
    id: 'auth/daemon-needs-oauth',
    requirement: 'AUTH-7',
    level: 'S',
    title: 'get_intern_daemon with an API key, of a person or an intern, is 403 personal_identity_required.',
    needs: ['running', 'oauth_token', 'own_key'],
    async run({ api, interns, send }) {
      const own = await interns.own({ running: true });
      if (own.ours) expect.status(await api.daemon(own.id, { as: 'oauth_token' }), 200, 'the valid twin');
      for (const as of ['api_key', own.key] as const) {
        if (as === 'api_key' && !own.ours) continue;
        for (const path of ['daemon', 'daemon-access']) {
          const answer = await send({ path: `/interns/${own.id}/${path}`, as });
          expect.error(answer, { status: 403, reason: 'personal_identity_required' }, `${path} with an API key`);
        }
      }
    },
  },
  {
    id: 'auth/signing-needs-the-vault-grant',
    requirement: 'AUTH-8',
    level: 'S',
    title: 'Signing with an API key or an interns-only grant is 403 personal_identity_required, not retryable.',
    needs: ['write', 'oauth_token', 'oauth_interns_only_token', 'own_key'],
    async run(ctx) {
      const { api, interns, send } = ctx;
      const intern = await interns.stopped();
      const json = { bodySha256: DIGEST };
      expect.status(await api.sign(intern.id, json, { as: 'oauth_token' }), 200, 'the valid twin');
      const own = await interns.own();
      const callers = [
        [intern.id, 'api_key'],
        [intern.id, 'oauth_interns_only_token'],
        [own.id, own.key],
      ] as const;
      for (const [id, as] of picked(ctx, callers)) {
        for (const path of ['daemon/sign', 'daemon-access/sign']) {
          const what = `${path} as ${typeof as === 'string' ? as : 'own key'}`;
          const answer = await send({ method: 'POST', path: `/interns/${id}/${path}`, as, json });
          const message = /^Personal connections require the OIDC login/;
          expect.error(answer, { ...REFUSED, message }, what);
        }
      }
    },
  },
  {
    id: 'auth/oauth-acts-as-its-member',
    requirement: 'AUTH-10',
    level: 'C',
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
]);
