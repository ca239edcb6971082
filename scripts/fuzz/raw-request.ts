import { METHODS } from 'node:http';
import fc from 'fast-check';
import { longText, oddHeader, oddText, spoilt } from './odd.js';
import type { Call } from './rows.js';

/** Bytes of one request, and whether they come from an origin that may change nothing. */
export interface RawRequest {
  readonly bytes: string;
  readonly foreign: boolean;
}

const ODD_METHODS = [...METHODS, 'get', 'G\u0000T', ''];
const VERSIONS = ['HTTP/1.1', 'HTTP/1.0', 'HTTP/1.2', 'HTTP/2.0', 'HTTP/0.9', 'http/1.1', ''];
const HOP_BY_HOP = [
  'close',
  'keep-alive',
  'upgrade',
  'content-length',
  'host',
  'authorization',
  'transfer-encoding',
  'x-request-id',
];
/** Headers of requests from pages of other sites. */
const FOREIGN = [
  'Host: evil.example',
  'Host: localhost\r\nOrigin: http://evil.example',
  'Host: 127.0.0.1\r\nOrigin: null',
  'Host: localhost\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image',
  'Host: localhost\r\nSec-Fetch-Site: same-site\r\nSec-Fetch-Mode: cors',
  'Host: rebound.example.com:80\r\nOrigin: http://rebound.example.com',
];
const HOSTS = [
  'localhost',
  '127.0.0.1',
  '[::1]',
  'a.localhost',
  'eu.localhost',
  'localhost:99999',
  'localhost, evil',
  '',
  'evil.example',
  '[::',
];
const TARGETS = ['*', '//', '/..', 'http://evil.example/_emulator', 'http://', 'localhost:80', '/%', '?', '#', ''];

const named = (name: string, values: fc.Arbitrary<string>) => values.map((value) => `${name}: ${value}`);
const header = (credentials: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    named('Authorization', fc.oneof(fc.constantFrom(...credentials), oddText)),
    named(
      'Connection',
      fc.subarray(HOP_BY_HOP, { minLength: 1 }).map((names) => names.join(', ')),
    ),
    named(
      'Content-Type',
      fc.constantFrom('application/json', 'text/plain', 'application/json; charset=utf-16', 'multipart/form-data', '/'),
    ),
    named('Expect', fc.constantFrom('100-continue', 'miracles')),
    named('Upgrade', fc.constantFrom('websocket', 'h2c')),
    named('Content-Encoding', fc.constantFrom('gzip', 'br', 'identity')),
    named('Last-Event-ID', fc.oneof(fc.constantFrom('0', '1', '999999'), oddText)),
    named('Accept', fc.constantFrom('text/html', 'text/event-stream', '*/*;q=0', 'application/json;'.repeat(500))),
    named('Cookie', fc.oneof(oddText, fc.constant('a=b; '.repeat(900)))),
    named('Sec-Fetch-Site', fc.constantFrom('none', 'same-origin', 'odd')),
    named('Access-Control-Request-Method', fc.constantFrom('PUT', 'X'.repeat(3_000))),
    named('Idempotency-Key', oddText),
    named('X-Request-Id', oddText),
    named('X-Emulator-Recording', oddText),
    named('Range', fc.constantFrom('bytes=0-1', 'bytes=-1,-1,-1')),
    longText.map((text) => `X-Long: ${text}`),
    { weight: 3, arbitrary: oddHeader },
    fc.constantFrom(100, 5_000).map((count) => Array.from({ length: count }, (_, at) => `X-${at}: y`).join('\r\n')),
  );

const target = (path: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constant(path) },
    { weight: 3, arbitrary: oddText.map((odd) => `${path}/${odd}`) },
    { weight: 3, arbitrary: fc.tuple(oddText, oddText).map(([name, value]) => `${path}?${name}=${value}`) },
    { weight: 2, arbitrary: fc.nat(30).map((at) => `${path.slice(0, at)}x${path.slice(at)}`) },
    { weight: 1, arbitrary: fc.constantFrom(...TARGETS) },
    { weight: 1, arbitrary: longText.map((text) => `/_emulator/${text}`) },
    { weight: 1, arbitrary: longText.map((text) => `/api/v1/interns/${text}`) },
    { weight: 1, arbitrary: oddText },
  );

const chunk = (text: string) => `${Buffer.byteLength(text, 'latin1').toString(16)}\r\n${text}\r\n`;
const LAST = '0\r\n\r\n';

const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const CHUNKS = ['1;x=y\r\nA\r\n', 'fffffffff\r\n', '-1\r\n', '5\r\nabc', 'z\r\n', '0\r\nTrailer: x\r\n\r\n'];
const sized = (length: number) => `Content-Length: ${length}\r\n`;

/** A body and the headers that frame it; some of them lie. */
function framed(body: string, inner: fc.Arbitrary<string>): fc.Arbitrary<readonly [string, string]> {
  const { length } = body;
  const lies: fc.Arbitrary<readonly [string, string]>[] = [
    fc.constantFrom(...CHUNKS, `1;${'x'.repeat(20_000)}`).map((chunks) => [CHUNKED, chunks]),
    fc.constantFrom(-3, 1, 1_000).map((more) => [sized(Math.max(0, length + more)), body]),
    // A second request, hidden in headers that frame the first in two ways.
    inner.map((hidden) => [sized(hidden.length + 5) + CHUNKED, `${LAST}${hidden}`]),
    inner.map((hidden) => [`Connection: content-length\r\n${sized(hidden.length)}`, hidden]),
    inner.map((hidden) => ['', hidden]),
  ];
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant<readonly [string, string]>([sized(length), body]) },
    { weight: 2, arbitrary: fc.constant<readonly [string, string]>([CHUNKED, chunk(body) + LAST]) },
    ...lies,
  );
}

/** The headers of a call but its host, as they are sent. */
const linesOf = ({ headers = {} }: Call): string =>
  Object.entries(headers)
    .filter(([name]) => name !== 'host')
    .map(([name, value]) => `${name}: ${value}`)
    .join('\r\n');

/** Calls as bytes: nearly right ones, with lines, lengths and codings that are not. */
export function rawRequest(calls: fc.Arbitrary<Call>, key: string): fc.Arbitrary<RawRequest> {
  const one = (mark: string | undefined, nested: boolean): fc.Arbitrary<string> =>
    calls.chain((call) => {
      const keys =
        mark === undefined ? [`Bearer ${key}`, `bearer ${key} `, `Basic ${key}`, 'Bearer none'] : ['Bearer none'];
      const first = fc.oneof(
        { weight: 6, arbitrary: fc.constant(`Host: ${call.headers?.host ?? 'localhost'}`) },
        named('Host', fc.constantFrom(...HOSTS)),
      );
      const plain = named('Authorization', fc.constantFrom(...keys));
      const body = spoilt(Buffer.from(call.body ?? '').toString('latin1')).chain((text) =>
        framed(text, nested ? fc.constant('') : one(mark, true)),
      );
      return fc
        .tuple(
          fc.oneof(
            { weight: 6, arbitrary: fc.constant(call.method) },
            { weight: 4, arbitrary: fc.constantFrom(...ODD_METHODS) },
          ),
          target(call.path),
          fc.oneof({ weight: 12, arbitrary: fc.constant('HTTP/1.1') }, fc.constantFrom(...VERSIONS)),
          mark === undefined ? first : fc.constant(mark),
          mark === undefined && call.headers !== undefined ? fc.oneof(fc.constant(linesOf(call)), plain) : plain,
          fc.array(header(keys), { maxLength: 4 }),
          body,
        )
        .map(
          ([method, path, spoken, host, by, rest, [frame, sent]]) =>
            `${method} ${path} ${spoken}\r\n${[host, by, ...rest].join('\r\n')}\r\n${frame}\r\n${sent}`,
        );
    });
  return fc.oneof(
    one(undefined, false).map((bytes) => ({ bytes, foreign: false })),
    fc
      .constantFrom(...FOREIGN)
      .chain((mark) => one(mark, false))
      .map((bytes) => ({ bytes, foreign: true })),
  );
}
