import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { deepJson, longText, oddHeader, oddText, oddValue } from './odd.js';

/** The bytes of a server in place of an answer. All text stands for bytes, one a character. */
export interface OddAnswer {
  readonly head: string;
  readonly body: string;
  /** The body is sent so often, as fast as it is taken. */
  readonly times: number;
  readonly ends: 'fin' | 'reset' | 'never';
}

const VERSIONS = ['HTTP/1.1', 'HTTP/1.0', 'HTTP/9.9', 'ICY', ''];
const STATUSES = [
  ...['200', '201', '202', '204', '205', '304', '400', '404', '429', '500', '502'],
  ...['599', '000', '099', '600', '999', '1000', '-1', '2OO', ''],
];
const REASONS = ['OK', '', 'not found', '\u0001', '\u007f', 'é', '\t', 'x'.repeat(20_000), 'a\rb', '<b>'];
/** Informational answers. */
const EARLY = [
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 102 \r\n\r\n',
  'HTTP/1.1 103 Early\r\nLink: </x>; rel=preload\r\n\r\n',
  'HTTP/1.1 103 Early\r\nLink: nonsense\u0001\r\n\r\n',
  'HTTP/1.1 199 \r\nx: y\r\n\r\n',
  'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
];
const HEADERS = [
  'Content-Type: application/json',
  'Content-Type: text/event-stream',
  'Content-Type: text/html; charset=utf-16',
  'Content-Type: \u0001',
  'Content-Encoding: identity, gzip',
  'Content-Encoding: zstd',
  'Content-Encoding: gzip, gzip, gzip, gzip, gzip, gzip',
  'Connection: content-length, content-type, authorization',
  'Connection: close',
  'Keep-Alive: timeout=0',
  'Set-Cookie: a=b',
  'Location: http://evil.example/\u00ff',
  'Link: <>; rel="\u0001"',
  'Retry-After: 99999999999999',
  'Trailer: x',
];

const bytes = (buffer: Uint8Array) => Buffer.from(buffer).toString('latin1');
const json = oddValue.map((value) => JSON.stringify(value));
const ids = '0b000000-0000-4000-8000-000000000001';
const said = fc.oneof(
  { weight: 3, arbitrary: json },
  { weight: 2, arbitrary: deepJson },
  { weight: 1, arbitrary: longText },
  { weight: 1, arbitrary: oddText },
  { weight: 2, arbitrary: json.map((one) => `data: ${one}\n\ndata: [DONE]\n\n`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      `{"id":"${ids}","api_key":"sk-${'a'.repeat(30)}"}`,
      ids + ids,
      `{"id":"${ids}${ids}$"}`,
      '$intern.1$$',
      'data: \r\r\n\n:\n',
    ),
  },
);

/** Bodies in codings that are said and true, said and cut, or not said. */
const coded = fc
  .tuple(
    said,
    fc.constantFrom('gzip', 'deflate', 'raw', 'br'),
    fc.oneof({ weight: 2, arbitrary: fc.constant(1) }, fc.double({ min: 0, max: 1, noNaN: true })),
    fc.boolean(),
  )
  .map(([text, coding, share, filled]) => {
    // A small answer that becomes a large one.
    const whole = Buffer.from(filled ? text.padEnd(3_000_000, ' ') : text);
    const make =
      { gzip: gzipSync, deflate: deflateSync, raw: deflateRawSync, br: brotliCompressSync }[coding] ?? gzipSync;
    const made = make(whole, coding === 'br' ? { params: {} } : { level: 1 });
    const name = coding === 'raw' ? 'deflate' : coding;
    return { body: bytes(made.subarray(0, Math.ceil(made.length * share))), header: [`Content-Encoding: ${name}`] };
  });

const bodies = fc.oneof(
  { weight: 4, arbitrary: said.map((text) => ({ body: bytes(Buffer.from(text)), header: [] as string[] })) },
  { weight: 2, arbitrary: coded },
);
const chunked = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

/** Answers that no server should send. */
export const oddAnswer: fc.Arbitrary<OddAnswer> = fc
  .record({
    early: fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, fc.array(fc.constantFrom(...EARLY), { maxLength: 3 })),
    version: fc.oneof({ weight: 10, arbitrary: fc.constant('HTTP/1.1') }, fc.constantFrom(...VERSIONS)),
    status: fc.oneof({ weight: 3, arbitrary: fc.constant('200') }, fc.constantFrom(...STATUSES)),
    reason: fc.oneof({ weight: 3, arbitrary: fc.constant('OK') }, fc.constantFrom(...REASONS)),
    headers: fc.uniqueArray(
      fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom(...HEADERS) },
        { weight: 3, arbitrary: oddHeader },
        fc.constant('X-Long: '.padEnd(30_000, 'x')),
      ),
      { maxLength: 4 },
    ),
    made: bodies,
    framing: fc.constantFrom('length', 'chunked', 'none'),
    times: fc.oneof({ weight: 12, arbitrary: fc.constant(1) }, fc.constantFrom(0, 3, 2_000)),
    ends: fc.constantFrom('fin', 'fin', 'reset', 'never'),
    cut: fc.oneof({ weight: 10, arbitrary: fc.constant(-1) }, fc.nat(200)),
  })
  .map(({ early, version, status, reason, headers, made, framing, times, ends, cut }) => {
    const frame =
      { length: [`Content-Length: ${made.body.length}`], chunked: ['Transfer-Encoding: chunked'], none: [] }[framing] ??
      [];
    const lines = [`${version} ${status} ${reason}`, ...headers, ...made.header, ...frame];
    const head = `${early.join('')}${lines.join('\r\n')}\r\n\r\n`;
    const body = framing === 'chunked' && times === 1 ? chunked(made.body) : made.body;
    const end = ends === 'reset' || ends === 'never' ? ends : 'fin';
    return { head: cut < 0 ? head : head.slice(0, cut), body: cut < 0 ? body : '', times, ends: end };
  });
