import { failed } from '../answers.js';
import { isJson } from '../call.js';
import type { Way } from '../world.js';

const ROLES = ['member', 'workspace_owner', 'billing_admin'];

export const directory: readonly Way[] = [
  {
    // A directory changes its groups whenever it likes. The roles are not shown.
    name: 'the role of a mapping changes between two reads',
    lawful: true,
    quote: 'Allowed values of role: not shown.',
    wrong: (world) => {
      let count = 0;
      return world.ok('scim', (body) => {
        if (!isJson(body.data)) return;
        count += 1;
        const turn = Math.floor(count / 2);
        if (turn === 0) return;
        body.data.role = ROLES[turn % ROLES.length];
        body.data.updated_at = new Date(world.setting.host.now()).toISOString();
      });
    },
  },
  {
    // Whoever manages the organization deletes it in between.
    name: 'a mapping is deleted after its third read',
    lawful: true,
    quote: '404 | Resource not found | Mapping unknown.',
    wrong: (world) => {
      let count = 0;
      return world.later('scim', ({ ok }) => {
        if (!ok) return undefined;
        count += 1;
        return count > 3 ? failed(404, 'Resource not found') : undefined;
      });
    },
  },
];
