import type { Way } from '../world.js';
import { chat } from './chat.js';
import { creates } from './creates.js';
import { daemon } from './daemon.js';
import { envelopes } from './envelopes.js';
import { invoke } from './invoke.js';
import { lifecycle } from './lifecycle.js';
import { lists } from './lists.js';
import { mappings } from './mappings.js';
import { peculiar } from './peculiar.js';
import { signing } from './signing.js';
import { turns } from './turns.js';
import { updates } from './updates.js';
import { visibility } from './visibility.js';

export const fresh27f: readonly Way[] = [
  ...visibility,
  ...lists,
  ...creates,
  ...updates,
  ...lifecycle,
  ...chat,
  ...turns,
  ...invoke,
  ...daemon,
  ...signing,
  ...mappings,
  ...envelopes,
  ...peculiar,
];
