import type { CaseExchange, ClientCase, Expectation, Scripted } from '../../emulator/contract/client-case.js';
import { json, plain, refusal } from './build.js';

const S = 'interface.md, Signing request body: bodySha256 is of the exact bytes that are sent';
const ROUTE = 'SIGN-3: the path as sent, percent-encoded, up to `?`';
const ONCE = 'interface.md: the intern accepts a v2 proof once';
const RETRY = 'docs/client-rules.md: sign and daemon have separate retries; each takes a new proof';
const COPY = 'interface.md: the keys are the header names that the client copies onto the request';
const ORIGINS = 'docs/client-rules.md, signing: neither proof nor token goes to another origin';

const SIGN: CaseExchange = { at: 'sign', real: true };
const DAEMON: CaseExchange = { at: 'daemon', real: true };
const V2 = [
  'x-svc-invoke-signature',
  'x-svc-invoke-signature-v2',
  'x-svc-invoke-nonce',
  'x-svc-invoke-timestamp',
  'x-svc-invoke-user',
];
const PATH = '/api/invoke';

type Each = NonNullable<NonNullable<Expectation['requests']>['each']>[number];
const asked: Each = {
  method: 'POST',
  path: '/sign',
  with_header: ['content-type: application/json'],
  body_has: 'bodySha256',
};
const sent = (path = PATH): Each => ({ method: 'POST', path, with_header: V2 });

interface Given {
  id: string;
  title: string;
  why: string | string[];
  body?: string | Uint8Array;
  path?: string;
  method?: string;
  headers?: Record<string, string>;
  clock?: number;
  retries?: 'default';
  timeout?: number;
  exchanges?: CaseExchange[];
  expect?: Expectation;
  alternatives?: ClientCase['alternatives'];
}

const accepted = (path = PATH): Expectation => ({
  outcome: 'complete',
  status: 200,
  requests: { count: 2, each: [asked, sent(path)] },
});

const signing = ({
  body = '{"input":"hello"}',
  path = PATH,
  method = 'POST',
  headers = { 'content-type': 'application/json' },
  exchanges = [SIGN, DAEMON],
  expect,
  alternatives,
  ...given
}: Given): ClientCase =>
  plain({
    ...given,
    layer: 'signing',
    request: { method, path, headers, body_base64: Buffer.from(body).toString('base64') },
    exchanges,
    expect: expect ?? accepted(path),
    ...(alternatives === undefined ? {} : { alternatives }),
  });

const refused = (status: number, more: Partial<Expectation> = {}): Expectation => ({
  outcome: 'error',
  status,
  ...more,
});
const daemonSays = (
  status: number,
  reason: string,
  retryable: boolean,
  more: Partial<Scripted> = {},
): CaseExchange => ({
  ...refusal(status, reason, retryable, more.headers ?? {}),
  at: 'daemon',
  ...more,
  headers: { 'content-type': 'application/json', ...more.headers },
});
const signSays = (
  status: number,
  reason: string,
  retryable: boolean,
  headers: Scripted['headers'] = {},
): CaseExchange => ({
  ...refusal(status, reason, retryable, headers),
  at: 'sign',
});

/** A second attempt that must carry a proof of its own, or none. */
const twice = (given: Given & { status?: number; gap?: number }): ClientCase => {
  const { status, gap, ...rest } = given;
  return signing({
    retries: 'default',
    timeout: 15_000,
    ...rest,
    expect: {
      outcome: 'complete',
      status: 200,
      requests: {
        count: 4,
        each: [asked, sent(), asked, sent()],
        fresh: ['nonce'],
        ...(gap === undefined ? {} : { gap_at_least: gap }),
      },
    },
    alternatives: [
      {
        outcome: 'error',
        ...(status === undefined ? {} : { status }),
        requests: { count: 2 },
        why: 'a client owes nobody a retry',
      },
    ],
  });
};

/** A retry of `sign` alone. */
const signTwice = (given: Given & { status: number; gap?: number }): ClientCase => {
  const { status, gap, ...rest } = given;
  return signing({
    retries: 'default',
    timeout: 15_000,
    ...rest,
    expect: {
      outcome: 'complete',
      status: 200,
      requests: { count: 3, each: [asked, asked, sent()], ...(gap === undefined ? {} : { gap_at_least: gap }) },
    },
    alternatives: [
      { outcome: 'error', error: { status }, requests: { count: 1 }, why: 'a client owes nobody a retry' },
    ],
  });
};

const notSigned = (given: Given & { status: number }): ClientCase => {
  const { status, ...rest } = given;
  return signing({
    ...rest,
    retries: 'default',
    timeout: 10_000,
    expect: {
      outcome: 'error',
      error: { status },
      requests: { count: 1, each: [{ path: '/sign' }], watched_for: 1_500 },
    },
  });
};

const redirect = (at: 'sign' | 'daemon', status: number, to: string): CaseExchange => ({
  at,
  status,
  headers: { location: to },
  framing: 'length',
  connection: 'keep-alive',
  steps: [],
});
const HIDDEN = ['authorization', ...V2];

const proof = (value: string) => ({
  'x-svc-invoke-signature': `${value}+/A==`,
  'x-svc-invoke-timestamp': '1767225600',
  'x-svc-invoke-user': 'user-lab',
  'x-svc-invoke-signature-v2': `${value}/+B==`,
  'x-svc-invoke-nonce': 'n-_.~1',
});
const verbatim = { ...sent(), with_header: Object.entries(proof('ab')).map(([name, value]) => `${name}: ${value}`) };
const daemonOk: CaseExchange = { ...json(200, { ok: true }), at: 'daemon' };

export const SIGNING: ClientCase[] = [
  // The bytes
  signing({ id: 'sign-json', title: 'Verifies a proof over JSON.', why: S }),
  signing({
    id: 'sign-reserialised',
    title: 'Verifies a proof over JSON with spaces, another order of keys and an escape.',
    body: '{ "b" : 1.0,\n  "a": "\\u00e9" }',
    why: S,
  }),
  signing({
    id: 'sign-non-ascii',
    title: 'Verifies a proof over text beyond ASCII.',
    body: '{"input":"é € 😀"}',
    why: S,
  }),
  signing({
    id: 'sign-trailing-lf',
    title: 'Verifies a proof over a body that ends in LF.',
    body: '{"input":"a"}\n',
    why: S,
  }),
  signing({
    id: 'sign-crlf',
    title: 'Verifies a proof over a body with CRLF.',
    body: 'a\r\nb\r\n',
    headers: { 'content-type': 'text/plain' },
    why: S,
  }),
  signing({
    id: 'sign-bom',
    title: 'Verifies a proof over a body that begins with a byte order mark.',
    body: '\ufeff{"input":"a"}',
    why: S,
  }),
  signing({
    id: 'sign-binary',
    title: 'Verifies a proof over bytes that are no UTF-8.',
    body: Uint8Array.from({ length: 256 }, (_, n) => n),
    headers: { 'content-type': 'application/octet-stream' },
    why: S,
  }),
  signing({
    id: 'sign-large',
    title: 'Verifies a proof over 100,000 bytes.',
    body: Buffer.alloc(100_000, 'intern '),
    headers: { 'content-type': 'application/octet-stream' },
    why: S,
  }),
  signing({
    id: 'sign-empty',
    title: 'Verifies a proof over an empty body.',
    body: '',
    why: [S, 'FIPS 180-4: an empty body has a digest too'],
  }),

  // The route
  signing({
    id: 'sign-path-encoded',
    title: 'Verifies a proof for a path with percent-encoding.',
    path: '/api/files/a%20b%2Fc%C3%A9',
    why: ROUTE,
  }),
  signing({
    id: 'sign-path-encoded-percent',
    title: 'Verifies a proof for a path with an encoded percent sign.',
    path: '/api/files/100%25',
    why: ROUTE,
  }),
  signing({
    id: 'sign-path-lower-hex',
    title: 'Verifies a proof for a path whose percent-encoding is in lower case.',
    path: '/api/files/a%2fb',
    why: ROUTE,
  }),
  signing({
    id: 'sign-path-unreserved',
    title: 'Verifies a proof for a path that encodes what needs no encoding.',
    path: '/api/%7Euser/%41',
    why: ROUTE,
  }),
  signing({
    id: 'sign-path-trailing-slash',
    title: 'Verifies a proof for a path that ends in a slash.',
    path: '/api/invoke/',
    why: ROUTE,
  }),
  signing({
    id: 'sign-path-double-slash',
    title: 'Verifies a proof for a path with an empty segment.',
    path: '/api//invoke',
    why: ROUTE,
  }),
  signing({
    id: 'sign-path-plus',
    title: 'Verifies a proof for a path with + and other characters that stand for themselves.',
    path: "/api/a+b;c=1,d!$&'()*@:",
    why: ROUTE,
  }),
  signing({
    id: 'sign-query',
    title: 'Verifies a proof for a path whose request has a query.',
    path: '/api/invoke?a=1&b=%20c',
    why: ROUTE,
    expect: accepted('/api/invoke?a=1&b=%20c'),
  }),
  signing({
    id: 'sign-method-lower',
    title: 'Is to be asked with a method that the caller wrote in lower case.',
    method: 'post',
    why: 'docs/client-rules.md, signing: the method is in upper case in proof and request',
    expect: { ...accepted(), requests: { count: 2, each: [{ ...asked, body_has: '"POST"' }, sent()] } },
  }),
  signing({
    id: 'sign-route-named',
    title: 'Watches what the proof was asked for.',
    why: ['SIGN-3: a route is {method, path}', 'docs/client-rules.md, signing: each signing request names its route'],
    expect: { ...accepted(), requests: { count: 2, each: [{ ...asked, body_has: '"route"' }, sent()] } },
  }),

  // The headers
  signing({
    id: 'sign-headers-verbatim',
    title: 'Answers a proof with +, / and = in it.',
    exchanges: [{ ...json(200, proof('ab')), at: 'sign' }, daemonOk],
    expect: { outcome: 'complete', status: 200, requests: { count: 2, each: [asked, verbatim] } },
    why: [COPY, 'RFC 4648 4: Base64 as it came, padding included'],
  }),
  signing({
    id: 'sign-headers-case',
    title: 'Answers a proof whose keys are in capitals.',
    exchanges: [
      {
        ...json(
          200,
          Object.fromEntries(Object.entries(proof('ab')).map(([name, value]) => [name.toUpperCase(), value])),
        ),
        at: 'sign',
      },
      daemonOk,
    ],
    expect: { outcome: 'complete', status: 200, requests: { count: 2, each: [asked, verbatim] } },
    why: [COPY, 'RFC 9110 5.1: names are case-insensitive'],
  }),
  signing({
    id: 'sign-headers-caller',
    title: 'Is to be asked with proof headers of the caller’s own.',
    headers: {
      'content-type': 'application/json',
      'X-Svc-Invoke-User': 'mallory',
      'x-svc-invoke-nonce': 'stale',
      'X-SVC-INVOKE-SIGNATURE': 'AAAA',
    },
    why: [
      'interface.md: the user is never taken from the request',
      'docs/client-rules.md, signing: fresh proof headers win, one value each',
    ],
  }),
  signing({
    id: 'sign-headers-authorization',
    title: 'Is to be asked with an Authorization of the caller’s own.',
    headers: { 'content-type': 'application/json', Authorization: 'Bearer stale' },
    why: 'interface.md: the daemon token is what the daemon takes',
  }),
  signing({
    id: 'sign-key-stays',
    title: 'Watches where the key goes.',
    why: 'docs/client-rules.md: the API key goes to sign_url alone',
    expect: {
      ...accepted(),
      requests: {
        count: 2,
        each: [
          { ...asked, with_header: ['authorization: Bearer {key}'] },
          { ...sent(), with_header: [...V2, 'authorization: Bearer {daemon_token}'] },
        ],
      },
    },
  }),

  // Time
  signing({
    id: 'sign-clock-ahead',
    title: 'Lives an hour ahead.',
    clock: 3_600,
    why: 'docs/client-rules.md, signing: the timestamp is the service’s; the client’s clock does not matter',
  }),
  signing({
    id: 'sign-clock-behind',
    title: 'Lives an hour behind.',
    clock: -3_600,
    why: 'docs/client-rules.md, signing: the timestamp is the service’s; the client’s clock does not matter',
  }),
  twice({
    id: 'sign-stale',
    title: 'Refuses once with 503; the proof is past its window by the second attempt.',
    why: ['SIGN-7: the daemon refuses proofs older than its window', RETRY],
    status: 503,
    exchanges: [SIGN, daemonSays(503, 'busy', true, { advance: 61 }), DAEMON],
  }),

  signing({
    id: 'sign-expired',
    title: 'Lets the window pass while the request is on its way.',
    retries: 'default',
    timeout: 10_000,
    exchanges: [SIGN, { ...DAEMON, advance: 61 } as CaseExchange, DAEMON],
    why: 'SIGN-7: proof_expired is a 401, which the client reports',
    expect: refused(401, { requests: { count: 2, each: [asked, sent()] } }),
    alternatives: [
      {
        outcome: 'complete',
        status: 200,
        requests: { count: 4, each: [asked, sent(), asked, sent()], fresh: ['nonce'] },
        why: 'docs/client-rules.md, signing: one new proof after proof_expired is right too',
      },
    ],
  }),

  // Again
  twice({
    id: 'sign-retry-503',
    title: 'Verifies the proof, then fails with 503: its nonce is used up.',
    status: 503,
    exchanges: [SIGN, daemonSays(503, 'busy', true, { spends: true }), DAEMON],
    why: [ONCE, RETRY],
  }),
  twice({
    id: 'sign-retry-429',
    title: 'Refuses with 429 after verification, with Retry-After: 1.',
    status: 429,
    exchanges: [SIGN, daemonSays(429, 'rate_limited', true, { spends: true, headers: { 'retry-after': '1' } }), DAEMON],
    why: [ONCE, RETRY, 'RFC 9110 10.2.3: Retry-After tells how long to wait'],
  }),
  twice({
    id: 'sign-retry-timeout',
    title: 'Takes the request and never answers it.',
    timeout: 1_500,
    exchanges: [
      SIGN,
      {
        ...(daemonSays(503, 'busy', true, { spends: true }) as Scripted),
        before: [{ wait: 2_000 }, { wait: 2_000 }, { end: 'fin' }],
      },
      DAEMON,
    ],
    why: [
      ONCE,
      'docs/client-rules.md: a request without an answer ends in an error, or is retried with a new proof as after a 503',
    ],
  }),
  twice({
    id: 'sign-retry-reset',
    title: 'Takes the request and resets the connection.',
    exchanges: [
      SIGN,
      { ...(daemonSays(503, 'busy', true, { spends: true }) as Scripted), before: [{ end: 'reset' }] },
      DAEMON,
    ],
    why: [
      ONCE,
      'docs/client-rules.md: a request without an answer ends in an error, or is retried with a new proof as after a 503',
    ],
  }),
  signing({
    id: 'sign-no-retry-401',
    title: 'Refuses the proof with 401.',
    retries: 'default',
    timeout: 10_000,
    exchanges: [SIGN, daemonSays(401, 'bad_signature', false), DAEMON],
    why: 'docs/client-rules.md, signing: the client reports a 401 of the daemon',
    expect: refused(401, { requests: { count: 2, watched_for: 1_500 } }),
  }),
  signing({
    id: 'sign-no-retry-409',
    title: 'Refuses with 409, not retryable.',
    retries: 'default',
    timeout: 10_000,
    exchanges: [SIGN, daemonSays(409, 'intern_not_running', false), DAEMON],
    why: 'interface.md, Errors: `retryable` says whether a retry can help',
    expect: refused(409, { requests: { count: 2, watched_for: 1_500 } }),
  }),
  signTwice({
    id: 'sign-408-retried',
    title: 'Fails to sign in time: 408, retryable.',
    status: 408,
    exchanges: [signSays(408, 'timeout', true), SIGN, DAEMON],
    why: 'interface.md, Signing route errors: 408 is retryable',
  }),
  signTwice({
    id: 'sign-retry-after',
    title: 'Refuses to sign with 429 and Retry-After: 1.',
    status: 429,
    gap: 1_000,
    exchanges: [signSays(429, 'rate_limited', true, { 'retry-after': '1' }), SIGN, DAEMON],
    why: [
      'interface.md, Signing route errors: 429 is retryable',
      'RFC 9110 10.2.3: Retry-After tells how long to wait',
    ],
  }),
  signTwice({
    id: 'sign-500-retried',
    title: 'Fails to sign: 500, retryable.',
    status: 500,
    exchanges: [signSays(500, 'internal_error', true), SIGN, DAEMON],
    why: 'interface.md, Signing route errors: 500 is retryable',
  }),
  notSigned({
    id: 'sign-403',
    title: 'Refuses to sign: no person stands behind the credential.',
    status: 403,
    exchanges: [signSays(403, 'personal_identity_required', false), SIGN, DAEMON],
    why: 'docs/client-rules.md, signing: after a 403 of sign no request goes to the daemon',
  }),
  notSigned({
    id: 'sign-401',
    title: 'Refuses the credential at sign.',
    status: 401,
    exchanges: [
      { ...json(401, { error: { code: 401, message: 'Invalid or missing API key' } }), at: 'sign' },
      SIGN,
      DAEMON,
    ],
    why: 'interface.md, Signing route errors: no request goes to the daemon without a proof',
  }),
  notSigned({
    id: 'sign-404',
    title: 'Does not know the intern at sign.',
    status: 404,
    exchanges: [signSays(404, 'not_found', false), SIGN, DAEMON],
    why: 'interface.md, Signing route errors: no request goes to the daemon without a proof',
  }),

  // Redirects
  signing({
    id: 'sign-redirect-other',
    title: 'Redirects the signed request to another origin.',
    exchanges: [SIGN, redirect('daemon', 307, '{other}/api/invoke'), daemonOk],
    why: ORIGINS,
    expect: { outcome: 'error', requests: { count: [2, 3], each: [asked, sent(), { without_header: HIDDEN }] } },
  }),
  signing({
    id: 'sign-redirect-same',
    title: 'Redirects the signed request to another path of the same origin.',
    exchanges: [SIGN, redirect('daemon', 307, '{base}/api/moved'), DAEMON],
    why: 'docs/client-rules.md, signing: a redirect to the same origin is followed with a new proof, or not at all',
    expect: { outcome: 'error', requests: { count: 2 } },
    alternatives: [
      {
        outcome: 'complete',
        status: 200,
        requests: { count: 4, each: [asked, sent(), asked, sent('/api/moved')], fresh: ['nonce'] },
        why: 'docs/client-rules.md, signing: a new proof for the new path is right too',
      },
    ],
  }),
  signing({
    id: 'sign-redirect-sign-other',
    title: 'Redirects the request for a proof to another origin.',
    exchanges: [redirect('sign', 307, '{other}/sign'), SIGN, DAEMON],
    why: [
      'WHATWG Fetch 4.4: Authorization goes to no other origin',
      'docs/client-rules.md, signing: no request goes to the daemon without a proof',
    ],
    expect: { outcome: 'error', requests: { count: [1, 2], each: [asked, { without_header: ['authorization'] }] } },
  }),
];
