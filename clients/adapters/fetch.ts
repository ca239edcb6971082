// Node's own fetch (and node:http2), and eventsource-parser: tsx clients/adapters/fetch.ts
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { accumulate } from './accumulate.js';
import { adapt } from './adapter.js';
import { fetchSecurely } from './secure.js';

const hello = {
  adapter: 'fetch and eventsource-parser',
  version: process.version,
  layers: ['sse', 'chat'],
  abilities: ['idle', 'abort', 'h2', 'br'],
};

await adapt(hello, async (run, answer, tell, { signal, alive }) => {
  const events: { event: string; data: string; id: string }[] = [];
  const { add, chat } = accumulate();
  const url = run.layer === 'chat' ? `${run.base_url}/chat/completions` : run.url;
  const request = {
    method: 'POST',
    headers: {
      ...run.headers,
      'content-type': 'application/json',
      accept: 'text/event-stream',
      'accept-encoding': 'gzip, deflate, br',
    },
    body: JSON.stringify(run.body),
    signal,
  };
  if (run.layer === 'sse') answer.events = events;
  const response = await (run.ca === undefined ? fetch(url, request) : fetchSecurely(url, { ...request, ca: run.ca }));
  alive();
  const type = response.headers.get('content-type') ?? '';
  if (response.status !== 200 || !/^text\/event-stream\b/i.test(type) || response.body === null) {
    await response.body?.cancel();
    throw Object.assign(new Error(`status ${response.status}, ${type || 'no content type'}`), {
      status: response.status,
    });
  }
  const bytes = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        alive();
        controller.enqueue(chunk);
      },
    }),
  );
  let id = '';
  let done = false;
  let handed = 0;
  try {
    for await (const event of bytes.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())) {
      id = event.id ?? id;
      done = run.layer === 'chat' && event.data === '[DONE]';
      if (done) break;
      if (run.layer === 'chat') add(JSON.parse(event.data));
      else events.push({ event: event.event ?? 'message', data: event.data, id });
      tell();
      if (++handed === run.stop_after) return;
      signal.throwIfAborted();
    }
  } finally {
    if (run.layer === 'chat') answer.chat = chat();
  }
  if (run.layer === 'chat' && !done && chat().finish_reason === null) throw new Error('the stream ended too early');
});
