import type { Way } from '../world.js';
import { access } from './access.js';
import { chat } from './chat.js';
import { creates } from './creates.js';
import { errors } from './errors.js';
import { invoke } from './invoke.js';
import { lifecycle } from './lifecycle.js';
import { lists } from './lists.js';
import { questions } from './questions.js';
import { scim } from './scim.js';
import { daemon, signing } from './signing.js';
import { updates } from './updates.js';

/** Plausible ways to break one sentence of interface.md each, written before their writer saw anything of the kit. */
export const blind34: readonly Way[] = [
  ...access,
  ...errors,
  ...lists,
  ...creates,
  ...updates,
  ...lifecycle,
  ...chat,
  ...questions,
  ...invoke,
  ...daemon,
  ...signing,
  ...scim,
];
