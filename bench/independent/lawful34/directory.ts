import { failed } from '../answers.js';
import { isJson } from '../call.js';
import { chained } from '../lawful31/helpers.js';
import type { Way } from '../world.js';

const ROLES = ['member', 'workspace_owner', 'billing_admin'];

export const directory: readonly Way[] = [
  {
    // A directory changes its groups whenever it likes. The roles are not shown.
    name: 'the role of a mapping changes between two reads',
    lawful: true,
    quote: 'Allowed values of role: not shown.',
    wrong: (world) => {
      let turn = 0;
      let at = '';
      return world.ok('*', (body, { url, op }) => {
        if (!url.pathname.includes('/scim/group-mappings')) return;
        for (const row of Array.isArray(body.data) ? (body.data as unknown[]) : [body.data]) {
          if (!isJson(row) || row.id !== world.target.scim_mapping_id) continue;
          if (turn > 0) Object.assign(row, { role: ROLES[turn % ROLES.length], updated_at: at });
          if (op !== 'scim') continue;
          turn += 1;
          at = new Date(world.setting.host.now()).toISOString();
        }
      });
    },
  },
  {
    // Whoever manages the organization deletes it in between.
    name: 'a mapping is deleted after its third read',
    lawful: true,
    quote: '404 | Resource not found | Mapping unknown.',
    wrong: (world) => {
      const mapping = world.target.scim_mapping_id;
      let count = 0;
      const reads = world.later('scim', ({ ok }, { id }) => {
        if (!ok || id.toLowerCase() !== mapping) return undefined;
        count += 1;
        return count > 3 ? failed(404, 'Resource not found') : undefined;
      });
      const lists = world.ok('*', (body, { url, op }) => {
        if (op === 'scim' || count < 3 || !url.pathname.endsWith('/scim/group-mappings')) return;
        if (!Array.isArray(body.data)) return;
        const left = body.data.filter((row) => !isJson(row) || row.id !== mapping);
        body.total_count = Number(body.total_count) - (body.data.length - left.length);
        body.data = left;
      });
      return chained(reads, lists);
    },
  },
];
