import type { Way } from '../world.js';
import { chat } from './chat.js';
import { errors } from './errors.js';
import { general } from './general.js';
import { invoking } from './invoking.js';
import { lifecycle } from './lifecycle.js';
import { mappings } from './mappings.js';
import { rightly } from './rightly.js';
import { signing } from './signing.js';

export const blind30: readonly Way[] = [
  ...general,
  ...lifecycle,
  ...signing,
  ...mappings,
  ...chat,
  ...invoking,
  ...errors,
  ...rightly,
];
