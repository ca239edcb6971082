/** The client lab in process: `intern-emulator/lab` (LAB-7). Everything public, nothing else. */
export type { Chat, ClientCase, Expectation, SseEvent, ToolCall } from '../../emulator/contract/client-case.js';
export type { LabRequest, LabRun } from '../../emulator/contract/lab-run.js';
export { cases } from '../../emulator/lab/cases.js';
export { serve } from '../../emulator/lab/serve.js';
export type { Difference } from '../framework/difference.js';
export type { ClientAnswer } from './answer.js';
export { type CutOptions, type Cuts, cutsOf } from './cuts.js';
export { type Counterexample, checkInProcess, type Reader } from './in-process.js';
export { type Judgement, judge, type Seen } from './judge.js';
