import { failed } from '../answers.js';
import { memberOf } from '../lawful31/helpers.js';
import { asked } from '../lawful34/helpers.js';
import type { Way } from '../world.js';
import { isOrdinary } from './helpers.js';

export const credentials: readonly Way[] = [
  {
    // A visible intern can be deleted, suspended and provisioned. Who may update it is not stated.
    name: 'a colleague sees an intern and may not change its settings: 403',
    lawful: true,
    unpublished: true,
    quote: 'The API key selects the caller, the workspace and the visible interns.',
    wrong(world) {
      const creators = new Map<string, string>();
      return async (call, next) => {
        if (call.op === 'update' && isOrdinary(call)) {
          const creator = creators.get(call.id.toLowerCase()) ?? 'caller';
          if (creator !== memberOf(call.who) && (await asked(world, call)) !== undefined) {
            world.hit();
            return failed(403, 'Only its creator may change an intern', 'forbidden');
          }
        }
        const response = await next();
        if (call.op === 'create' && response.ok) {
          const { id } = (await response.clone().json()) as { id: string };
          if (!creators.has(id)) creators.set(id, memberOf(call.who));
        }
        return response;
      };
    },
  },
];
