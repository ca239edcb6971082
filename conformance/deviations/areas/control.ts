import { withHeader, withRequest } from '../combinators/exchange.js';
import { callers, type Part, wrap } from '../combinators/parts.js';
import { errors, exchanges, isControl, rewriteControl } from '../combinators/replies.js';
import { answerInstead, rewriteControlRequest } from '../combinators/requests.js';
import { defineDeviations } from '../mutant.js';

type Clock = Part<'createClock'>;

/** Does something once the emulator was reset. */
const afterReset =
  (then: () => unknown) =>
  (next: (request: Request) => Promise<Response>) =>
  async (request: Request): Promise<Response> => {
    const answer = await next(request);
    if (request.method === 'POST' && new URL(request.url).pathname.endsWith('/_emulator/reset')) await then();
    return answer;
  };

export const CONTROL = defineDeviations({
  'control-reset-keeps-scripts': () => ({
    around: (next) => {
      const put = new Map<string, string>();
      return async (request) => {
        const { pathname, origin } = new URL(request.url);
        if (request.method === 'PUT' && /^\/_emulator\/scripts\/[^/]+$/.test(pathname))
          put.set(pathname, await request.clone().text());
        const answer = await next(request);
        if (request.method === 'POST' && pathname === '/_emulator/reset') {
          const headers = { 'content-type': 'application/json' };
          for (const [path, body] of put) await next(new Request(`${origin}${path}`, { method: 'PUT', body, headers }));
        }
        return answer;
      };
    },
  }),
  'reset-puts-the-clock-back': () => {
    let clock: Clock | undefined;
    let start = 0;
    return {
      factories: (usual) => ({
        createClock(...given) {
          clock = usual.createClock(...given);
          start = clock.now();
          return clock;
        },
      }),
      around: afterReset(() => clock?.restore({ now: start, frozen: false })),
    };
  },
  // A reset takes a second of the clock.
  'reset-moves-the-clock': () => ({
    around: (next, emulator) => afterReset(() => emulator.clock.advance(1_000))(next),
  }),
  'control-health-says-up': rewriteControl('GET', '/health', (body) => ({ ...body, status: 'up' })),
  // base_url of the target lacks the version segment.
  'control-target-without-the-version-segment': rewriteControl('GET', '/target', (body) => ({
    ...body,
    base_url: new URL(String(body.base_url)).origin,
  })),
  // The interns-only token of the target opens nothing.
  'control-target-with-dead-credentials': callers((caller) => (caller?.grant === 'interns' ? undefined : caller)),
  // An intern is shown without the script put on it.
  'control-intern-without-script': rewriteControl('GET', /^\/interns\/[^/]+$/, (body) =>
    'script' in body ? { ...body, script: null } : body,
  ),
  // An intern is shown with a vault that is not its own.
  'control-intern-with-another-vault': rewriteControl('GET', /^\/interns\/[^/]+$/, (body) =>
    'vault' in body ? { ...body, vault: { id: 'none' } } : body,
  ),
  // The control interface answers whatever Host is named.
  'control-from-any-host': rewriteControlRequest((request) => withHeader(request, 'host', undefined)),
  // Pages of other sites may call the control interface.
  'control-from-any-page': rewriteControlRequest((request) => withHeader(request, 'origin', undefined)),
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
  'clock-moves-with-each-request': answerInstead(async (_exchange, { clock }) => {
    await clock.advance(1_000);
    return undefined;
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
  'export-with-credentials': rewriteControlRequest((request, path) =>
    path === '/state' && request.method === 'GET'
      ? withRequest(request, { url: request.url.replace(/\?.*$/, '').concat('?credentials=1') })
      : request,
  ),
  // The message of a 401 repeats the key that was sent.
  'refusal-repeats-the-key': errors({ status: 401 }, (_, { request }) => ({
    message: `Invalid key: ${request.headers.get('authorization')}`,
  })),
});
