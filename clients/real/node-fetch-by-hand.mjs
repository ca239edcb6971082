// Node's own fetch, read by hand like examples on the web: split at two line feeds, `data: ` cut off.
import { requestOf } from './by-fetch.mjs';

export const client = { title: "Node's fetch, read by hand", versions: ['20'], layers: ['sse'], abilities: ['abort'] };

export default async () =>
  async (run, answer, tell, { signal }) => {
    answer.events = [];
    const { url, ...request } = requestOf(run);
    const response = await fetch(url, { ...request, signal });
    if (!response.ok) throw Object.assign(new Error(`status ${response.status}`), { status: response.status });
    const decoder = new TextDecoder();
    let buffer = '';
    for await (const chunk of response.body) {
      buffer += decoder.decode(chunk, { stream: true });
      const frames = buffer.split('\n\n');
      buffer = frames.pop();
      for (const frame of frames) {
        if (!frame.startsWith('data: ')) continue;
        answer.events.push({ event: 'message', data: frame.slice('data: '.length), id: '' });
        tell({});
        if (answer.events.length === run.stop_after) return;
      }
    }
  };
