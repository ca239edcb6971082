import type { Way } from '../world.js';
import { chat } from './chat.js';
import { invoke } from './invoke.js';
import { lifecycle } from './lifecycle.js';
import { lists } from './lists.js';
import { mappings } from './mappings.js';
import { proofs } from './proofs.js';
import { signing } from './signing.js';
import { teardown } from './teardown.js';
import { turns } from './turns.js';
import { visibility } from './visibility.js';
import { asWays, type Older } from './wire.js';

const parts: readonly Older[] = [
  visibility,
  lists,
  lifecycle,
  teardown,
  signing,
  proofs,
  mappings,
  chat,
  turns,
  invoke,
];
export const older: readonly Way[] = parts.flatMap(asWays);
