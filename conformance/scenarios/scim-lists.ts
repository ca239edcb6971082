import fc from 'fast-check';
import { equal, match, ok, TIMESTAMP, UUID } from '../model/assert.js';
import { checksOf } from '../run/check.js';
import type { Ctx } from '../run/context.js';
import * as expect from '../run/expect.js';
import { allOf, ask, BAD_REQUEST, GROUPS, MAPPINGS, pageOf } from './steps/directory.js';

const MAPPING = ['created_at', 'id', 'organization_id', 'role', 'scim_group_id', 'updated_at', 'workspace_id'];

const GROUP = ['created_at', 'display_name', 'external_id', 'id', 'organization_id', 'updated_at'];

/** Pages of any size show the entries of the whole list, in its order. */
async function pages(ctx: Ctx, path: string): Promise<void> {
  const whole = await allOf(ctx, path);
  ok(whole.length > 1, `entries of ${path}`, 'more than one', whole.length);
  equal(await allOf(ctx, path), whole, `${path}, listed again`);
  await ctx.property('limits', fc.integer({ min: 1, max: whole.length + 1 }), async (limit) => {
    const found: unknown[] = [];
    for (let offset = 0; offset <= whole.length; offset += limit) {
      const { data, total } = await pageOf(ctx, path, { offset, limit });
      equal(total, whole.length, `total_count of ${path} from ${offset}`);
      equal(data.length, Math.min(limit, Math.max(0, whole.length - offset)), `entries of ${path} from ${offset}`);
      found.push(...data);
    }
    equal(found, whole, `${path} in pages of ${limit}`);
  });
}

async function limits(ctx: Ctx, path: string): Promise<void> {
  const junk = ['', '-1', '1.5', 'ten', '1e1', '0x1', ' 1'];
  for (const query of [{ limit: 1 }, { limit: 100 }, { offset: 0 }, { offset: 1_000_000 }])
    await pageOf(ctx, path, query);
  for (const query of [...[0, 101, ...junk].map((limit) => ({ limit })), ...junk.map((offset) => ({ offset }))])
    expect.error(
      await ask(ctx, 'GET', path, undefined, { query }),
      BAD_REQUEST,
      `${path} with ${JSON.stringify(query)}`,
    );
}

const ofAge = (entries: readonly Record<string, unknown>[]) =>
  [...entries].sort((a, b) => (String(a.created_at) < String(b.created_at) ? -1 : 1));

export const SCIM_LISTS = checksOf('SCIM-3', {
  'scim/list': {
    title: 'The list is {data, total_count}, and shows a mapping as its read does.',
    needs: ['management_key', 'scim_mapping'],
    async run(ctx) {
      const id = ctx.target.scimMappingId?.toLowerCase();
      const listed = (await allOf(ctx, MAPPINGS)).filter((one) => String(one.id).toLowerCase() === id);
      equal(listed.length, 1, 'how often the mapping is in the list');
      equal(Object.keys(listed[0] ?? {}).sort(), MAPPING, 'fields of the mapping in the list');
      const read = await ctx.api.scim(id ?? '', { as: 'management_key' });
      equal(read.json, { data: listed[0] }, 'the mapping as it is read');
      const organizations = new Set((await allOf(ctx, MAPPINGS)).map((one) => one.organization_id));
      equal([...organizations], [listed[0]?.organization_id], 'organizations of the mappings in the list');
    },
  },
  'scim/list-limits': {
    level: 'C',
    title: 'Mappings are listed oldest first. Limits are 1 to 100, and offsets 0 or more. Any other value is 400.',
    needs: ['control', 'management_key'],
    async run(ctx) {
      const all = await allOf(ctx, MAPPINGS);
      equal(all, ofAge(all), 'the list, oldest first');
      await limits(ctx, MAPPINGS);
    },
  },
  'scim/groups': {
    requirement: 'SCIM-6',
    title: 'A group is listed with exactly its fields: external_id is a string or null.',
    needs: ['management_key', 'scim_group'],
    async run(ctx) {
      const id = ctx.target.scimGroupId?.toLowerCase();
      const groups = await allOf(ctx, GROUPS);
      equal(groups.filter((one) => String(one.id).toLowerCase() === id).length, 1, 'how often the group is listed');
      for (const group of groups) {
        equal(Object.keys(group).sort(), GROUP, 'fields of a group');
        match(group.id, UUID, 'id of a group');
        for (const key of ['organization_id', 'display_name']) match(group[key], /./, `${key} of a group`);
        for (const key of ['created_at', 'updated_at']) match(group[key], TIMESTAMP, `${key} of a group`);
        const { external_id } = group;
        ok(external_id === null || typeof external_id === 'string', 'external_id', 'a string or null', external_id);
      }
    },
  },
  'scim/groups-pages': {
    requirement: 'SCIM-6',
    title: 'Pages of groups of any size give the whole list in one order. total_count counts the whole list.',
    needs: ['control', 'management_key'],
    maxRuns: 20,
    run: (ctx) => pages(ctx, GROUPS),
  },
  'scim/by-offset': {
    requirement: 'SCIM-6',
    title: 'An offset counts entries, and total_count is that of the whole list, however small the page.',
    needs: ['management_key', 'scim_group'],
    async run(ctx) {
      const id = ctx.target.scimGroupId?.toLowerCase();
      const holds = (page: Awaited<ReturnType<typeof pageOf>>) =>
        page.data.some((one) => String(one.id).toLowerCase() === id);
      const has = async (offset: number, limit: number) => holds(await pageOf(ctx, GROUPS, { offset, limit }));
      const pages = [];
      for (const path of [GROUPS, MAPPINGS]) {
        const small = (await pageOf(ctx, path, { limit: 1 })).total;
        const whole = await pageOf(ctx, path, { offset: 0, limit: 100 });
        pages.push(whole);
        if (small === whole.total) continue;
        const again = (await pageOf(ctx, path, { limit: 1 })).total;
        ctx.undisturbed(small === again, `total_count of ${path}`, small, again);
        equal(small, whole.total, `total_count of ${path} in a page of 1`);
      }
      const [groups] = pages;
      if (groups === undefined) return;
      ctx.assume(holds(groups), 'the group among the first hundred');
      let [least, most] = [0, Math.min(groups.total, 100) - 1];
      while (least < most) {
        const middle = Math.floor((least + most) / 2);
        if (await has(0, middle + 1)) most = middle;
        else least = middle + 1;
      }
      const found = await has(least, 2);
      if (!found) ctx.undisturbed(await has(0, least + 1), 'the place of the group', least, 'another');
      equal(found, true, 'whether a page begins with the entry at its offset');
    },
  },
  'scim/groups-limits': {
    requirement: 'SCIM-6',
    level: 'C',
    title: 'The limits of the list of groups are those of the mappings.',
    needs: ['control', 'management_key'],
    run: (ctx) => limits(ctx, GROUPS),
  },
  'scim/failure': {
    requirement: 'SCIM-2',
    title: 'A failure of the server is 500 `Internal Server Error` without metadata.',
    needs: ['control', 'management_key', 'scim_mapping'],
    async run({ api, target, control }) {
      const id = target.scimMappingId ?? '';
      await control.fault({ operation: 'scim', status: 500 });
      const failed = await api.scim(id, { as: 'management_key' });
      expect.error(failed, { status: 500, message: 'Internal Server Error', metadata: 'absent' }, 'a failing read');
      expect.status(await api.scim(id, { as: 'management_key' }), 200, 'the read after it');
    },
  },
});
