import { createRequire } from 'node:module';
import type crossSpawn from 'cross-spawn';

/**
 * Starts commands as `child_process.spawn` does. On Windows `npm` is npm.cmd, which Node starts only through a shell that
 * needs its own quotes. It is CommonJS, and asks for modules of Node by `require`.
 */
export const spawn = createRequire(import.meta.url)('cross-spawn') as typeof crossSpawn;
