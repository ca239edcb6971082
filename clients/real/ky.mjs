// ky, its stream read with eventsource-parser.
import { mustStream, readEvents, requestOf, withParser } from './by-fetch.mjs';

export const client = {
  package: 'ky',
  versions: ['2.1.0'],
  with: withParser,
  node: 22,
  layers: ['sse', 'chat'],
  abilities: ['idle', 'abort'],
};

export default async () => {
  const { default: ky } = await import('ky');
  return async (run, answer, _, limits) => {
    const { url, ...request } = requestOf(run);
    const response = await ky(url, {
      ...request,
      signal: limits.signal,
      timeout: run.timeout,
      throwHttpErrors: true,
      ...(run.retries === 0 ? { retry: 0 } : { retry: { limit: 2, methods: ['post'] } }),
    }).catch((error) => {
      throw Object.assign(error, { status: error.response?.status });
    });
    mustStream(response.status, response.headers.get('content-type'));
    await readEvents(response.body ?? [], run, answer, limits);
  };
};
