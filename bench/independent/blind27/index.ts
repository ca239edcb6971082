import type { Way } from '../world.js';
import { streams } from './chat.js';
import { creates, mixed, retries } from './creates.js';
import { access, signing } from './daemons.js';
import { invoking } from './invoke.js';
import { credentials, visibility } from './keys.js';
import { bodies, deletes, running } from './lifecycle.js';
import { lists } from './lists.js';
import { questions } from './questions.js';
import { reads, updates } from './reads.js';
import { errors, lawful, mappings, versions } from './rest.js';

/** All from interface.md alone, by a reader who saw neither the checks nor what they missed before. */
export const blind27: readonly Way[] = [
  ...lists,
  ...creates,
  ...retries,
  ...mixed,
  ...reads,
  ...updates,
  ...deletes,
  ...running,
  ...bodies,
  ...visibility,
  ...credentials,
  ...streams,
  ...questions,
  ...invoking,
  ...access,
  ...signing,
  ...mappings,
  ...errors,
  ...versions,
  ...lawful,
];
