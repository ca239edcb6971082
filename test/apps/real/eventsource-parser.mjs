// The example of `eventsource-parser`: fetch, and its stream piped through the parser.
import { EventSourceParserStream } from 'eventsource-parser/stream';

const response = await fetch(
  `${process.env.INTERN_BASE_URL}/interns/${process.env.INTERN_INTERN_ID}/chat/completions`,
  {
    method: 'POST',
    headers: { authorization: `Bearer ${process.env.INTERN_API_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'one two three' }] }),
  },
);
if (!response.ok) throw new Error(`${response.status}`);
const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
for await (const { data } of events) {
  if (data === '[DONE]') break;
  process.stdout.write(JSON.parse(data).choices[0]?.delta?.content ?? '');
}
