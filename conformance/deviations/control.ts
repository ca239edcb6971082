import type { Alterable } from './alterations.js';
import { errors, preempts } from './change.js';
import type { Json } from './change-lifecycle.js';
import { type Changes, defineDeviations } from './deviation.js';

const pathOf = (request: Request) => new URL(request.url).pathname.slice('/_emulator'.length);

/** Changes the JSON that a call of the control interface answers. */
const answers = (method: string, path: string | RegExp, change: (body: Json, status: number) => Json): Changes => ({
  control: (usual) => async (request) => {
    const response = await usual(request);
    const own = pathOf(request);
    if (request.method !== method || !(typeof path === 'string' ? own === path : path.test(own))) return response;
    const body = (await response.json()) as Json;
    return Response.json(change(body, response.status), { status: response.status });
  },
});

/** Changes calls of the control interface before they are judged; a response answers them. */
const calls = (change: (request: Request, path: string) => Request | Response): Changes => ({
  control: (usual) => async (request) => {
    const changed = change(request, pathOf(request));
    return changed instanceof Response ? changed : usual(changed);
  },
});

const without = (request: Request, header: string): Request => {
  const headers = new Headers(request.headers);
  headers.delete(header);
  return new Request(request, { headers });
};

type Clock = Alterable['clock'];

export const CONTROL = defineDeviations([
  {
    name: 'control-health-says-up',
    requirement: 'EMU-1',
    description: 'health says status up.',
    alters: answers('GET', '/health', (body) => ({ ...body, status: 'up' })),
    caughtBy: ['emulator/health'],
  },
  {
    name: 'control-health-without-version',
    requirement: 'EMU-1',
    description: 'health does not tell the version.',
    alters: answers('GET', '/health', ({ version: _, ...body }) => body),
    caughtBy: ['emulator/health'],
  },
  {
    name: 'control-target-without-the-version-segment',
    requirement: 'EMU-1',
    description: 'base_url of the target lacks the version segment.',
    alters: answers('GET', '/target', (body) => ({ ...body, base_url: new URL(String(body.base_url)).origin })),
    caughtBy: ['emulator/target'],
  },
  {
    name: 'control-target-tells-the-private-key',
    requirement: 'EMU-1',
    description: 'The keys of the target have their private part.',
    alters: answers('GET', '/target', (body) => ({
      ...body,
      public_keys: (body.public_keys as Json[]).map((key) => ({ ...key, d: key.x })),
    })),
    caughtBy: ['emulator/target'],
  },
  {
    name: 'control-target-one-key-for-two',
    requirement: 'EMU-1',
    description: 'The peer of the target has the same key.',
    alters: answers('GET', '/target', (body) => {
      const credentials = body.credentials as Json;
      return { ...body, credentials: { ...credentials, peer_api_key: credentials.api_key } };
    }),
    caughtBy: ['emulator/target'],
  },
  {
    name: 'control-target-with-dead-credentials',
    requirement: 'EMU-1',
    description: 'The interns-only token of the target opens nothing.',
    alters: {
      pipelineDeps: (deps) => ({
        ...deps,
        async resolve(token) {
          const caller = await deps.resolve(token);
          return caller?.grant === 'interns' ? undefined : caller;
        },
      }),
    },
    caughtBy: ['emulator/credentials-work', 'auth/oauth-acts-as-its-member', 'daemon/access'],
  },
  {
    name: 'control-intern-without-script',
    requirement: 'EMU-4',
    description: 'An intern is shown without the script put on it.',
    alters: answers('GET', /^\/interns\/[^/]+$/, (body) => ('script' in body ? { ...body, script: null } : body)),
    caughtBy: ['emulator/intern-view', 'scripts/chosen-by'],
  },
  {
    name: 'control-intern-with-another-vault',
    requirement: 'EMU-4',
    description: 'An intern is shown with a vault that is not its own.',
    alters: answers('GET', /^\/interns\/[^/]+$/, (body) =>
      'vault' in body ? { ...body, vault: { id: 'none' } } : body,
    ),
    caughtBy: ['emulator/intern-view'],
  },
  {
    name: 'control-from-any-host',
    requirement: 'EMU-10',
    description: 'The control interface answers whatever Host is named.',
    alters: calls((request) => without(request, 'host')),
    caughtBy: ['emulator/loopback-only'],
  },
  {
    name: 'control-from-hosts-that-look-like-it',
    requirement: 'EMU-10',
    description: 'A Host that begins with a loopback name is taken for one.',
    alters: calls((request) =>
      /^(localhost|127\.0\.0\.1)/.test(request.headers.get('host') ?? '') ? without(request, 'host') : request,
    ),
    caughtBy: ['emulator/loopback-only'],
  },
  {
    name: 'control-from-any-page',
    requirement: 'EMU-10',
    description: 'Pages of other sites may call the control interface.',
    alters: calls((request) => without(request, 'origin')),
    caughtBy: ['emulator/cross-site'],
  },
  {
    name: 'control-from-null-origins',
    requirement: 'EMU-10',
    description: 'The origin null is taken for none.',
    alters: calls((request) => (request.headers.get('origin') === 'null' ? without(request, 'origin') : request)),
    caughtBy: ['emulator/cross-site'],
  },
  {
    name: 'control-unknown-call-is-200',
    requirement: 'EMU-1',
    description: 'A call that is none answers 200.',
    alters: {
      control: (usual) => async (request) => {
        const response = await usual(request);
        return response.status === 404 && !/^\/(interns|scripts)\//.test(pathOf(request))
          ? Response.json({})
          : response;
      },
    },
    caughtBy: ['emulator/bad-calls'],
  },
  {
    name: 'control-clock-does-not-judge',
    requirement: 'EMU-1',
    description: 'A bad advance is taken for none.',
    alters: {
      control: (usual) => async (request) => {
        const response = await usual(request);
        return response.status === 400 && pathOf(request) === '/clock' ? Response.json({}) : response;
      },
    },
    caughtBy: ['emulator/bad-calls'],
  },
  {
    name: 'advance-answers-the-time-before',
    requirement: 'EMU-2',
    description: 'advance answers the time that it was.',
    alters: {
      control: (usual) => async (request) => {
        if (request.method !== 'POST' || pathOf(request) !== '/clock') return usual(request);
        const before = (await (await usual(new Request(request.url))).json()) as Json;
        const response = await usual(request);
        return response.status === 200 ? Response.json(before) : response;
      },
    },
    caughtBy: ['emulator/advance'],
  },
  {
    name: 'advance-without-mode',
    requirement: 'EMU-2',
    description: 'The clock does not tell its mode.',
    alters: answers('POST', '/clock', ({ mode: _, ...body }) => body),
    caughtBy: ['emulator/advance'],
  },
  {
    name: 'advance-jumps',
    requirement: 'EMU-2',
    description: 'advance sets the clock first, and then fires what is due.',
    alters: {
      clock(clock: Clock): Clock {
        let target: number | undefined;
        return {
          ...clock,
          get mode() {
            return clock.mode;
          },
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
    },
    caughtBy: ['emulator/due-order', 'chat-deadlines/shown-as-deadline', 'invoke-runs/deadline-shown'],
  },
  {
    name: 'advance-fires-once',
    requirement: 'EMU-2',
    description: 'What is set off while the clock advances waits for the next advance.',
    alters: {
      clock(clock: Clock): Clock {
        let late: { due: number; fire: () => void; gone: boolean }[] | undefined;
        return {
          ...clock,
          get mode() {
            return clock.mode;
          },
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
    },
    caughtBy: ['emulator/advance-settles'],
  },
  {
    name: 'clock-moves-with-each-request',
    requirement: 'EMU-2',
    description: 'A virtual clock moves ahead a second with each request.',
    alters: () => {
      let clock: Clock | undefined;
      return {
        clock(usual) {
          clock = usual;
          return usual;
        },
        ...preempts(async () => {
          await clock?.advance(1_000);
          return undefined;
        }),
      };
    },
    caughtBy: ['emulator/virtual-stands-still', 'provision/takes-a-second'],
  },
  {
    name: 'journal-cannot-be-emptied',
    requirement: 'EMU-11',
    description: 'DELETE of the journal leaves it as it is.',
    alters: { journal: (usual) => ({ ...usual, clear() {} }) },
    caughtBy: ['emulator/journal-holds'],
  },
  {
    name: 'journal-without-answers',
    requirement: 'EMU-11',
    description: 'The journal holds no response.',
    alters: {
      journal: (usual) => ({
        ...usual,
        list: () => usual.list().map((entry) => ({ ...entry, response: { status: null, headers: {}, body: null } })),
      }),
    },
    caughtBy: ['emulator/journal-holds'],
  },
  {
    name: 'journal-not-redacted',
    requirement: 'AUTH-9',
    description: 'Credentials in bodies and streams stand in the journal.',
    alters: { accounts: (usual) => ({ ...usual, redact: (text) => text, redactWrites: (writes) => [...writes] }) },
    caughtBy: ['emulator/journal-redacted'],
  },
  {
    name: 'export-with-credentials',
    requirement: 'AUTH-9',
    description: 'The exported state always has its credentials.',
    alters: calls((request, path) =>
      path === '/state' && request.method === 'GET'
        ? new Request(request.url.replace(/\?.*$/, '').concat('?credentials=1'), request)
        : request,
    ),
    caughtBy: ['emulator/export-redacted'],
  },
  {
    name: 'export-without-credentials-for-anybody',
    requirement: 'AUTH-9',
    description: 'The exported state has no credentials, also when they are asked for.',
    alters: calls((request, path) =>
      path === '/state' && request.method === 'GET' ? new Request(request.url.replace(/\?.*$/, ''), request) : request,
    ),
    caughtBy: ['emulator/export-redacted'],
  },
  {
    name: 'refusal-repeats-the-key',
    requirement: 'AUTH-9',
    description: 'The message of a 401 repeats the key that was sent.',
    alters: errors(({ status, error, request }) =>
      status === 401
        ? { error: { ...error, message: `Invalid key: ${request.headers.get('authorization')}` } }
        : undefined,
    ),
    caughtBy: ['emulator/errors-redacted', 'auth/key-message'],
  },
]);
