import { failed } from '../answers.js';
import { everyNth } from '../lawful30/helpers.js';
import { isOrdinary, isServed, window } from '../lawful35/helpers.js';
import type { Way } from '../world.js';
import { isOfInterns, isOfMember, reset } from './helpers.js';

export const measured: Way = {
  name: 'each answer says how long it took, how much of a quota is left, and which trace it belongs to',
  lawful: true,
  quote: 'on a foreign intern and an unknown one: same headers apart from ids, dates, quota and timing',
  wrong(world) {
    let count = 0;
    return world.head('*', (headers) => {
      count += 1;
      headers.set('server-timing', `edge;dur=${(count % 7) + 0.25}, origin;dur=${(count % 13) * 3}`);
      headers.set('x-envoy-upstream-service-time', String(3 + (count % 29)));
      headers.set('x-ratelimit-limit', '5000');
      headers.set('x-ratelimit-remaining', String(5_000 - count));
      headers.set(
        'traceparent',
        `00-${count.toString(16).padStart(32, '0')}-${count.toString(16).padStart(16, '0')}-01`,
      );
    });
  },
};

export const throttled: Way = {
  // Signing is left out: its 429 is that of the chat turn limiter.
  name: 'a key has twelve calls a second, whatever they are: a further one is 429',
  lawful: true,
  quote: 'Error catalogue for the intern operations other than signing: not shown.',
  wrong(world) {
    const calls = window(12, 1_000);
    return async (call, next) => {
      if (!isOfMember(call) || !isOfInterns(call) || call.op.startsWith('sign')) return next();
      const now = world.setting.host.now();
      if (calls.full(call.who, now)) {
        world.hit();
        return failed(429, 'Too many requests', 'rate_limited', true, { 'retry-after': '1' });
      }
      calls.take(call.who, now);
      return next();
    };
  },
};

export const rolling: Way = {
  name: 'a rolling deploy every two minutes: for two seconds everything is 503, signing and SCIM 500',
  lawful: true,
  unpublished: true,
  quote: 'Server failure. Error catalogue for the intern operations other than signing: not shown.',
  wrong: (world) =>
    world.instead('*', async (call): Promise<Response | undefined> => {
      const left = 2_000 - ((world.setting.host.now() + 60_000) % 120_000);
      if (left <= 0 || call.regional) return undefined;
      if (call.op === 'scim') return call.who === 'management_key' ? failed(500, 'Internal Server Error') : undefined;
      if (!isOfMember(call) || !isOfInterns(call)) return undefined;
      if (call.op.startsWith('sign') && !(await isServed(world, call))) return undefined;
      if (call.op.startsWith('sign'))
        return failed(500, 'The request could not be completed', 'internal_error', true, {
          'cache-control': 'no-store',
        });
      const headers = { 'retry-after': '2', 'cache-control': 'no-store' };
      return failed(503, 'The service is being restarted', 'upstream_unavailable', true, headers);
    }),
};

export const fullCreates: Way = {
  name: 'every third create is 503 before anything was done',
  lawful: true,
  quote: 'Error catalogue for the intern operations other than signing: not shown.',
  wrong(world) {
    const now = everyNth(3);
    return world.instead('create', (call) =>
      isOrdinary(call) && isOfMember(call) && now()
        ? failed(503, 'No database connection is free', 'upstream_unavailable', true, { 'retry-after': '1' })
        : undefined,
    );
  },
};

export const lostCreates: Way = {
  name: 'the connection of every fifth create is reset after the intern was made',
  lawful: true,
  quote: 'A retry with the same idempotency key and the same body resumes unfinished work.',
  wrong(world) {
    const now = everyNth(5);
    return async ({ op }, next) => {
      const response = await next();
      if (op !== 'create' || response.status !== 201 || !now()) return response;
      world.hit();
      throw reset();
    };
  },
};

export const gateway: readonly Way[] = [
  measured,
  throttled,
  rolling,
  fullCreates,
  lostCreates,
  {
    name: 'a slash at the end of a path is redirected away',
    lawful: true,
    quote: 'nothing says otherwise: the paths of the interface have none',
    wrong: (world) =>
      world.instead('*', (call) => {
        const { pathname } = call.url;
        if (!isOfMember(call) || !isOfInterns(call) || !pathname.endsWith('/')) return undefined;
        return new Response(null, { status: 308, headers: { location: pathname.replace(/\/+$/, '') } });
      }),
  },
  {
    name: 'HEAD is not served, and OPTIONS is answered for browsers',
    lawful: true,
    quote: 'C: known path, wrong method: 405 … HEAD answers as GET without a body; OPTIONS 204 with `Allow`.',
    wrong: (world) =>
      world.instead('*', (call) => {
        if (!isOfMember(call) || call.op !== '') return undefined;
        if (call.request.method === 'HEAD') return new Response(null, { status: 405, headers: { allow: 'GET, POST' } });
        if (call.request.method !== 'OPTIONS') return undefined;
        const headers = {
          'access-control-allow-origin': '*',
          'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
        };
        return new Response('', { status: 200, headers });
      }),
  },
  {
    name: 'a regional host has no service: its connections are reset',
    lawful: true,
    unpublished: true,
    quote: 'Requests on regional hostnames are refused.',
    wrong:
      (world) =>
      async ({ regional }, next) => {
        if (!regional) return next();
        world.hit();
        throw reset();
      },
  },
  {
    name: 'a refused credential waits for a second',
    lawful: true,
    quote: 'A missing or invalid key gives 401.',
    wrong: (world) =>
      world.later('*', async (response) => {
        if (response.status !== 401) return undefined;
        await world.setting.host.sleep(1_000);
        return response;
      }),
  },
  {
    name: 'every third delete and suspend is 503 before anything was done',
    lawful: true,
    quote: 'Error catalogue for the intern operations other than signing: not shown.',
    wrong(world) {
      const now = everyNth(3);
      return world.instead('delete suspend', async (call) =>
        call.text === '' && (await isServed(world, call)) && now()
          ? failed(503, 'The control plane is busy', 'upstream_unavailable', true, { 'retry-after': '2' })
          : undefined,
      );
    },
  },
];
