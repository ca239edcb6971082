import { brief } from '../framework/assert.js';

/** What the kit itself did wrong. */
export const faultOf = (error: unknown) => ({
  message: error instanceof Error ? `${error.name}: ${error.message}` : brief(error),
  ...(error instanceof Error && error.stack !== undefined ? { stack: error.stack } : {}),
});
