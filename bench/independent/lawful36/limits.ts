import { failed } from '../answers.js';
import type { Call } from '../call.js';
import { bearer } from '../lawful30/helpers.js';
import { memberOf } from '../lawful31/helpers.js';
import { isServed, tooMany, window } from '../lawful35/helpers.js';
import type { Way } from '../world.js';

const HOUR = 3_600_000;
const TURNS = ['chat', 'invoke', 'sign', 'sign-alias'];

/** A limiter of accepted turns for each member, some of which count for several. */
const limited =
  (room: number, length: number, after: number, weight: (call: Call) => number): NonNullable<Way['wrong']> =>
  (world) => {
    const turns = window(room, length);
    return async (call, next) => {
      if (!TURNS.includes(call.op)) return next();
      const { host } = world.setting;
      const name = memberOf(call.who);
      if (turns.full(name, host.now()) && (await isServed(world, call))) {
        world.hit();
        const answer = tooMany(after);
        if (call.op.startsWith('sign')) answer.headers.set('cache-control', 'no-store');
        return answer;
      }
      const response = await next();
      if (response.ok) for (let count = weight(call); count > 0; count--) turns.take(name, host.now());
      return response;
    };
  };

export const hourly: Way = {
  name: 'a member has sixty turns an hour, and a refusal says to wait for half of one',
  lawful: true,
  quote: 'Numeric rate limits of the chat turn limiter: not shown.',
  wrong: limited(60, HOUR, 1_800, () => 1),
};

export const reveals: Way = {
  name: 'the access to daemons is shown ten times a minute at most',
  lawful: true,
  quote: 'Error catalogue for the intern operations other than signing: not shown.',
  wrong(world) {
    const shown = window(10, 60_000);
    return world.instead('daemon daemon-alias', async (call) => {
      if (!/^(peer_)?oauth_/.test(call.who) || !(await isServed(world, call))) return undefined;
      const name = memberOf(call.who);
      const now = world.setting.host.now();
      if (!shown.full(name, now)) {
        shown.take(name, now);
        return undefined;
      }
      const headers = { 'retry-after': '60', 'cache-control': 'no-store' };
      return failed(429, 'Too many reveals', 'rate_limited', true, headers);
    });
  },
};

export const limits: readonly Way[] = [
  hourly,
  reveals,
  {
    name: 'a turn counts for as many as its prompt has thousands of characters, of thirty a minute',
    lawful: true,
    quote: 'Numeric rate limits of the chat turn limiter: not shown.',
    wrong: limited(30, 60_000, 20, ({ text }) => 1 + Math.floor(text.length / 1_000)),
  },
  {
    name: 'a daemon takes three requests in ten seconds, before it looks at their proofs',
    lawful: true,
    quote: 'nothing says otherwise',
    daemons(world) {
      const taken = window(3, 10_000);
      return async ({ request }, next) => {
        const now = world.setting.host.now();
        if (taken.full(bearer(request), now)) {
          world.hit();
          return failed(429, 'Too many requests', 'rate_limited', true, { 'retry-after': '10' });
        }
        taken.take(bearer(request), now);
        return next();
      };
    },
  },
];
