import { equal, match, notEqual, ok, TIMESTAMP, UUID } from '../model/assert.js';
import { idAsShown } from '../model/exchange.js';
import type { As } from '../probe/request.js';
import { checksOf } from '../run/check.js';
import * as expect from '../run/expect.js';
import {
  allOf,
  ask,
  BAD_REQUEST,
  entryOf,
  free,
  GROUPS,
  JOBS,
  listedMappings,
  MAPPINGS,
  mapped,
  NOT_FOUND,
  readMapping,
} from './steps/directory.js';

const FIELDS = ['created_at', 'id', 'organization_id', 'role', 'scim_group_id', 'updated_at', 'workspace_id'];
const WRITES = ['write', 'management_key', 'scim_group'] as const;

export const SCIM_MAPPINGS = checksOf('SCIM-4', {
  'scim/create': {
    title: 'A create answers 201 with the mapping as it was sent, which is read and listed like that.',
    needs: WRITES,
    async run(ctx) {
      const body = await free(ctx);
      const answer = await ask(ctx, 'POST', MAPPINGS, body);
      const mapping = entryOf(answer, 'the create of a mapping');
      try {
        expect.status(answer, 201, 'the create of a mapping');
        equal(Object.keys(mapping).sort(), FIELDS, 'fields of the mapping');
        for (const [key, value] of Object.entries(body))
          equal(mapping[key], idAsShown(value, mapping[key]), `${key} of the mapping`);
        match(mapping.id, UUID, 'id of the mapping');
        for (const key of ['created_at', 'updated_at']) match(mapping[key], TIMESTAMP, `${key} of the mapping`);
        const read = await readMapping(ctx, mapping.id, ({ status }) => status === 200);
        equal(entryOf(read, 'the read of the mapping'), mapping, 'the mapping as it is read');
        const listed = await listedMappings(
          ctx,
          ({ id }) => id === mapping.id,
          ({ length }) => length > 0,
        );
        equal(listed, [mapping], 'the mapping in the list');
      } finally {
        await ask(ctx, 'DELETE', `${MAPPINGS}/${mapping.id}?keep_members=false`);
      }
    },
  },
  'scim/create-again': {
    title: 'The same group, workspace and role again succeeds and makes no second mapping; another role is 409.',
    needs: WRITES,
    run: (ctx) =>
      mapped(ctx, async (mapping, body) => {
        const again = entryOf(await ask(ctx, 'POST', MAPPINGS, body), 'the same create again');
        equal(again.id, mapping.id, 'id of the same create again');
        const other = await ask(ctx, 'POST', MAPPINGS, { ...body, role: 'admin' });
        expect.error(other, { status: 409, metadata: 'absent' }, 'a create with another role');
        const listed = await listedMappings(
          ctx,
          (one) => one.scim_group_id === mapping.scim_group_id && one.workspace_id === mapping.workspace_id,
          ([first, ...more]) => first?.id === mapping.id && first?.role === 'member' && more.length === 0,
        );
        equal(
          listed.map(({ id, role }) => [id, role]),
          [[mapping.id, 'member']],
          'mappings of the group',
        );
      }),
  },
  'scim/create-again-touches': {
    level: 'C',
    title: 'The same create again is 201, with updated_at moved on and created_at kept.',
    needs: ['control', ...WRITES],
    run: (ctx) =>
      mapped(ctx, async (mapping, body) => {
        const answer = await ask(ctx, 'POST', MAPPINGS, body);
        expect.status(answer, 201, 'the same create again');
        const { updated_at, ...rest } = entryOf(answer, 'the same create again');
        const { updated_at: before, ...was } = mapping;
        equal(rest, was, 'the mapping but for updated_at');
        ok(String(updated_at) > String(before), 'updated_at', 'later than before', updated_at);
      }),
  },
  'scim/create-refused': {
    title: 'What is no {scim_group_id, workspace_id, role} is 400.',
    needs: WRITES,
    async run(ctx) {
      const body = await free(ctx);
      const bodies: unknown[] = [
        { ...body, role: null },
        { ...body, role: undefined },
        { ...body, workspace_id: undefined },
        { ...body, workspace_id: 7 },
        { ...body, workspace_id: 'no-uuid' },
      ];
      for (const json of [{ ...body, role: 'owner' }, ...ctx.sample(bodies)]) {
        const answer = await ask(ctx, 'POST', MAPPINGS, json);
        if (answer.status < 300) await ask(ctx, 'DELETE', `${MAPPINGS}/${entryOf(answer, 'it').id}?keep_members=false`);
        const { role, workspace_id } = json as Record<string, unknown>;
        expect.error(answer, { status: 400 }, `a create with ${JSON.stringify({ role, workspace_id })}`);
      }
    },
  },
  'scim/create-elsewhere': {
    level: 'C',
    title: 'A group or workspace of no or another organization is 404; ids match in any case; unknown fields are 400.',
    needs: ['control', 'disposable', ...WRITES],
    async run(ctx) {
      const body = await free(ctx);
      const target = (await (await ctx.control.call('GET', '/target')).json()) as Record<string, unknown>;
      for (const scim_group_id of [ctx.interns.unknownId(), target.foreign_scim_group_id])
        expect.error(await ask(ctx, 'POST', MAPPINGS, { ...body, scim_group_id }), NOT_FOUND, 'a group of others');
      for (const workspace_id of [ctx.interns.unknownId(), target.foreign_organization_workspace_id])
        expect.error(await ask(ctx, 'POST', MAPPINGS, { ...body, workspace_id }), NOT_FOUND, 'a workspace of others');
      for (const json of [{ ...body, colour: 'red' }, { ...body, scim_group_id: 'no-uuid' }, [], null])
        expect.error(await ask(ctx, 'POST', MAPPINGS, json), BAD_REQUEST, `a create of ${JSON.stringify(json)}`);
      const upper = { ...body, scim_group_id: body.scim_group_id.toUpperCase() };
      const { id, ...made } = entryOf(await ask(ctx, 'POST', MAPPINGS, upper), 'a create in upper case');
      equal(made.scim_group_id, body.scim_group_id, 'scim_group_id of the mapping');
      await ask(ctx, 'DELETE', `${MAPPINGS}/${id}?keep_members=false`);
    },
  },
  'scim/update': {
    requirement: 'SCIM-5',
    title: 'An update changes the role alone: the mapping is answered with it, and created_at stays.',
    needs: WRITES,
    run: (ctx) =>
      mapped(ctx, async (mapping) => {
        const path = `${MAPPINGS}/${mapping.id}`;
        const answer = await ask(ctx, 'PATCH', path, { role: 'admin' });
        const { updated_at, ...rest } = entryOf(answer, 'an update');
        expect.status(answer, 200, 'an update');
        match(updated_at, TIMESTAMP, 'updated_at');
        const { updated_at: _, ...was } = mapping;
        equal(rest, { ...was, role: 'admin' }, 'the mapping but for updated_at');
        const read = await readMapping(ctx, mapping.id, ({ text }) => text.includes('"admin"'));
        equal(entryOf(read, 'the read after an update'), { ...rest, updated_at }, 'the mapping as it is read');
      }),
  },
  'scim/update-touches': {
    requirement: 'SCIM-5',
    level: 'C',
    title: 'An update to the role that is there moves updated_at on; what is no role is 400, an unknown mapping 404.',
    needs: ['control', ...WRITES],
    run: (ctx) =>
      mapped(ctx, async (mapping) => {
        const path = `${MAPPINGS}/${mapping.id}`;
        const same = entryOf(await ask(ctx, 'PATCH', path, { role: mapping.role }), 'an update');
        ok(String(same.updated_at) > String(mapping.updated_at), 'updated_at', 'later than before', same.updated_at);
        for (const json of [{ role: 'owner' }, {}, { role: 'admin', colour: 'red' }, null])
          expect.error(await ask(ctx, 'PATCH', path, json), BAD_REQUEST, `an update to ${JSON.stringify(json)}`);
        const unknown = `${MAPPINGS}/${ctx.interns.unknownId()}`;
        for (const json of [{ role: 'admin' }, { role: 'owner' }])
          expect.error(await ask(ctx, 'PATCH', unknown, json), NOT_FOUND, 'an update of an unknown mapping');
      }),
  },
  'scim/delete': {
    requirement: 'SCIM-5',
    title:
      'A delete says whether members are kept, or is 400 and deletes nothing; then it is {deleted: true}, and 404.',
    needs: WRITES,
    async run(ctx) {
      for (const keep of ctx.sample(['true', 'false'])) {
        await mapped(ctx, async ({ id }) => {
          const path = `${MAPPINGS}/${id}`;
          expect.error(await ask(ctx, 'DELETE', path), { status: 400 }, 'a delete without keep_members');
          const kept = await readMapping(ctx, id, ({ status }) => status === 200);
          expect.status(kept, 200, 'the read after a refused delete');
          const answer = await ask(ctx, 'DELETE', `${path}?keep_members=${keep}`);
          expect.status(answer, 200, 'the delete');
          equal(answer.json, { deleted: true }, 'body of a delete');
          const read = await readMapping(ctx, id, ({ status }) => status === 404);
          expect.error(read, { status: 404 }, 'the read after a delete');
          const gone = await listedMappings(
            ctx,
            (one) => one.id === id,
            ({ length }) => length === 0,
          );
          equal(gone, [], 'the mapping in the list');
        });
      }
    },
  },
  'scim/delete-refused': {
    requirement: 'SCIM-5',
    level: 'C',
    title: 'keep_members as another word or twice is 400; an unknown mapping is 404 before that is judged.',
    needs: ['control', ...WRITES],
    run: (ctx) =>
      mapped(ctx, async ({ id }) => {
        for (const query of [
          'keep_members=',
          'keep_members=yes',
          'keep_members=TRUE',
          'keep_members=true&keep_members=true',
        ])
          expect.error(await ask(ctx, 'DELETE', `${MAPPINGS}/${id}?${query}`), BAD_REQUEST, `a delete with ${query}`);
        expect.status(await ask(ctx, 'GET', `${MAPPINGS}/${id}`), 200, 'the read after refused deletes');
        for (const query of ['', '?keep_members=true']) {
          const unknown = await ask(ctx, 'DELETE', `${MAPPINGS}/${ctx.interns.unknownId()}${query}`);
          expect.error(unknown, NOT_FOUND, 'the delete of an unknown mapping');
        }
      }),
  },
  'scim/all-but-the-read-need-a-key': {
    requirement: 'AUTH-6',
    level: 'P',
    title: 'Every operation of SCIM is 401 without a valid key, and an API key reads none of its lists.',
    needs: ['management_key', 'write'],
    async run(ctx) {
      const nobody = ctx.interns.unknownId();
      // No resource has this id: a write that is taken changes nothing.
      const operations: readonly (readonly [string, string, unknown?])[] = [
        ['GET', MAPPINGS],
        ['GET', GROUPS],
        ['GET', `${JOBS}/${nobody}`],
        ['POST', MAPPINGS, { scim_group_id: nobody, workspace_id: nobody, role: 'member' }],
        ['PATCH', `${MAPPINGS}/${nobody}`, { role: 'member' }],
        ['DELETE', `${MAPPINGS}/${nobody}?keep_members=true`],
      ];
      for (const [method, path, json] of operations) {
        const what = `${method} ${path.replace(nobody, 'ID')}`;
        const none = await ask(ctx, method, path, json, { as: null });
        expect.error(none, { status: 401, message: 'Missing Authentication header', metadata: 'absent' }, what);
        expect.status(await ask(ctx, method, path, json, { as: ctx.wrongKey }), 401, `${what} with a wrong key`);
      }
      for (const path of [MAPPINGS, GROUPS]) {
        const answer = await ask(ctx, 'GET', path, undefined, { as: 'api_key' });
        expect.status(answer, [401, 403, 404], `GET ${path} with an API key`);
      }
    },
  },
  'scim/all-need-a-management-key': {
    requirement: 'AUTH-6',
    level: 'C',
    title: 'Every operation of SCIM is 401 `Missing Authentication header` with any other credential, and with none.',
    needs: ['control', 'disposable', 'management_key', 'scim_mapping', 'scim_group', 'oauth_token'],
    async run(ctx) {
      const id = ctx.target.scimMappingId ?? '';
      const body = { scim_group_id: ctx.target.scimGroupId, workspace_id: ctx.target.workspaceId, role: 'member' };
      const operations: readonly (readonly [string, string, unknown?])[] = [
        ['GET', MAPPINGS],
        ['POST', MAPPINGS, body],
        ['GET', `${MAPPINGS}/${id}`],
        ['PATCH', `${MAPPINGS}/${id}`, { role: 'admin' }],
        ['DELETE', `${MAPPINGS}/${id}?keep_members=true`],
        ['GET', GROUPS],
        ['POST', JOBS],
        ['GET', `${JOBS}/${id}`],
      ];
      const expected = { status: 401, message: 'Missing Authentication header', metadata: 'absent' } as const;
      const others: As[] = [null, 'api_key', 'oauth_token', ctx.wrongKey];
      for (const [method, path, json] of operations)
        for (const as of others)
          expect.error(await ask(ctx, method, path, json, { as }), expected, `${method} ${path}`);
      expect.status(await ask(ctx, 'GET', `${MAPPINGS}/${id}`), 200, 'the mapping after refused requests');
      notEqual((await allOf(ctx, MAPPINGS)).length, 0, 'mappings after refused requests');
    },
  },
});
