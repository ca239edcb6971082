// undici's fetch, over HTTP/2 where the lab speaks it, its stream read with eventsource-parser.
import { mustStream, readEvents, requestOf, withParser } from './by-fetch.mjs';

export const client = {
  package: 'undici',
  versions: ['8.12.4'],
  with: withParser,
  node: 22,
  layers: ['sse', 'chat'],
  abilities: ['idle', 'abort', 'h2', 'br'],
};

export default async () => {
  const { Agent, fetch } = await import('undici');
  // One agent for each authority: a call after another one shares its connections.
  const agents = new Map();
  return async (run, answer, _, limits) => {
    if (!agents.has(run.ca))
      agents.set(run.ca, new Agent(run.ca === undefined ? {} : { allowH2: true, connect: { ca: run.ca } }));
    const { url, ...request } = requestOf(run);
    const response = await fetch(url, { ...request, signal: limits.signal, dispatcher: agents.get(run.ca) });
    try {
      mustStream(response.status, response.headers.get('content-type'));
      await readEvents(response.body ?? [], run, answer, limits);
    } finally {
      if (response.body?.locked === false) await response.body.cancel();
    }
  };
};
