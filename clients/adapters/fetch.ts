// Node's own fetch, and eventsource-parser: tsx clients/adapters/fetch.ts
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { adapt } from './adapter.js';

const hello = { adapter: 'fetch and eventsource-parser', version: process.version, layers: ['sse'] };

await adapt(hello, async (run, answer, tell) => {
  const events: { event: string; data: string; id: string }[] = [];
  answer.events = events;
  const response = await fetch(run.url, {
    method: 'POST',
    headers: { ...run.headers, 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify(run.body),
    signal: AbortSignal.timeout(run.timeout),
  });
  const type = response.headers.get('content-type') ?? '';
  if (response.status !== 200 || !/^text\/event-stream\b/i.test(type) || response.body === null) {
    await response.body?.cancel();
    throw Object.assign(new Error(`status ${response.status}, ${type || 'no content type'}`), {
      status: response.status,
    });
  }
  const stream = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  let id = '';
  for await (const event of stream) {
    id = event.id ?? id;
    events.push({ event: event.event ?? 'message', data: event.data, id });
    tell({});
    if (events.length === run.stop_after) break;
  }
});
