// The example of `eventsource-client`: messages are iterated over.
import { createEventSource } from 'eventsource-client';

const source = createEventSource({
  url: `${process.env.INTERN_BASE_URL}/interns/${process.env.INTERN_INTERN_ID}/chat/completions`,
  method: 'POST',
  headers: { authorization: `Bearer ${process.env.INTERN_API_KEY}`, 'content-type': 'application/json' },
  body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'one two three' }] }),
});
for await (const { data } of source) {
  if (data === '[DONE]') break;
  process.stdout.write(JSON.parse(data).choices[0]?.delta?.content ?? '');
}
source.close();
