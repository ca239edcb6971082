import type { Way } from '../world.js';
import { conversations, streams } from './chat.js';
import { invoking } from './invoke.js';
import { errors, lifecycle, limits } from './lifecycle.js';
import { access, mappings, signing } from './signing.js';
import { lists, visibility } from './visibility.js';

/** Thought of from the interface alone, by somebody who had seen neither the checks nor the mutants. */
export const blind: readonly Way[] = [
  ...lifecycle,
  ...limits,
  ...errors,
  ...lists,
  ...visibility,
  ...streams,
  ...conversations,
  ...invoking,
  ...signing,
  ...access,
  ...mappings,
];
