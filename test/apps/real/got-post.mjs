// `got` posts a prompt and reads the whole answer: it repeats no POST.
import got from 'got';

const text = await got
  .post(`${process.env.INTERN_BASE_URL}/interns/${process.env.INTERN_INTERN_ID}/chat/completions`, {
    headers: { authorization: `Bearer ${process.env.INTERN_API_KEY}` },
    json: { stream: true, messages: [{ role: 'user', content: 'one two three' }] },
    timeout: { request: 60_000 },
  })
  .text();
if (!text.includes('"finish_reason":"stop"')) throw new Error('the reply was cut');
console.log(text.includes('[DONE]'));
