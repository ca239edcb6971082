import type { Way } from '../world.js';
import { agents } from './agents.js';
import { chat } from './chat.js';
import { creating } from './creating.js';
import { credentials } from './credentials.js';
import { daemons } from './daemons.js';
import { directory } from './directory.js';
import { errors } from './errors.js';
import { gateway } from './gateway.js';
import { lifecycle } from './lifecycle.js';
import { limits } from './limits.js';
import { lists } from './lists.js';
import { outages } from './outages.js';
import { records } from './records.js';
import { several } from './several.js';
import { streams } from './streams.js';

/**
 * Services that are odd but lawful: gateways, replicas, limits, agents of other words, and several at once. They keep
 * every stated sentence; what is published alone some do differently, which a run may warn of and never fail.
 */
export const lawful35: readonly Way[] = [
  ...gateway,
  ...outages,
  ...errors,
  ...lists,
  ...records,
  ...creating,
  ...lifecycle,
  ...credentials,
  ...streams,
  ...chat,
  ...limits,
  ...agents,
  ...daemons,
  ...directory,
  ...several,
];
