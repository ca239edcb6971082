import type { IncomingHttpHeaders } from 'node:http';
import { CODINGS } from './coding.js';

/** Headers of one connection (RFC 9110 7.6.1): the next connection has its own. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
  'expect',
]);

/**
 * Headers that `Connection` cannot remove. They frame the message, name its caller, or tell its meaning. Without its length,
 * the body of one request would be read as the next request.
 */
const END_TO_END: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'authorization',
  'cache-control',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'host',
  'idempotency-key',
  'last-event-id',
  'location',
  'origin',
  'retry-after',
  'set-cookie',
  'www-authenticate',
]);

/** Raw headers, name and value in turns, as pairs. */
const pairsOf = (raw: readonly string[]): [name: string, value: string][] =>
  Array.from({ length: raw.length / 2 }, (_, index) => [raw[2 * index] ?? '', raw[2 * index + 1] ?? '']);

/** Raw headers without those of the connection, and without `dropped`; as name, value, name, value. */
export function passedOn(raw: readonly string[], dropped: readonly string[] = []): string[] {
  const pairs = pairsOf(raw);
  const named = pairs
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((name) => name.trim().toLowerCase()))
    .filter((name) => !END_TO_END.has(name));
  const gone = new Set([...HOP_BY_HOP, ...named, ...dropped]);
  return pairs.filter(([name]) => !gone.has(name.toLowerCase())).flat();
}

/** Headers with one value each. */
export const joined = (headers: IncomingHttpHeaders | NodeJS.Dict<string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, [value].flat().join(', ')]],
    ),
  );

/**
 * An `Accept-Encoding` without the codings that cannot be searched for credentials. If nothing is left,
 * `identity`: an empty header, and none, allow any coding.
 */
export function offered(acceptEncoding: string): string {
  const entries = acceptEncoding.split(',').map((entry) => entry.trim());
  const readable = entries.filter((entry) => {
    const coding = entry.split(';')[0]?.trim().toLowerCase() ?? '';
    return coding === 'identity' || CODINGS.has(coding);
  });
  if (readable.length === entries.length) return acceptEncoding;
  return readable.join(', ') || 'identity';
}

/** The transfer coding of a message, beside `chunked`, which every connection has of its own. */
export function transferCoding(headers: IncomingHttpHeaders): string | undefined {
  const codings = (headers['transfer-encoding'] ?? '').split(',').map((coding) => coding.trim().toLowerCase());
  return codings.find((coding) => coding !== '' && coding !== 'chunked');
}
