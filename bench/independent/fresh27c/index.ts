import type { Way } from '../world.js';
import { access } from './access.js';
import { chat } from './chat.js';
import { creates } from './creates.js';
import { daemon } from './daemon.js';
import { invoke } from './invoke.js';
import { lifecycle } from './lifecycle.js';
import { limits } from './limits.js';
import { lists } from './lists.js';
import { mappings } from './mappings.js';
import { media } from './media.js';
import { questions } from './questions.js';
import { reads } from './reads.js';
import { sessions } from './sessions.js';
import { signing } from './signing.js';
import { teardown } from './teardown.js';
import { updates } from './updates.js';

export const fresh27c: readonly Way[] = [
  ...access,
  ...lists,
  ...reads,
  ...creates,
  ...updates,
  ...lifecycle,
  ...teardown,
  ...chat,
  ...questions,
  ...sessions,
  ...invoke,
  ...daemon,
  ...signing,
  ...mappings,
  ...media,
  ...limits,
];
