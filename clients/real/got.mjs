// got, its stream read with eventsource-parser.
import { mustStream, readEvents, requestOf, withParser } from './by-fetch.mjs';

export const client = {
  package: 'got',
  versions: ['15.1.0', '16.1.0'],
  with: withParser,
  node: 22,
  layers: ['sse', 'chat'],
  abilities: ['idle', 'abort', 'br'],
};

export default async () => {
  const { default: got } = await import('got');
  return async (run, answer, _, limits) => {
    limits.signal.throwIfAborted();
    const { url, ...request } = requestOf(run);
    const stream = got.stream(url, {
      ...request,
      throwHttpErrors: false,
      ...(run.retries === 0 ? { retry: { limit: 0 } } : {}),
    });
    const leave = () => stream.destroy();
    limits.signal.addEventListener('abort', leave);
    try {
      const response = await new Promise((resolve, reject) => {
        stream.once('response', resolve);
        stream.once('error', reject);
        stream.once('close', () => reject(new Error('closed')));
      });
      mustStream(response.statusCode, response.headers['content-type']);
      await readEvents(stream, run, answer, limits);
    } finally {
      limits.signal.removeEventListener('abort', leave);
      stream.on('error', () => {});
      stream.destroy();
    }
  };
};
