import { createBodySchema } from '../contract/intern.js';

/**
 * Loads what the first requests need, once the emulator is ready and nobody waits for it. An earlier request loads it
 * itself.
 */
export async function warmUp(): Promise<void> {
  await import('@hono/node-server');
  createBodySchema({})();
}
