import fc from 'fast-check';
import { longText, oddText, spoilt } from './odd.js';

/** Parts of requests that reach something: paths of the tables, and a credential. */
export interface Material {
  readonly paths: readonly string[];
  /** Values of headers that carry a credential. */
  readonly credentials: readonly string[];
  readonly bodies: readonly string[];
}

/** Bytes of one request, and whether they come from an origin that may change nothing. */
export interface RawRequest {
  readonly bytes: string;
  readonly foreign: boolean;
}

const METHODS = [
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'CONNECT',
  'M-SEARCH',
  'get',
  'G\u0000T',
  '',
];
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
const LENGTHS = [
  '-1',
  '+5',
  '0x5',
  '1e1',
  '5, 5',
  '5\r\nContent-Length: 6',
  '99999999999999999999',
  '',
  ' 5',
  '2097152',
];
const CODINGS = [
  'chunked',
  'identity',
  'gzip, chunked',
  'chunked, chunked',
  'xchunked',
  '\tchunked',
  'chunked\r\nTransfer-Encoding: identity',
  'Chunked',
];

const named = (name: string, values: fc.Arbitrary<string>) => values.map((value) => `${name}: ${value}`);

const header = (material: Material): fc.Arbitrary<string> =>
  fc.oneof(
    named('Authorization', fc.oneof(fc.constantFrom(...material.credentials), oddText)),
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
    named('Content-Length', fc.constantFrom(...LENGTHS)),
    named('Transfer-Encoding', fc.constantFrom(...CODINGS)),
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
    fc.constantFrom('no colon', ' folded: line', ': no name', 'x\u0000: y', 'x: a\rb', 'x: a\nb: c', 'é: é'),
    fc.constantFrom(100, 5_000).map((count) => Array.from({ length: count }, (_, at) => `X-${at}: y`).join('\r\n')),
  );

const target = ({ paths }: Material): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 10, arbitrary: fc.constantFrom(...paths) },
    { weight: 3, arbitrary: fc.tuple(fc.constantFrom(...paths), oddText).map(([path, odd]) => `${path}/${odd}`) },
    {
      weight: 3,
      arbitrary: fc
        .tuple(fc.constantFrom(...paths), oddText, oddText)
        .map(([path, name, value]) => `${path}?${name}=${value}`),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom(...paths), fc.nat(30))
        .map(([path, at]) => `${path.slice(0, at)}x${path.slice(at)}`),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '*',
        '//',
        '/..',
        'http://evil.example/_emulator',
        'http://',
        'localhost:80',
        '/%',
        '?',
        '#',
        '',
      ),
    },
    { weight: 1, arbitrary: longText.map((text) => `/_emulator/${text}`) },
    { weight: 1, arbitrary: longText.map((text) => `/api/v1/interns/${text}`) },
    { weight: 1, arbitrary: oddText },
  );

const chunk = (text: string) => `${Buffer.byteLength(text, 'latin1').toString(16)}\r\n${text}\r\n`;
const LAST = '0\r\n\r\n';

/** A body and the headers that frame it; some of them lie. */
const framed = (body: string, inner: fc.Arbitrary<string>): fc.Arbitrary<readonly [string, string]> => {
  const length = Buffer.byteLength(body, 'latin1');
  const right: readonly [string, string] = [`Content-Length: ${length}\r\n`, body];
  return fc.oneof(
    { weight: 8, arbitrary: fc.constant(right) },
    {
      weight: 4,
      arbitrary: fc.constant<readonly [string, string]>(['Transfer-Encoding: chunked\r\n', chunk(body) + LAST]),
    },
    {
      weight: 2,
      arbitrary: fc
        .constantFrom(
          '1;x=y\r\nA\r\n',
          'fffffffff\r\n',
          '-1\r\n',
          '5\r\nabc',
          'z\r\n',
          '0\r\nTrailer: x\r\n\r\n',
          `1;${'x'.repeat(20_000)}`,
        )
        .map((chunks): readonly [string, string] => ['Transfer-Encoding: chunked\r\n', chunks]),
    },
    {
      weight: 2,
      arbitrary: fc
        .constantFrom(-3, 1, 1_000)
        .map((more): readonly [string, string] => [`Content-Length: ${Math.max(0, length + more)}\r\n`, body]),
    },
    // A second request, hidden in headers that frame the first in two ways.
    {
      weight: 2,
      arbitrary: inner.map((hidden): readonly [string, string] => [
        `Content-Length: ${hidden.length + 5}\r\nTransfer-Encoding: chunked\r\n`,
        `${LAST}${hidden}`,
      ]),
    },
    {
      weight: 2,
      arbitrary: inner.map((hidden): readonly [string, string] => [
        `Connection: content-length\r\nContent-Length: ${hidden.length}\r\n`,
        hidden,
      ]),
    },
    { weight: 2, arbitrary: inner.map((hidden): readonly [string, string] => ['', hidden]) },
  );
};

/** Requests as bytes: nearly right ones, with lines, lengths and codings that are not. */
export function rawRequest(material: Material): fc.Arbitrary<RawRequest> {
  const withoutCredential = { ...material, credentials: ['Bearer none'] };
  const one = (mark: string | undefined, nested: boolean): fc.Arbitrary<string> => {
    const given = mark === undefined ? material : withoutCredential;
    const inner = nested ? fc.constant('') : one(mark, true);
    const host = mark ?? '';
    const hosts = fc.oneof(
      { weight: 6, arbitrary: fc.constant('Host: localhost') },
      named('Host', fc.constantFrom(...HOSTS)),
    );
    const body = fc
      .constantFrom('', ...material.bodies)
      .chain(spoilt)
      .chain((text) => framed(text, inner));
    const headers = fc.array(header(given), { maxLength: 4 });
    const credential = fc.constantFrom(...given.credentials).map((value) => `Authorization: ${value}`);
    const version = fc.oneof({ weight: 12, arbitrary: fc.constant('HTTP/1.1') }, fc.constantFrom(...VERSIONS));
    return fc
      .tuple(
        fc.constantFrom(...METHODS),
        target(given),
        version,
        mark === undefined ? hosts : fc.constant(host),
        credential,
        headers,
        body,
      )
      .map(
        ([method, path, spoken, first, key, rest, [frame, sent]]) =>
          `${method} ${path} ${spoken}\r\n${[first, key, ...rest].join('\r\n')}\r\n${frame}\r\n${sent}`,
      );
  };
  return fc.oneof(
    one(undefined, false).map((bytes) => ({ bytes, foreign: false })),
    fc
      .constantFrom(...FOREIGN)
      .chain((mark) => one(mark, false))
      .map((bytes) => ({ bytes, foreign: true })),
  );
}
