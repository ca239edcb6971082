// An adapter for the client lab: lines of JSON in, lines of JSON out. `read` is the client to judge: put yours in its place.
// This one is fetch and a parser of event streams by hand, too simple a parser: the lab says where.
import { createInterface } from 'node:readline';

async function* read({ url, headers, body, timeout }) {
  const request = { method: 'POST', headers, body: JSON.stringify(body), signal: AbortSignal.timeout(timeout) };
  const response = await fetch(url, request);
  const type = response.headers.get('content-type') ?? '';
  if (response.status !== 200 || !type.startsWith('text/event-stream'))
    throw Object.assign(new Error(`${response.status} ${type}`), { status: response.status });
  let text = '';
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const events = (text + piece).split('\n\n');
    text = events.pop();
    for (const event of events)
      if (event.startsWith('data: ')) yield { event: 'message', data: event.slice('data: '.length), id: '' };
  }
}

const say = (line) => console.log(JSON.stringify(line));
say({ adapter: 'fetch by hand', version: '1', layers: ['sse'] });
for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  const { run, stop_after } = asked;
  const events = [];
  try {
    for await (const event of read(asked)) {
      events.push(event);
      say({ run, event });
      if (events.length === stop_after) break;
    }
    say({ run, outcome: 'complete', events });
  } catch (error) {
    say({ run, outcome: 'error', error: { message: String(error), status: error.status }, events });
  }
}
