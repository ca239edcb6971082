import type { Emulator } from '../../../emulator/emulator.js';
import { withRequest } from '../../../emulator/wire/request.js';
import { defineMutants, type Mutation } from '../mutant.js';
import { errors, exchanges, inControl, isControl } from '../operators/answers.js';
import { callers, holding, wrap } from '../operators/parts.js';
import { ANY, asked } from '../operators/requests.js';

const INTERN = /^\/interns\/[^/]+$/;

/** Does something once the emulator was reset. */
const afterReset = (then: (emulator: Emulator) => unknown): Mutation =>
  exchanges(async (exchange, next) => {
    const answer = await next(exchange.request);
    if (isControl(exchange, 'POST', '/reset')) await then(exchange.emulator);
    return answer;
  });

export const CONTROL = defineMutants({
  'control-reset-keeps-scripts': () => {
    const put = new Map<string, string>();
    return exchanges(async (exchange, next) => {
      const { request } = exchange;
      if (isControl(exchange, 'PUT', /^\/scripts\/[^/]+$/)) put.set(request.url, await request.clone().text());
      const answer = await next(request);
      const headers = { 'content-type': 'application/json' };
      if (isControl(exchange, 'POST', '/reset'))
        for (const [url, body] of put) await next(new Request(url, { method: 'PUT', body, headers }));
      return answer;
    });
  },
  'reset-puts-the-clock-back': () => {
    let start = 0;
    return holding(
      'createClock',
      (clock) => afterReset(() => clock()?.restore({ now: start, frozen: false })),
      (clock) => {
        start = clock.now();
        return clock;
      },
    )();
  },
  'reset-moves-the-clock': afterReset(({ clock }) => clock.advance(1_000)),
  'control-health-says-up': inControl('GET', '/health', 'status', 'up'),
  'control-target-without-the-version-segment': inControl('GET', '/target', 'base_url', (url) => new URL(url).origin),
  'control-target-with-dead-credentials': callers((caller) => (caller?.grant === 'interns' ? undefined : caller)),
  'control-intern-without-script': inControl<unknown>('GET', INTERN, 'script', () => null),
  'control-intern-with-another-vault': inControl<unknown>('GET', INTERN, 'vault', () => ({ id: 'none' })),
  'control-from-any-host': asked('control', (request) => withRequest(request, { headers: { host: undefined } })),
  'control-from-any-page': asked('control', (request) => withRequest(request, { headers: { origin: undefined } })),
  'control-unknown-call-is-200': exchanges(async ({ area, path, request }, next) => {
    const response = await next(request);
    return area === 'control' && response.status === 404 && !/^\/(interns|scripts)\//.test(path)
      ? Response.json({})
      : response;
  }),
  'advance-answers-the-time-before': exchanges(async (exchange, next) => {
    const { request } = exchange;
    if (!isControl(exchange, 'POST', '/clock')) return next(request);
    const before: unknown = await (await next(new Request(request.url))).json();
    const response = await next(request);
    return response.status === 200 ? Response.json(before) : response;
  }),
  // advance sets the clock first, and then fires what is due.
  'advance-jumps': wrap({
    createClock(clock) {
      let target: number | undefined;
      return {
        now: () => target ?? clock.now(),
        async advance(ms) {
          target = clock.now() + ms;
          try {
            await clock.advance(ms);
          } finally {
            target = undefined;
          }
        },
      };
    },
  }),
  // A timer that is set off while the clock advances waits for the next advance.
  'advance-fires-once': wrap({
    createClock(clock) {
      let late: { due: number; fire: () => void; gone: boolean }[] | undefined;
      return {
        timer(ms, fire) {
          if (!late) return clock.timer(ms, fire);
          const entry = { due: clock.now() + ms, fire, gone: false };
          late.push(entry);
          return {
            cancel() {
              entry.gone = true;
            },
          };
        },
        async advance(ms) {
          late = [];
          await clock.advance(ms);
          const entries = late;
          late = undefined;
          for (const entry of entries)
            clock.timer(Math.max(1, entry.due - clock.now()), () => {
              if (!entry.gone) entry.fire();
            });
        },
      };
    },
  }),
  // A virtual clock moves ahead a second with each request.
  'clock-moves-with-each-request': asked(ANY, async (request, { emulator }) => {
    await emulator.clock.advance(1_000);
    return request;
  }),
  // DELETE of the journal leaves it as it is.
  'journal-cannot-be-emptied': exchanges((exchange, next) =>
    isControl(exchange, 'DELETE', '/journal') ? new Response(null, { status: 204 }) : next(exchange.request),
  ),
  // Credentials in bodies and streams stand in the journal.
  'journal-not-redacted': wrap({
    createAccounts: () => ({ redact: (text) => text, redactWrites: (writes) => [...writes] }),
  }),
  // The exported state always has its credentials.
  'export-with-credentials': asked('control', (request, exchange) =>
    isControl(exchange, 'GET', '/state')
      ? withRequest(request, { url: request.url.replace(/\?.*$/, '').concat('?credentials=1') })
      : request,
  ),
  // The message of a 401 repeats the key that was sent.
  'refusal-repeats-the-key': errors({ status: 401 }, (_, { request }) => ({
    message: `Invalid key: ${request.headers.get('authorization')}`,
  })),
});
