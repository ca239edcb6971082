import { failed } from '../answers.js';
import { memberOf } from '../lawful31/helpers.js';
import type { Way } from '../world.js';
import { asked } from './helpers.js';

const ROOM = 24;
const COST: Readonly<Record<string, number>> = { chat: 3, invoke: 2, sign: 1, 'sign-alias': 1 };
const EXPIRY = 1_000;

export const limits: readonly Way[] = [
  {
    // What a turn costs, and that a refused one costs nothing, is not stated, nor a header that says how long to wait.
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
  {
    // A cursor is opaque; how long it is good is not said.
    name: 'cursors of lists expire after a second',
    lawful: true,
    quote: 'Fields of the responses of list, delete, provision and suspend: not shown.',
    wrong: (world) => {
      const { now } = world.setting.host;
      const made = new Map<string, number>();
      return async (call, next) => {
        const cursor = call.url.searchParams.get('starting_after');
        const response = await next();
        if (call.op !== 'list' || !response.ok) return response;
        if (cursor !== null && now() - (made.get(cursor) ?? now()) > EXPIRY) {
          world.hit();
          return failed(400, 'Invalid list query', 'invalid_body');
        }
        const { next_cursor } = (await response.clone().json()) as { next_cursor?: string };
        if (next_cursor !== undefined) made.set(next_cursor, now());
        return response;
      };
    },
  },
];
