import type { Way } from '../world.js';
import { agents } from './agents.js';
import { chat } from './chat.js';
import { credentials } from './credentials.js';
import { errors } from './errors.js';
import { gateway } from './gateway.js';
import { lifecycle } from './lifecycle.js';
import { limits } from './limits.js';
import { lists } from './lists.js';
import { records } from './records.js';
import { several } from './several.js';
import { streams } from './streams.js';

/** Services that are odd but lawful, each in a way that production has: by one more reader of both texts. */
export const lawful36: readonly Way[] = [
  ...gateway,
  ...errors,
  ...lists,
  ...records,
  ...lifecycle,
  ...streams,
  ...chat,
  ...agents,
  ...limits,
  ...credentials,
  ...several,
];
