import type { Way } from '../world.js';
import { chat } from './chat.js';
import { creates } from './creates.js';
import { daemon } from './daemon.js';
import { deadlines } from './deadlines.js';
import { errors } from './errors.js';
import { invoke } from './invoke.js';
import { lifecycle } from './lifecycle.js';
import { lists } from './lists.js';
import { questions } from './questions.js';
import { scim } from './scim.js';
import { signing } from './signing.js';
import { updates } from './updates.js';
import { vault } from './vault.js';
import { visibility } from './visibility.js';

/** Plausible ways to break one sentence of interface.md each, written before its writer saw anything of the kit. */
export const blind31: readonly Way[] = [
  ...visibility,
  ...creates,
  ...updates,
  ...lists,
  ...lifecycle,
  ...vault,
  ...daemon,
  ...signing,
  ...scim,
  ...chat,
  ...questions,
  ...deadlines,
  ...invoke,
  ...errors,
];
