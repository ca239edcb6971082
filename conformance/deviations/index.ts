import { AUTH } from './auth.js';
import { BASE } from './base.js';
import { CREATE } from './create.js';
import type { Deviation } from './deviation.js';
import { LIST } from './list.js';

/** Every deviation, area by area. */
export const deviations: readonly Deviation[] = [...BASE, ...AUTH, ...LIST, ...CREATE];
