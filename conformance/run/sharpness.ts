import score from '../deviations/score.json' with { type: 'json' };
import type { Results } from './results.js';

/** How many of the named deviations of an emulator this kit was seen to catch: written down by `npm run deviations`. */
export const SHARPNESS: NonNullable<Results['sharpness']> = score.deviations;
