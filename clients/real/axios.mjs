// axios, its stream read with eventsource-parser.
import { mustStream, readEvents, requestOf, withParser } from './by-fetch.mjs';

export const client = {
  package: 'axios',
  versions: ['1.21.1'],
  with: withParser,
  layers: ['sse', 'chat'],
  abilities: ['idle', 'abort', 'br'],
};

export default async () => {
  const { default: axios } = await import('axios');
  return async (run, answer, _, limits) => {
    const { body, ...request } = requestOf(run);
    const { data, headers, status } = await axios({
      ...request,
      data: body,
      responseType: 'stream',
      signal: limits.signal,
      validateStatus: () => true,
    });
    try {
      mustStream(status, headers['content-type']);
      await readEvents(data, run, answer, limits);
    } finally {
      data.destroy();
    }
  };
};
