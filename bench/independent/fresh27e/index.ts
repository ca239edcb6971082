import type { Way } from '../world.js';
import { access } from './access.js';
import { chunks } from './chunks.js';
import { creates } from './creates.js';
import { envelopes } from './envelopes.js';
import { invoke } from './invoke.js';
import { lifecycle } from './lifecycle.js';
import { lists } from './lists.js';
import { mappings } from './mappings.js';
import { peculiar } from './peculiar.js';
import { sessions } from './sessions.js';
import { asWays, type Fresh } from './shared.js';
import { signing } from './signing.js';
import { updates } from './updates.js';
import { visibility } from './visibility.js';

const parts: readonly Fresh[] = [
  visibility,
  lists,
  creates,
  updates,
  lifecycle,
  access,
  signing,
  chunks,
  sessions,
  invoke,
  mappings,
  envelopes,
  peculiar,
];
export const fresh27e: readonly Way[] = parts.flatMap(asWays);
