import type { Way } from '../world.js';

const SLOW = 1_000;
const ACCEPTS = 12_000;

export const traffic: readonly Way[] = [
  {
    // Further headers, a charset and a cookie of the CDN: JSON stays JSON, and `no-store` stays alone where it is stated.
    name: 'answers pass a CDN: further headers, a cookie, a charset',
    lawful: true,
    quote: 'Bodies are JSON with a JSON content type … same headers apart from ids, dates, quota and timing',
    wrong: (world) => {
      let count = 0;
      return world.head('*', (headers, _call, { status }) => {
        count += 1;
        const ray = Math.floor(world.setting.random() * 2 ** 48).toString(16);
        const type = headers.get('content-type');
        if (type === 'application/json') headers.set('content-type', 'application/json;charset=UTF-8');
        if (type === 'text/event-stream') headers.set('content-type', 'text/event-stream; charset=utf-8');
        if (!headers.has('cache-control')) headers.set('cache-control', 'private, no-cache');
        if (status === 401) headers.set('www-authenticate', 'Bearer realm="api"');
        headers.set('server', 'cloudflare');
        headers.set('cf-ray', `${ray}-FRA`);
        headers.set('alt-svc', 'h3=":443"; ma=86400');
        headers.set('strict-transport-security', 'max-age=31536000');
        headers.set('x-ratelimit-limit', '10000');
        headers.set('x-ratelimit-remaining', String(10_000 - (count % 5_000)));
        headers.set('server-timing', `total;dur=${Math.floor(world.setting.random() * 90)}`);
        headers.append('set-cookie', `__cf_bm=${ray}; path=/; HttpOnly; Secure`);
      });
    },
  },
  {
    // A run is answered once the intern accepts it, in its own time; below the 30 s and 10 s that the texts name.
    name: 'every call takes a second, an intern twelve to accept a prompt',
    lawful: true,
    quote: 'Starts a run on one intern and answers 202 with the `session_id` once the intern accepts it.',
    wrong: (world) => async (call, next) => {
      const { host } = world.setting;
      await host.sleep(SLOW);
      world.hit();
      const response = await next();
      // Waited for on the way out, so that the run holds its turn meanwhile.
      const accepts = call.op === 'invoke' || (call.op === 'chat' && response.status === 200);
      if (accepts && response.ok) await host.sleep(call.op === 'invoke' ? ACCEPTS : SLOW);
      return response;
    },
  },
];
