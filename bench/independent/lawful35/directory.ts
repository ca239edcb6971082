import { isJson } from '../call.js';
import { everyNth } from '../lawful30/helpers.js';
import type { Way } from '../world.js';

const GROUP = '0d000000-0000-4000-8000-000000000002';

export const directory: readonly Way[] = [
  {
    name: 'a sync touches each mapping every ten seconds',
    lawful: true,
    quote: 'updated_at | Last update time.',
    wrong: (world) =>
      world.ok('*', ({ data }, { url }) => {
        if (!url.pathname.includes('/scim/group-mappings')) return;
        const touched = new Date(Math.floor(world.setting.host.now() / 10_000) * 10_000).toISOString();
        for (const mapping of [data].flat())
          if (isJson(mapping) && touched > String(mapping.updated_at)) mapping.updated_at = touched;
      }),
  },
  {
    name: 'a read of a mapping may be five seconds old',
    lawful: true,
    unpublished: true,
    quote: 'nothing says otherwise',
    wrong(world) {
      const kept = new Map<string, { at: number; text: string }>();
      return async (call, next) => {
        if (call.op !== 'scim' || call.who !== 'management_key' || call.regional) return next();
        const now = world.setting.host.now();
        const known = kept.get(call.id.toLowerCase());
        if (known !== undefined && now - known.at < 5_000) {
          world.hit();
          const age = String(Math.floor((now - known.at) / 1_000));
          return new Response(known.text, { headers: { 'content-type': 'application/json', age } });
        }
        const response = await next();
        if (response.ok) kept.set(call.id.toLowerCase(), { at: now, text: await response.clone().text() });
        return response;
      };
    },
  },
  {
    name: 'an administrator makes and deletes a mapping of his meanwhile',
    lawful: true,
    quote: 'nothing says otherwise',
    wrong(world) {
      let made: string | undefined;
      const due = everyNth(4);
      return async ({ url }, next) => {
        if (!url.pathname.includes('/scim/') || !due()) return next();
        world.hit();
        if (made !== undefined) {
          await world.ask('DELETE', `/scim/group-mappings/${made}?keep_members=true`, { as: 'management_key' });
          made = undefined;
        } else {
          const body = { scim_group_id: GROUP, workspace_id: world.workspaces.own, role: 'member' };
          const response = await world.ask('POST', '/scim/group-mappings', { as: 'management_key', body });
          made = response.ok ? ((await response.json()) as { data: { id: string } }).data.id : undefined;
        }
        return next();
      };
    },
  },
];
