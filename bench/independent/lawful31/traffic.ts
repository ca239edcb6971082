import { type Changes, rewritten } from '../../../emulator/wire/answer.js';
import { isJson, parsed } from '../call.js';
import type { Way } from '../world.js';

const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed);
  if (!isJson(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, one]) => [key, reversed(one)]),
  );
};

/** JSON as other languages write it: slashes as PHP, what HTML knows as Go. All of it is the same JSON. */
const foreign = (value: unknown): string =>
  JSON.stringify(reversed(value))
    .replaceAll('/', '\\/')
    .replace(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);

export const traffic: readonly Way[] = [
  {
    // Which further headers an answer has, is stated nowhere; `x-request-id`, `Deprecation` and `Link` are chosen.
    name: 'answers have headers for browsers and caches, and none of those that are chosen',
    lawful: true,
    quote: 'C: Every response carries `x-request-id` … (C: with `Deprecation` and `Link` headers.)',
    wrong: (world) => async (call, next) => {
      const response = await next();
      const tag = Math.floor(world.setting.random() * 2 ** 40).toString(16);
      const made = call.op === 'create' && response.ok ? ((await response.clone().json()) as { id: string }).id : '';
      world.hit();
      return rewritten(response, {
        headers(headers) {
          for (const name of ['x-request-id', 'deprecation', 'link', 'x-emulator-detail']) headers.delete(name);
          headers.set('x-amzn-requestid', `${tag}-${tag}`);
          headers.set('access-control-allow-origin', '*');
          headers.set('access-control-expose-headers', 'Retry-After, ETag, Location');
          headers.set('vary', 'Origin, Accept-Encoding, Authorization');
          headers.set('x-content-type-options', 'nosniff');
          headers.set('via', '1.1 google, 2 envoy');
          if (made !== '') headers.set('location', `${world.baseUrl}/interns/${made}`);
          if (response.status === 200 && /json/.test(headers.get('content-type') ?? ''))
            headers.set('etag', `W/"${tag}"`);
        },
      });
    },
  },
  {
    // Cache-Control is a list of directives: one with `no-store` among others carries it.
    name: 'no-store comes among other directives',
    lawful: true,
    quote: 'The response carries `Cache-Control: no-store`.',
    wrong: (world) =>
      world.head('daemon daemon-alias sign sign-alias', (headers) => {
        if (headers.get('cache-control') !== 'no-store') return;
        headers.set('cache-control', 'private, no-store, max-age=0');
        headers.set('pragma', 'no-cache');
        headers.set('expires', '0');
      }),
  },
  {
    // An object of JSON has no order, a slash may be escaped, and parameters are allowed.
    name: 'JSON has its members in another order and its signs escaped, under a media type with parameters',
    lawful: true,
    quote: 'Bodies are JSON with a JSON content type … common chat-completion chunk format',
    wrong: (world) => async (_call, next) => {
      const response = await next();
      const headers = (given: Headers) => {
        const type = given.get('content-type') ?? '';
        if (type.startsWith('application/json')) given.set('content-type', 'application/json; charset="utf-8"; v=1.4');
        if (type.startsWith('text/event-stream')) given.set('content-type', 'text/event-stream;charset=UTF-8');
        given.delete('content-length');
      };
      const changes: Changes = {
        headers,
        text(event) {
          const chunk = event.startsWith('data: {') ? parsed(event.slice(6)) : undefined;
          if (chunk !== undefined) world.hit();
          return chunk === undefined ? `${event}\n\n` : `data: ${foreign(chunk)}\n\n`;
        },
      };
      const other = await rewritten(response, changes);
      if (!/json/.test(other.headers.get('content-type') ?? '') || other.body === null) return other;
      const text = await other.text();
      const { status } = other;
      if (text === '') return new Response(null, { status, headers: other.headers });
      world.hit();
      return new Response(foreign(JSON.parse(text)), { status, headers: other.headers });
    },
  },
];
