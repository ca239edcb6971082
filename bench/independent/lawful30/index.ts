import type { Way } from '../world.js';
import { agents } from './agents.js';
import { chat } from './chat.js';
import { daemons } from './daemons.js';
import { directory } from './directory.js';
import { errors } from './errors.js';
import { lifecycle } from './lifecycle.js';
import { lists } from './lists.js';
import { records } from './records.js';
import { traffic } from './traffic.js';

/** Services that are odd but lawful: each breaks no stated or published sentence, so that a finding would be false. */
export const lawful30: readonly Way[] = [
  ...lifecycle,
  ...lists,
  ...records,
  ...errors,
  ...traffic,
  ...chat,
  ...agents,
  ...directory,
  ...daemons,
];
