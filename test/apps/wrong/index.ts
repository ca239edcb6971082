import type { WrongApp } from '../app.js';
import { IMPOLITE } from './impolite.js';
import { READS } from './reads.js';
import { RECORDS } from './records.js';
import { TWICE } from './twice.js';

/** Apps that are wrong in one way each. */
export const WRONG: readonly WrongApp[] = [...READS, ...RECORDS, ...TWICE, ...IMPOLITE];
