// axios with a stream for an answer, as its page shows it, and the lines of it read.
import { createInterface } from 'node:readline';
import axios from 'axios';

const { data } = await axios.post(
  `${process.env.INTERN_BASE_URL}/interns/${process.env.INTERN_INTERN_ID}/chat/completions`,
  { stream: true, messages: [{ role: 'user', content: 'one two three' }] },
  { headers: { authorization: `Bearer ${process.env.INTERN_API_KEY}` }, responseType: 'stream' },
);
for await (const line of createInterface({ input: data })) {
  if (!line.startsWith('data: ') || line === 'data: [DONE]') continue;
  process.stdout.write(JSON.parse(line.slice(6)).choices[0]?.delta?.content ?? '');
}
