import type { Way } from '../world.js';
import { agents } from './agents.js';
import { boots } from './boots.js';
import { chat } from './chat.js';
import { directory } from './directory.js';
import { errors } from './errors.js';
import { lifecycle } from './lifecycle.js';
import { limits } from './limits.js';
import { lists } from './lists.js';
import { streams } from './streams.js';
import { traffic } from './traffic.js';

/** Further services that are odd but lawful: each keeps every stated and published sentence, so that a finding would be false. */
export const lawful31: readonly Way[] = [
  ...traffic,
  ...errors,
  ...lifecycle,
  ...boots,
  ...lists,
  ...streams,
  ...chat,
  ...limits,
  ...agents,
  ...directory,
];
