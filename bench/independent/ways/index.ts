import type { Way } from '../world.js';
import { bodies } from './bodies.js';
import { conversations } from './conversations.js';
import { invoking, keys } from './invoke.js';
import { lifecycle } from './lifecycle.js';
import { reading } from './reading.js';
import { signing } from './signing.js';
import { streams } from './streams.js';
import { visibility } from './visibility.js';

export const ways: readonly Way[] = [
  ...visibility,
  ...lifecycle,
  ...bodies,
  ...signing,
  ...reading,
  ...streams,
  ...conversations,
  ...invoking,
  ...keys,
];
