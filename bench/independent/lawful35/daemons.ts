import { failed } from '../answers.js';
import { isJson } from '../call.js';
import { bearer } from '../lawful30/helpers.js';
import type { Way } from '../world.js';
import { isOrdinary, isServed, peeked } from './helpers.js';

/** When each name was first seen. */
function firstTimes() {
  const times = new Map<string, number>();
  return (name: string, now: number): number => {
    const first = times.get(name) ?? now;
    times.set(name, first);
    return now - first;
  };
}

export const sleepy: Way = {
  name: 'a daemon wakes at its first request: 503 for a second, before it looks at a proof',
  lawful: true,
  quote: 'The intern accepts it once.',
  daemons(world) {
    const since = firstTimes();
    return async ({ request }, next) => {
      if (since(bearer(request), world.setting.host.now()) >= 1_000) return next();
      world.hit();
      return new Response('starting', { status: 503, headers: { 'retry-after': '1' } });
    };
  },
};

export const bare: Way = {
  name: 'a daemon answers 204 or 403, and nothing in them',
  lawful: true,
  quote: 'The daemon refuses proofs older than its window.',
  daemons: (world) => async (_, next) => {
    const { ok, status } = await next();
    world.hit();
    return new Response(null, { status: ok ? 204 : status === 401 ? 403 : status });
  },
};

export const strict: Way = {
  name: 'signing refuses fields that it does not know',
  lawful: true,
  unpublished: true,
  quote: 'Body invalid: 400.',
  wrong: (world) =>
    world.instead('sign sign-alias', async (call) => {
      const { route } = call.body;
      const known = Object.keys(call.body).every((name) => name === 'bodySha256' || name === 'route');
      const plain = !isJson(route) || Object.keys(route).every((name) => name === 'method' || name === 'path');
      return isOrdinary(call) && !(known && plain) && (await isServed(world, call))
        ? failed(400, 'Invalid request body', 'invalid_body')
        : undefined;
    }),
};

export const daemons: readonly Way[] = [
  sleepy,
  bare,
  strict,
  {
    name: 'a daemon is not reachable for two seconds after its access was first asked for',
    lawful: true,
    quote: 'Returns the origin and the daemon token that attach the terminal client to one visible, running intern.',
    wrong(world) {
      const since = firstTimes();
      return world.later('daemon daemon-alias', async (response) => {
        const { token } = await peeked(response);
        if (!response.ok || since(String(token), world.setting.host.now()) >= 2_000) return undefined;
        return failed(409, 'The daemon cannot be reached yet', 'intern_unreachable', true, {
          'cache-control': 'no-store',
        });
      });
    },
  },
  {
    name: 'signing takes a route of null for none',
    lawful: true,
    unpublished: true,
    quote: 'Name and child attributes of the optional daemon-request object in the signing body: not shown.',
    wrong: (world) =>
      world.asked('sign sign-alias', (call) => {
        if (!isOrdinary(call)) return undefined;
        const { route, ...rest } = call.body;
        return route === null ? rest : undefined;
      }),
  },
  {
    name: 'the deprecated aliases warn of their end',
    lawful: true,
    quote: 'Removal date of deprecated aliases: not shown.',
    wrong: (world) =>
      world.head('daemon-alias sign-alias', (headers) => {
        headers.set('sunset', 'Fri, 31 Dec 2027 23:59:59 GMT');
        headers.set('deprecation', '@1764547200');
        headers.set('warning', '299 - "This path is deprecated"');
      }),
  },
];
