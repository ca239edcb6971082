// eventsource-parser under Node's own fetch.
import { mustStream, requestOf } from './by-fetch.mjs';

export const client = {
  package: 'eventsource-parser',
  versions: ['1.1.2', '2.0.1', '3.1.1', '4.1.3'],
  node: 22,
  layers: ['sse'],
};

export default async () => {
  const { EventSourceParserStream } = await import('eventsource-parser/stream');
  return async (run, answer, tell, { signal }) => {
    answer.events = [];
    const { url, ...request } = requestOf(run);
    const response = await fetch(url, { ...request, signal });
    mustStream(response.status, response.headers.get('content-type'));
    const texts = response.body.pipeThrough(new TextDecoderStream());
    let id = '';
    for await (const event of texts.pipeThrough(new EventSourceParserStream())) {
      if (event.type === 'reconnect-interval') continue;
      id = event.id ?? id;
      answer.events.push({ event: event.event ?? 'message', data: event.data, id });
      tell();
      if (answer.events.length === run.stop_after) return;
    }
  };
};
