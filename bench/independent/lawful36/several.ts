import { together } from '../lawful35/helpers.js';
import type { Way } from '../world.js';
import { atOnce, sums, wordwise, yesOrNo } from './agents.js';
import { namedKey, shortKey } from './credentials.js';
import { notUp, opened, overloaded } from './errors.js';
import { fullCreates, lostCreates, measured, rolling, throttled } from './gateway.js';
import { nowhere, queuedDeletes, reserved, slowSuspends, stumbles } from './lifecycle.js';
import { hourly, reveals } from './limits.js';
import { counted, crowded, summaries } from './lists.js';
import { fresh, seenNow } from './records.js';
import { beats, halves, lateDone, newline, oneId, thoughtful } from './streams.js';

/** Three of the others at once. */
export const several: readonly Way[] = [
  together('at once: quota headers, empty deltas in a silence, slow suspends', [measured, beats, slowSuspends]),
  together('at once: twelve calls a second, a crowd, twenty words a second', [throttled, crowded, wordwise]),
  together('at once: rolling deploys, halved writes, a named key', [rolling, halves, namedKey]),
  together('at once: 503 for what is busy or not up, no daemon where nothing runs', [overloaded, notUp, nowhere]),
  together('at once: summaries, counts in lists, new interns', [summaries, counted, fresh]),
  together('at once: creates that are refused or lost, names that stay taken', [fullCreates, lostCreates, reserved]),
  together('at once: yes or no, one id for a run, sums of usage', [yesOrNo, oneId, sums]),
  together('at once: sixty turns an hour, few reveals, a short own key', [hourly, reveals, shortKey]),
  together('at once: teardowns that wait, boots that stumble, hosts that report', [queuedDeletes, stumbles, seenNow]),
  together('at once: a last line end, thoughts, a late end', [newline, thoughtful, lateDone]),
  together('at once: all said at once, streams that open with an error, one id for a run', [atOnce, opened, oneId]),
];
