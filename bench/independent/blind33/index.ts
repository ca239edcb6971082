import type { Way } from '../world.js';
import { access } from './access.js';
import { chat } from './chat.js';
import { errors } from './errors.js';
import { interns } from './interns.js';
import { invoke } from './invoke.js';
import { lifecycle } from './lifecycle.js';
import { questions } from './questions.js';
import { scim } from './scim.js';
import { daemon, signing } from './signing.js';

/** Plausible ways to break one sentence of interface.md each, written before their writer saw anything of the kit. */
export const blind33: readonly Way[] = [
  ...access,
  ...errors,
  ...interns,
  ...lifecycle,
  ...chat,
  ...questions,
  ...invoke,
  ...daemon,
  ...signing,
  ...scim,
];
