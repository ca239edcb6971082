import { createBodySchema } from '../contract/intern.js';

/**
 * Loads what the first requests need, while nobody waits for it: once the emulator has said that it is ready. A request
 * that comes sooner loads it itself.
 */
export async function warmUp(): Promise<void> {
  await import('@hono/node-server');
  createBodySchema({})();
}
