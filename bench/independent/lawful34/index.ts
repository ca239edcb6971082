import type { Way } from '../world.js';
import { agents } from './agents.js';
import { chat } from './chat.js';
import { codes } from './codes.js';
import { creating } from './creating.js';
import { credentials } from './credentials.js';
import { daemons } from './daemons.js';
import { directory } from './directory.js';
import { lifecycle } from './lifecycle.js';
import { limits } from './limits.js';
import { records } from './records.js';
import { streams } from './streams.js';

/**
 * Services that are odd but lawful once more. They keep every stated sentence; what is published alone they may do
 * otherwise, which a run may warn of and never fail.
 */
export const lawful34: readonly Way[] = [
  ...records,
  ...codes,
  ...lifecycle,
  ...creating,
  ...credentials,
  ...streams,
  ...chat,
  ...limits,
  ...daemons,
  ...directory,
  ...agents,
];
