import { brief } from '../framework/assert.js';

/** An error of the kit itself. */
export const faultOf = (error: unknown) => ({
  message: error instanceof Error ? `${error.name}: ${error.message}` : brief(error),
  ...(error instanceof Error && error.stack !== undefined ? { stack: error.stack } : {}),
});
