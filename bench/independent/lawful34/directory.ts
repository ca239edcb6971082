import { isJson } from '../call.js';
import type { Way } from '../world.js';

const ROLES = ['member', 'workspace_owner', 'billing_admin'];

export const directory: readonly Way[] = [
  {
    // A directory changes its groups whenever it likes. The roles are not shown.
    name: 'the role of a mapping changes between two reads',
    lawful: true,
    unpublished: true,
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
];
