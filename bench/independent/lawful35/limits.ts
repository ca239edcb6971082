import type { Call } from '../call.js';
import { memberOf } from '../lawful31/helpers.js';
import type { Way } from '../world.js';
import { isServed, tooMany, window } from './helpers.js';

const TURNS = ['chat', 'invoke', 'sign', 'sign-alias'];

/** A limiter of accepted turns. */
const limited =
  (room: number, length: number, after: number, name: (call: Call) => string): NonNullable<Way['wrong']> =>
  (world) => {
    const turns = window(room, length);
    return async (call, next) => {
      if (!TURNS.includes(call.op)) return next();
      const { host } = world.setting;
      if (turns.full(name(call), host.now()) && (await isServed(world, call))) {
        world.hit();
        return tooMany(after);
      }
      const response = await next();
      if (response.ok) turns.take(name(call), host.now());
      return response;
    };
  };

export const perIntern: Way = {
  name: 'an intern takes twelve turns a minute of all its callers, and a refusal says to wait for a minute',
  lawful: true,
  quote: 'Numeric rate limits of the chat turn limiter: not shown.',
  wrong: limited(12, 60_000, 60, ({ id }) => id.toLowerCase()),
};

export const spaced: Way = {
  name: 'a member has two turns a second at most',
  lawful: true,
  quote: 'Numeric rate limits of the chat turn limiter: not shown.',
  wrong: limited(2, 1_000, 1, ({ who }) => memberOf(who)),
};

export const limits: readonly Way[] = [perIntern, spaced];
