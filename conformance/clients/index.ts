/** The client lab in process: `intern-emulator/lab` (LAB-7). Everything public, nothing else. */
export { cases } from '../../emulator/lab/cases.js';
export { serve } from '../../emulator/lab/serve.js';
export { cutsOf } from './cuts.js';
export { checkInProcess } from './in-process.js';
export { judge } from './judge.js';
