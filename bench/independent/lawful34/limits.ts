import { failed } from '../answers.js';
import { memberOf } from '../lawful31/helpers.js';
import type { Way } from '../world.js';
import { asked } from './helpers.js';

const ROOM = 24;
const COST: Readonly<Record<string, number>> = { chat: 3, invoke: 2, sign: 1, 'sign-alias': 1 };

export const limits: readonly Way[] = [
  {
    // The cost of a turn is not stated, nor whether a refused one costs anything, nor a header with the time to wait.
    name: 'a bucket of tokens limits the turns: refused ones count, and it does not say how long to wait',
    lawful: true,
    unpublished: true,
    quote: 'Numeric rate limits of the chat turn limiter: not shown.',
    wrong: (world) => {
      const { now } = world.setting.host;
      const buckets = new Map<string, { left: number; at: number }>();
      return async (call, next) => {
        const cost = COST[call.op];
        const signs = call.op.startsWith('sign');
        if (cost === undefined || (signs && !/^(peer_)?oauth_token$/.test(call.who))) return next();
        if ((await asked(world, call)) === undefined) return next();
        const whose = memberOf(call.who);
        const bucket = buckets.get(whose) ?? { left: ROOM, at: now() };
        buckets.set(whose, bucket);
        bucket.left = Math.min(ROOM, bucket.left + (now() - bucket.at) / 2_000);
        bucket.at = now();
        if (bucket.left >= cost) {
          bucket.left -= cost;
          return next();
        }
        world.hit();
        const other = failed(429, 'Too many intern turns', 'rate_limited', true);
        if (signs) other.headers.set('cache-control', 'no-store');
        return other;
      };
    },
  },
];
