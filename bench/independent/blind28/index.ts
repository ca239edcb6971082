import type { Way } from '../world.js';
import { callers } from './callers.js';
import { chat } from './chat.js';
import { creates } from './creates.js';
import { daemon } from './daemon.js';
import { envelopes } from './envelopes.js';
import { invoke } from './invoke.js';
import { lawful } from './lawful.js';
import { lists } from './lists.js';
import { mappings } from './mappings.js';
import { asWays } from './parts.js';
import { proofs } from './proofs.js';
import { signing } from './signing.js';
import { teardown } from './teardown.js';
import { updates } from './updates.js';

/** By a reader of interface.md alone. */
export const blind28: readonly Way[] = [
  lists,
  creates,
  updates,
  teardown,
  callers,
  daemon,
  signing,
  proofs,
  chat,
  invoke,
  mappings,
  envelopes,
  lawful,
].flatMap(asWays);
