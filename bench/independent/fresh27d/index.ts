import type { Way } from '../world.js';
import { chat } from './chat.js';
import { creates } from './creates.js';
import { daemon } from './daemon.js';
import { envelopes } from './envelopes.js';
import { waysOf } from './form.js';
import { invoke } from './invoke.js';
import { lawful } from './lawful.js';
import { lists } from './lists.js';
import { scim } from './scim.js';
import { signing } from './signing.js';
import { streams } from './streams.js';
import { teardown } from './teardown.js';
import { updates } from './updates.js';
import { vault } from './vault.js';
import { visibility } from './visibility.js';

export const fresh27d: readonly Way[] = [
  visibility,
  lists,
  creates,
  updates,
  teardown,
  vault,
  chat,
  streams,
  invoke,
  daemon,
  signing,
  scim,
  envelopes,
  lawful,
].flatMap(waysOf);
