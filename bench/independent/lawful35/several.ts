import type { Way } from '../world.js';
import { models, quietly, remembers, signs } from './agents.js';
import { queues } from './chat.js';
import { waits } from './creating.js';
import { bare, sleepy, strict } from './daemons.js';
import { nodes, resets } from './gateway.js';
import { together } from './helpers.js';
import { coldHosts, wakes } from './lifecycle.js';
import { perIntern, spaced } from './limits.js';
import { byOffset } from './lists.js';
import { failover } from './outages.js';
import { epochs } from './records.js';
import { ticking, tight } from './streams.js';

/** Several of the others at once. */
export const several: readonly Way[] = [
  together('at once: cold hosts, a greeting, four nodes, late keepalives', [nodes, ticking, coldHosts, signs]),
  together('at once: Unix times, pages by offset, waiting for a turn, one word for what is said meanwhile', [
    epochs,
    byOffset,
    queues,
    quietly,
  ]),
  together('at once: no create boots, a prompt wakes, twelve turns an intern, one model after another', [
    waits,
    wakes,
    perIntern,
    models,
  ]),
  together('at once: failovers, resets, two turns a second, a memory, tight events', [
    failover,
    resets,
    spaced,
    tight,
    remembers,
  ]),
  together('at once: strict signing, sleepy and bare daemons, late keepalives', [strict, sleepy, bare, ticking]),
];
