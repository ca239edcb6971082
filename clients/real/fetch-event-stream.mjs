// fetch-event-stream, under Node's own fetch.
import { requestOf } from './by-fetch.mjs';

export const client = {
  package: 'fetch-event-stream',
  versions: ['0.1.5', '0.1.6'],
  layers: ['sse'],
  abilities: ['abort'],
};

export default async () => {
  const { events } = await import('fetch-event-stream');
  return async (run, answer, tell, { signal }) => {
    answer.events = [];
    const { url, ...request } = requestOf(run);
    const response = await fetch(url, { ...request, signal });
    if (!response.ok) throw Object.assign(new Error(`status ${response.status}`), { status: response.status });
    let id = '';
    for await (const event of events(response, signal)) {
      id = String(event.id ?? id);
      if (event.data === undefined) continue;
      answer.events.push({ event: event.event ?? 'message', data: event.data, id });
      tell();
      if (answer.events.length === run.stop_after) return;
    }
    signal.throwIfAborted();
  };
};
