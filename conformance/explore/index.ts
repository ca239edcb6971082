/** What `intern-emulator/explore` exports. */
export { explore } from './explore.js';
export * from './types.js';
