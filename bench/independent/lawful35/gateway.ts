import { isJson, withBody, withHeaders } from '../call.js';
import { everyNth } from '../lawful30/helpers.js';
import { chained } from '../lawful31/helpers.js';
import type { Way } from '../world.js';

const NOBODY = '00000000-0000-4000-8000-000000000dad';

export const nodes: Way = {
  name: 'a load balancer names the node that answered, one of four, and sets a cookie now and then',
  lawful: true,
  quote: 'nothing says otherwise',
  wrong(world) {
    let count = 0;
    return world.head('*', (headers) => {
      count += 1;
      headers.set('x-served-by', `node-${count % 4}`);
      headers.set('x-cache', count % 3 === 0 ? 'MISS' : 'PASS');
      if (count % 5 === 0) headers.append('set-cookie', `lb=${count}; Path=/; HttpOnly`);
    });
  },
};

export const resets: Way = {
  name: 'every 25th read ends in a reset connection',
  lawful: true,
  quote: 'nothing says otherwise',
  wrong(world) {
    const now = everyNth(25);
    return async ({ op, who }, next) => {
      const response = await next();
      if (!['list', 'get', 'scim'].includes(op) || who === 'none' || !now()) return response;
      world.hit();
      throw new TypeError('fetch failed', {
        cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
      });
    };
  },
};

export const gateway: readonly Way[] = [
  nodes,
  resets,
  {
    name: 'errors are problem documents that have the envelope in them',
    lawful: true,
    quote: 'Request and response bodies are JSON unless a stream is stated.',
    wrong(world) {
      const bodies = world.json('*', (body, _, { ok, status }) => {
        if (ok || !isJson(body.error)) return;
        Object.assign(body, { type: 'about:blank', title: body.error.message, status });
      });
      const types = world.head('*', (headers, _, { ok }) => {
        if (!ok && headers.get('content-type')?.includes('json'))
          headers.set('content-type', 'application/problem+json');
      });
      return chained(bodies, types);
    },
  },
  {
    name: 'what was created or accepted has a Location, a Link and a Retry-After',
    lawful: true,
    quote: 'nothing says otherwise',
    wrong: (world) =>
      world.head('*', (headers, { id, op }, { status }) => {
        if ((status !== 201 && status !== 202) || op === '') return;
        headers.set('location', `/api/v1/interns/${id === '' ? 'latest' : id}`);
        headers.set('link', '</api/v1/interns>; rel="collection"');
        headers.set('retry-after', '2');
      }),
  },
  {
    name: 'a gateway sends each create twice and passes on the second answer',
    lawful: true,
    unpublished: true,
    quote: 'A retry with the same idempotency key and the same body resumes unfinished work.',
    wrong: (world) => async (call, next) => {
      const first = await next();
      if (call.op !== 'create' || first.status !== 201) return first;
      world.hit();
      return next(withBody(call, call.text));
    },
  },
  {
    name: 'ids of interns are matched by their letters, so that one in capitals is unknown',
    lawful: true,
    quote: 'Intern unknown or not visible.',
    wrong: (world) =>
      world.asked('*', (call) => {
        if (
          !call.url.pathname.includes('/interns/') ||
          !/^[0-9a-f-]{36}$/i.test(call.id) ||
          call.id === call.id.toLowerCase()
        )
          return undefined;
        const url = new URL(call.url.href.replace(call.id, NOBODY));
        return withHeaders(call, {}, url);
      }),
  },
  {
    name: 'a key comes after Bearer in just these letters, and a 401 says so in its challenge',
    lawful: true,
    quote: 'API key as bearer token in the `Authorization` header.',
    wrong(world) {
      const strict = world.asked('*', (call) =>
        /^(?!Bearer )bearer /i.test(call.request.headers.get('authorization') ?? '')
          ? withHeaders(call, { authorization: null })
          : undefined,
      );
      const challenged = world.head('*', (headers, _, { status }) => {
        if (status === 401) headers.set('www-authenticate', 'Bearer realm="interns", error="invalid_token"');
      });
      return chained(strict, challenged);
    },
  },
  {
    name: 'the date of an answer is that of a gateway whose clock is two seconds slow',
    lawful: true,
    quote: 'nothing says otherwise',
    wrong: (world) =>
      world.head('*', (headers) => headers.set('date', new Date(world.setting.host.now() - 2_000).toUTCString())),
  },
];
