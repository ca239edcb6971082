// `wretch` with its middleware that tries again, at its defaults.
import wretch from 'wretch';
import { retry } from 'wretch/middlewares';

const reply = await wretch(`${process.env.INTERN_BASE_URL}/interns/${process.env.INTERN_INTERN_ID}`)
  .auth(`Bearer ${process.env.INTERN_API_KEY}`)
  .middlewares([retry()])
  .url('/chat/completions')
  .post({ stream: true, messages: [{ role: 'user', content: 'one two three' }] })
  .text();
if (!reply.includes('"finish_reason":"stop"')) throw new Error('the reply was cut');
const chunks = reply.split(/\r?\n\r?\n/).filter((event) => event.startsWith('data: {'));
console.log(chunks.map((event) => JSON.parse(event.slice(6)).choices[0]?.delta?.content ?? '').join(''));
