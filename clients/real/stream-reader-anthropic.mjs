// The reader of event streams within Anthropic's SDK, under Node's own fetch.
import { mustStream, requestOf } from './by-fetch.mjs';

export const client = {
  package: '@anthropic-ai/sdk',
  title: "@anthropic-ai/sdk's stream reader",
  versions: ['1.12.0'],
  layers: ['sse'],
  note: 'The SDK itself hands out only Anthropic’s own events.',
};

export default async () => {
  const { _iterSSEMessages } = await import('@anthropic-ai/sdk/core/streaming').catch(
    () => import('@anthropic-ai/sdk/streaming'),
  );
  return async (run, answer, tell, { signal }) => {
    answer.events = [];
    const { url, ...request } = requestOf(run);
    const response = await fetch(url, { ...request, signal });
    mustStream(response.status, response.headers.get('content-type'));
    for await (const { event, data } of _iterSSEMessages(response, new AbortController())) {
      answer.events.push({ event: event ?? 'message', data, id: '' });
      tell();
      if (answer.events.length === run.stop_after) return;
    }
  };
};
