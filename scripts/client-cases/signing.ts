import { createHash } from 'node:crypto';
import type { CaseExchange, ClientCase, Expectation, Scripted } from '../../emulator/contract/client-case.js';
import { json, noRetry, plain, redirect, refusal, type Why } from './build.js';

const S = 'interface.md, Signing request body: bodySha256 is of the exact bytes that are sent';
const ROUTE = 'SIGN-3: the path as sent, percent-encoded, up to `?`';
const ONCE = 'interface.md: the intern accepts a v2 proof once';
const RETRY = 'docs/client-rules.md: sign and daemon have separate retries; each takes a new proof';
const COPY = 'interface.md: the keys are the header names that the client copies onto the request';
const ORIGINS = 'docs/client-rules.md, signing: neither proof nor token goes to another origin';
const NO_PROOF = 'interface.md, Signing route errors: no request goes to the daemon without a proof';
const CLOCK = 'docs/client-rules.md, signing: the timestamp is the service’s; the client’s clock does not matter';
const UNANSWERED =
  'docs/client-rules.md: a request without an answer ends in an error, or is retried with a new proof as after a 503';

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
  readonly body?: string | Uint8Array;
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly clock?: number;
  readonly retries?: 'default';
  readonly timeout?: number;
  readonly exchanges?: CaseExchange[];
  readonly expect?: Expectation;
  readonly alternatives?: NonNullable<ClientCase['alternatives']>;
}

const accepted = (path = PATH): Expectation => ({
  outcome: 'complete',
  status: 200,
  requests: { count: 2, each: [asked, sent(path)] },
});

const signing = (
  id: string,
  title: string,
  why: Why,
  {
    body = '{"input":"hello"}',
    path = PATH,
    method = 'POST',
    headers = { 'content-type': 'application/json' },
    exchanges = [SIGN, DAEMON],
    expect = accepted(path),
    ...given
  }: Given = {},
): ClientCase =>
  plain(id, title, {
    ...given,
    layer: 'signing',
    why,
    request: { method, path, headers, body_base64: Buffer.from(body).toString('base64') },
    exchanges,
    expect,
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
): CaseExchange => ({ ...refusal(status, reason, retryable, headers), at: 'sign' });

/** A second attempt that must carry a proof of its own, or none. */
const twice = (id: string, title: string, why: Why, { status, ...given }: Given & { status?: number }): ClientCase =>
  signing(id, title, why, {
    retries: 'default',
    timeout: 15_000,
    ...given,
    expect: {
      outcome: 'complete',
      status: 200,
      requests: { count: 4, each: [asked, sent(), asked, sent()], fresh: ['nonce'] },
    },
    alternatives: [noRetry({ ...(status === undefined ? {} : { status }), requests: { count: 2 } })],
  });

/** A retry of `sign` alone. */
const signTwice = (
  id: string,
  title: string,
  why: Why,
  { status, gap, ...given }: Given & { status: number; gap?: number },
): ClientCase =>
  signing(id, title, why, {
    retries: 'default',
    timeout: 15_000,
    ...given,
    expect: {
      outcome: 'complete',
      status: 200,
      requests: { count: 3, each: [asked, asked, sent()], ...(gap === undefined ? {} : { gap_at_least: gap }) },
    },
    alternatives: [noRetry({ error: { status } })],
  });

/** A refusal of `sign`, after which nothing leaves. */
const notSigned = (id: string, title: string, why: Why, status: number, refusal: CaseExchange): ClientCase =>
  signing(id, title, why, {
    exchanges: [refusal, SIGN, DAEMON],
    retries: 'default',
    timeout: 10_000,
    expect: {
      outcome: 'error',
      error: { status },
      requests: { count: 1, each: [{ path: '/sign' }], watched_for: 1_500 },
    },
  });

const HIDDEN = ['authorization', ...V2];

const proof = (value: string) => ({
  'x-svc-invoke-signature': `${value}+/A==`,
  'x-svc-invoke-timestamp': '1767225600',
  'x-svc-invoke-user': 'oidc|lab user@example.org',
  'x-svc-invoke-signature-v2': `${value}/+B==`,
  'x-svc-invoke-nonce': 'n-_.~1',
});
const verbatim = { ...sent(), with_header: Object.entries(proof('ab')).map(([name, value]) => `${name}: ${value}`) };
const daemonOk: CaseExchange = { ...json(200, { ok: true }), at: 'daemon' };

/** Bytes that a client changes where it takes them for text, or for JSON. */
const AWKWARD = Buffer.from(' {"input":"a"} \r\n\xff\n', 'latin1');
const digest = createHash('sha256').update(AWKWARD).digest('hex');
const TRACED = { 'content-type': 'text/plain', 'x-trace': 'trace-1', 'accept-language': 'de' };

export const SIGNING: ClientCase[] = [
  // The bytes
  signing('sign-json', 'Verifies a proof over JSON.', S),
  signing('sign-reserialised', 'Verifies a proof over JSON with spaces, another order of keys and an escape.', S, {
    body: '{ "b" : 1.0,\n  "a": "\\u00e9" }',
  }),
  signing('sign-non-ascii', 'Verifies a proof over text beyond ASCII.', S, { body: '{"input":"é € 😀"}' }),
  signing('sign-trailing-lf', 'Verifies a proof over a body that ends in LF.', S, { body: '{"input":"a"}\n' }),
  signing('sign-crlf', 'Verifies a proof over a body with CRLF.', S, {
    body: 'a\r\nb\r\n',
    headers: { 'content-type': 'text/plain' },
  }),
  signing('sign-bom', 'Verifies a proof over a body that begins with a byte order mark.', S, {
    body: '\ufeff{"input":"a"}',
  }),
  signing('sign-binary', 'Verifies a proof over bytes that are no UTF-8.', S, {
    body: Uint8Array.from({ length: 256 }, (_, n) => n),
    headers: { 'content-type': 'application/octet-stream' },
  }),
  signing('sign-large', 'Verifies a proof over 100,000 bytes.', S, {
    body: Buffer.alloc(100_000, 'intern '),
    headers: { 'content-type': 'application/octet-stream' },
  }),
  signing('sign-empty', 'Verifies a proof over an empty body.', [S, 'FIPS 180-4: an empty body has a digest too'], {
    body: '',
  }),
  signing('sign-bytes-kept', 'Watches whether the bytes are those that the caller gave.', S, {
    body: AWKWARD,
    headers: { 'content-type': 'application/octet-stream' },
    expect: {
      ...accepted(),
      requests: { count: 2, each: [{ ...asked, body_has: `"bodySha256":"${digest}"` }, sent()] },
    },
  }),

  // The route
  ...(
    [
      ['sign-path-encoded', 'with percent-encoding', '/api/files/a%20b%2Fc%C3%A9'],
      ['sign-path-encoded-percent', 'with an encoded percent sign', '/api/files/100%25'],
      ['sign-path-lower-hex', 'whose percent-encoding is in lower case', '/api/files/a%2fb'],
      ['sign-path-unreserved', 'that encodes what needs no encoding', '/api/%7Euser/%41'],
      ['sign-path-trailing-slash', 'that ends in a slash', '/api/invoke/'],
      ['sign-path-double-slash', 'with an empty segment', '/api//invoke'],
      ['sign-path-plus', 'with + and other characters that stand for themselves', "/api/a+b;c=1,d!$&'()*@:"],
    ] as const
  ).map(([id, how, path]) => signing(id, `Verifies a proof for a path ${how}.`, ROUTE, { path })),
  signing('sign-query', 'Verifies a proof for a path whose request has a query.', ROUTE, {
    path: '/api/invoke?a=1&b=%20c',
    expect: accepted('/api/invoke?a=1&b=%20c'),
  }),
  signing(
    'sign-method-lower',
    'Is to be asked with a method that the caller wrote in lower case.',
    'docs/client-rules.md, signing: the method is in upper case in proof and request',
    {
      method: 'post',
      expect: { ...accepted(), requests: { count: 2, each: [{ ...asked, body_has: '"POST"' }, sent()] } },
    },
  ),
  signing(
    'sign-route-named',
    'Watches what the proof was asked for.',
    ['SIGN-3: a route is {method, path}', 'docs/client-rules.md, signing: each signing request names its route'],
    { expect: { ...accepted(), requests: { count: 2, each: [{ ...asked, body_has: '"route"' }, sent()] } } },
  ),

  // The headers
  signing(
    'sign-headers-verbatim',
    'Answers a proof with +, / and = in it, for a user with | and @.',
    [COPY, 'RFC 4648 4: Base64 as it came, padding included'],
    {
      exchanges: [{ ...json(200, proof('ab')), at: 'sign' }, daemonOk],
      expect: { outcome: 'complete', status: 200, requests: { count: 2, each: [asked, verbatim] } },
    },
  ),
  signing(
    'sign-headers-case',
    'Answers a proof whose keys are in capitals.',
    [COPY, 'RFC 9110 5.1: names are case-insensitive'],
    {
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
    },
  ),
  signing(
    'sign-headers-caller',
    'Is to be asked with proof headers of the caller’s own.',
    [
      'interface.md: the user is never taken from the request',
      'docs/client-rules.md, signing: fresh proof headers win, one value each',
    ],
    {
      headers: {
        'content-type': 'application/json',
        'X-Svc-Invoke-User': 'mallory',
        'x-svc-invoke-nonce': 'stale',
        'X-SVC-INVOKE-SIGNATURE': 'AAAA',
      },
    },
  ),
  signing(
    'sign-headers-kept',
    'Is to be asked with a content type and other headers of the caller’s own.',
    'docs/client-rules.md, signing: the headers of the caller go along',
    {
      headers: TRACED,
      expect: {
        ...accepted(),
        requests: {
          count: 2,
          each: [
            asked,
            { ...sent(), with_header: [...V2, ...Object.entries(TRACED).map(([name, value]) => `${name}: ${value}`)] },
          ],
        },
      },
    },
  ),
  signing(
    'sign-headers-authorization',
    'Is to be asked with an Authorization of the caller’s own.',
    'interface.md: the daemon token is what the daemon takes',
    { headers: { 'content-type': 'application/json', Authorization: 'Bearer stale' } },
  ),
  signing('sign-key-stays', 'Watches where the key goes.', 'docs/client-rules.md: the API key goes to sign_url alone', {
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
  signing('sign-clock-ahead', 'Lives an hour ahead.', CLOCK, { clock: 3_600 }),
  signing('sign-clock-behind', 'Lives an hour behind.', CLOCK, { clock: -3_600 }),
  twice(
    'sign-stale',
    'Refuses once with 503; the proof is past its window by the second attempt.',
    ['SIGN-7: the daemon refuses proofs older than its window', RETRY],
    { status: 503, exchanges: [SIGN, daemonSays(503, 'busy', true, { advance: 61 }), DAEMON] },
  ),

  signing(
    'sign-expired',
    'Lets the window pass while the request is on its way.',
    'SIGN-7: proof_expired is a 401, which the client reports',
    {
      retries: 'default',
      timeout: 10_000,
      exchanges: [SIGN, { ...DAEMON, advance: 61 } as CaseExchange, DAEMON],
      expect: refused(401, { requests: { count: 2, each: [asked, sent()] } }),
      alternatives: [
        {
          outcome: 'complete',
          status: 200,
          requests: { count: 4, each: [asked, sent(), asked, sent()], fresh: ['nonce'] },
          why: 'docs/client-rules.md, signing: one new proof after proof_expired is right too',
        },
      ],
    },
  ),

  // Again
  twice('sign-retry-503', 'Verifies the proof, then fails with 503: its nonce is used up.', [ONCE, RETRY], {
    status: 503,
    exchanges: [SIGN, daemonSays(503, 'busy', true, { spends: true }), DAEMON],
  }),
  twice(
    'sign-retry-429',
    'Refuses with 429 after verification, with Retry-After: 1.',
    [ONCE, RETRY, 'RFC 9110 10.2.3: Retry-After tells how long to wait'],
    {
      status: 429,
      exchanges: [
        SIGN,
        daemonSays(429, 'rate_limited', true, { spends: true, headers: { 'retry-after': '1' } }),
        DAEMON,
      ],
    },
  ),
  twice('sign-retry-timeout', 'Takes the request and never answers it.', [ONCE, UNANSWERED], {
    timeout: 1_500,
    exchanges: [
      SIGN,
      {
        ...(daemonSays(503, 'busy', true, { spends: true }) as Scripted),
        before: [{ wait: 2_000 }, { wait: 2_000 }, { end: 'fin' }],
      },
      DAEMON,
    ],
  }),
  twice('sign-retry-reset', 'Takes the request and resets the connection.', [ONCE, UNANSWERED], {
    exchanges: [
      SIGN,
      { ...(daemonSays(503, 'busy', true, { spends: true }) as Scripted), before: [{ end: 'reset' }] },
      DAEMON,
    ],
  }),
  signing(
    'sign-no-retry-401',
    'Refuses the proof with 401.',
    'docs/client-rules.md, signing: the client reports a 401 of the daemon',
    {
      retries: 'default',
      timeout: 10_000,
      exchanges: [SIGN, daemonSays(401, 'bad_signature', false), DAEMON],
      expect: refused(401, { requests: { count: 2, watched_for: 1_500 } }),
    },
  ),
  signing(
    'sign-no-retry-409',
    'Refuses with 409, not retryable.',
    'interface.md, Errors: `retryable` says whether a retry can help',
    {
      retries: 'default',
      timeout: 10_000,
      exchanges: [SIGN, daemonSays(409, 'intern_not_running', false), DAEMON],
      expect: refused(409, { requests: { count: 2, watched_for: 1_500 } }),
    },
  ),
  signTwice(
    'sign-408-retried',
    'Fails to sign in time: 408, retryable.',
    'interface.md, Signing route errors: 408 is retryable',
    { status: 408, exchanges: [signSays(408, 'timeout', true), SIGN, DAEMON] },
  ),
  signTwice(
    'sign-retry-after',
    'Refuses to sign with 429 and Retry-After: 1.',
    ['interface.md, Signing route errors: 429 is retryable', 'RFC 9110 10.2.3: Retry-After tells how long to wait'],
    { status: 429, gap: 1_000, exchanges: [signSays(429, 'rate_limited', true, { 'retry-after': '1' }), SIGN, DAEMON] },
  ),
  signTwice(
    'sign-500-retried',
    'Fails to sign: 500, retryable.',
    'interface.md, Signing route errors: 500 is retryable',
    { status: 500, exchanges: [signSays(500, 'internal_error', true), SIGN, DAEMON] },
  ),
  notSigned(
    'sign-403',
    'Refuses to sign: no person stands behind the credential.',
    'docs/client-rules.md, signing: after a 403 of sign no request goes to the daemon',
    403,
    signSays(403, 'personal_identity_required', false),
  ),
  notSigned('sign-401', 'Refuses the credential at sign.', NO_PROOF, 401, {
    ...json(401, { error: { code: 401, message: 'Invalid or missing API key' } }),
    at: 'sign',
  }),
  notSigned('sign-404', 'Does not know the intern at sign.', NO_PROOF, 404, signSays(404, 'not_found', false)),

  // Redirects
  signing('sign-redirect-other', 'Redirects the signed request to another origin.', ORIGINS, {
    exchanges: [SIGN, redirect(307, '{other}/api/invoke', { at: 'daemon' }), daemonOk],
    expect: { outcome: 'error', requests: { count: [2, 3], each: [asked, sent(), { without_header: HIDDEN }] } },
  }),
  signing(
    'sign-redirect-same',
    'Redirects the signed request to another path of the same origin.',
    'docs/client-rules.md, signing: a redirect to the same origin is followed with a new proof, or not at all',
    {
      exchanges: [SIGN, redirect(307, '{base}/api/moved', { at: 'daemon' }), DAEMON],
      expect: { outcome: 'error', requests: { count: 2 } },
      alternatives: [
        {
          outcome: 'complete',
          status: 200,
          requests: { count: 4, each: [asked, sent(), asked, sent('/api/moved')], fresh: ['nonce'] },
          why: 'docs/client-rules.md, signing: a new proof for the new path is right too',
        },
      ],
    },
  ),
  signing(
    'sign-redirect-sign-other',
    'Redirects the request for a proof to another origin.',
    [
      'WHATWG Fetch 4.4: Authorization goes to no other origin',
      'docs/client-rules.md, signing: no request goes to the daemon without a proof',
    ],
    {
      exchanges: [redirect(307, '{other}/sign', { at: 'sign' }), SIGN, DAEMON],
      expect: { outcome: 'error', requests: { count: [1, 2], each: [asked, { without_header: ['authorization'] }] } },
    },
  ),
];
