// Node's own fetch, read by hand like examples on the web: split at two line feeds, `data: ` cut off.
import { adapt } from '../adapters/adapter.ts';

await adapt({ adapter: 'fetch by hand', version: process.version, layers: ['sse'] }, async (run, answer, tell) => {
  answer.events = [];
  const response = await fetch(run.url, {
    method: 'POST',
    headers: { ...run.headers, 'content-type': 'application/json' },
    body: JSON.stringify(run.body),
    signal: AbortSignal.timeout(run.timeout),
  });
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
});
