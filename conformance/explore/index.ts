/** The exports of `intern-emulator/explore`. */
export { explore } from './explore.js';
export { ExploreError, type ExploreOptions, type ExploreReport, type Program } from './types.js';
