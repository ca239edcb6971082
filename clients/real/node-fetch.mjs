// The package node-fetch, its stream read with eventsource-parser.
import { mustStream, readEvents, requestOf, withParser } from './by-fetch.mjs';

export const client = {
  package: 'node-fetch',
  versions: ['2.7.0', '3.3.2'],
  with: withParser,
  layers: ['sse', 'chat'],
  abilities: ['idle', 'abort', 'br'],
};

export default async () => {
  const { default: fetch } = await import('node-fetch');
  return async (run, answer, _, limits) => {
    const { url, ...request } = requestOf(run);
    const response = await fetch(url, { ...request, signal: limits.signal });
    try {
      mustStream(response.status, response.headers.get('content-type'));
      await readEvents(response.body, run, answer, limits);
    } finally {
      response.body.destroy();
    }
  };
};
