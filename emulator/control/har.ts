import { STATUS_CODES } from 'node:http';
import type { JournalEntry } from '../contract/journal-entry.js';

const pairs = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers).map(([name, value]) => ({ name, value }));

const bytesOf = (text: string | null) => (text === null ? 0 : Buffer.byteLength(text));

function entryOf(entry: JournalEntry) {
  const { request, response } = entry;
  const streamed = entry.writes?.map(({ text }) => text).join('');
  const text = streamed ?? response.body ?? '';
  const wait = entry.ms ?? 0;
  const receive = entry.closed ? Math.max(0, Date.parse(entry.closed.at) - Date.parse(entry.at) - wait) : 0;
  const mimeType = request.headers['content-type'] ?? 'application/octet-stream';
  return {
    startedDateTime: entry.at,
    time: wait + receive,
    request: {
      method: request.method,
      url: request.url,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairs(request.headers),
      queryString: [...new URL(request.url).searchParams].map(([name, value]) => ({ name, value })),
      ...(request.body === null ? {} : { postData: { mimeType, text: request.body } }),
      headersSize: -1,
      bodySize: bytesOf(request.body),
    },
    response: {
      // A connection that was dropped has no status: browsers write 0.
      status: response.status ?? 0,
      statusText: STATUS_CODES[response.status ?? 0] ?? '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairs(response.headers),
      content: { size: bytesOf(text), mimeType: response.headers['content-type'] ?? 'x-unknown', text },
      redirectURL: response.headers.location ?? '',
      headersSize: -1,
      bodySize: bytesOf(text),
    },
    cache: {},
    timings: { send: 0, wait, receive },
    ...(entry.wrong === null ? {} : { comment: entry.wrong }),
  };
}

/** Entries of the journal as an HTTP archive 1.2, which the network panels of browsers import. */
export const harOf = (entries: readonly JournalEntry[], version: string) => ({
  log: {
    version: '1.2',
    creator: { name: 'intern-emulator', version },
    pages: [],
    entries: entries.map(entryOf),
  },
});
