import type { Way } from '../world.js';
import { access } from './access.js';
import { bodies } from './bodies.js';
import { chats } from './chats.js';
import { creates } from './creates.js';
import { daemons } from './daemons.js';
import { invokes } from './invokes.js';
import { lists } from './lists.js';
import { mappings } from './mappings.js';
import { questions } from './questions.js';
import { settings } from './settings.js';
import { signing } from './signing.js';
import { states } from './states.js';

export const shown27: readonly Way[] = [
  ...lists,
  ...creates,
  ...settings,
  ...states,
  ...chats,
  ...questions,
  ...invokes,
  ...daemons,
  ...signing,
  ...mappings,
  ...access,
  ...bodies,
];
