import type { Check } from '../check.js';
import { SAMPLES } from './samples.js';

/** Every check, area by area. */
export const checks: readonly Check[] = [...SAMPLES];
