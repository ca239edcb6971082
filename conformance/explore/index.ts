/** What `intern-emulator/explore` exports. */
export { explore } from './explore.js';
export { ExploreError, type ExploreOptions, type ExploreReport, type Program } from './types.js';
