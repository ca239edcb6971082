// `node-fetch`: the answer as a stream, line by line, as its page shows it.
import { createInterface } from 'node:readline';
import fetch from 'node-fetch';

const response = await fetch(
  `${process.env.INTERN_BASE_URL}/interns/${process.env.INTERN_INTERN_ID}/chat/completions`,
  {
    method: 'POST',
    headers: { authorization: `Bearer ${process.env.INTERN_API_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'one two three' }] }),
  },
);
if (!response.ok) throw new Error(`${response.status}`);
for await (const line of createInterface({ input: response.body })) {
  if (!line.startsWith('data: ') || line === 'data: [DONE]') continue;
  process.stdout.write(JSON.parse(line.slice(6)).choices[0]?.delta?.content ?? '');
}
