import { accumulate } from '../adapters/accumulate.ts';

/** The parser that reads the streams of clients that have none. */
export const withParser = { 'eventsource-parser': '3.1.1' };

/** The request of a run. */
export const requestOf = (run) => ({
  url: run.layer === 'chat' ? `${run.base_url}/chat/completions` : run.url,
  method: 'POST',
  headers: { ...run.headers, 'content-type': 'application/json', accept: 'text/event-stream' },
  body: JSON.stringify(run.body),
});

/** Refuses what is no stream of events. */
export function mustStream(status, type) {
  if (status !== 200 || !/^text\/event-stream\b/i.test(type ?? ''))
    throw Object.assign(new Error(`status ${status}, ${type || 'no content type'}`), { status });
}

/** Reads events of a body (an async iterable of bytes) with eventsource-parser, and chunks of a chat among them. */
export async function readEvents(body, run, answer, { alive, signal, tell }) {
  const { createParser } = await import('eventsource-parser');
  const { add, chat } = accumulate();
  const events = [];
  if (run.layer === 'sse') answer.events = events;
  const came = [];
  const parser = createParser({ onEvent: (event) => came.push(event) });
  const decoder = new TextDecoder();
  let [id, handed, done] = ['', 0, false];
  try {
    for await (const bytes of body) {
      alive();
      parser.feed(decoder.decode(bytes, { stream: true }));
      for (const event of came.splice(0)) {
        id = event.id ?? id;
        done = run.layer === 'chat' && event.data === '[DONE]';
        if (done) return;
        if (run.layer === 'chat') add(JSON.parse(event.data));
        else events.push({ event: event.event ?? 'message', data: event.data, id });
        tell();
        if (++handed === run.stop_after) return;
        signal.throwIfAborted();
      }
    }
    signal.throwIfAborted();
    if (run.layer === 'chat' && chat().finish_reason === null) throw new Error('the stream ended too early');
  } finally {
    if (run.layer === 'chat') answer.chat = chat();
  }
}
