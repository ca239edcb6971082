// follow-redirects, which axios and many others rest on, its stream read with eventsource-parser.
import { once } from 'node:events';
import { mustStream, readEvents, requestOf, withParser } from './by-fetch.mjs';

export const client = {
  package: 'follow-redirects',
  versions: ['1.16.3'],
  with: withParser,
  layers: ['sse', 'chat'],
};

export default async () => {
  const { default: follow } = await import('follow-redirects');
  return async (run, answer, _, limits) => {
    const { signal } = limits;
    signal.throwIfAborted();
    const { url, body, method, headers } = requestOf(run);
    const request = follow.http.request(url, { method, headers });
    const leave = () => request.destroy(signal.reason);
    signal.addEventListener('abort', leave);
    try {
      request.end(body);
      const [response] = await once(request, 'response', { signal });
      request.on('error', () => {});
      mustStream(response.statusCode, response.headers['content-type']);
      await readEvents(response, run, answer, limits);
    } finally {
      signal.removeEventListener('abort', leave);
      request.on('error', () => {});
      request.destroy();
    }
  };
};
