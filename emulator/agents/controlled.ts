/** The parts of the control interface that are loaded at its first call: many emulators are never controlled. */

export { labRows } from '../control/lab.js';
export { openApiRow } from '../control/openapi-row.js';
export { createRouter } from '../control/router.js';
export { controlRows } from '../control/rows.js';
export { signingLab } from '../control/signing.js';
export { agentRows } from './row.js';
