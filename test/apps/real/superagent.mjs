// `superagent` posts a prompt with its retries, as its page shows them, and reads the whole answer.
import superagent from 'superagent';

const { text } = await superagent
  .post(`${process.env.INTERN_BASE_URL}/interns/${process.env.INTERN_INTERN_ID}/chat/completions`)
  .set('authorization', `Bearer ${process.env.INTERN_API_KEY}`)
  .send({ stream: true, messages: [{ role: 'user', content: 'one two three' }] })
  .timeout({ response: 60_000, deadline: 120_000 })
  .buffer(true)
  .retry(2);
if (!text.includes('"finish_reason":"stop"')) throw new Error('the reply was cut');
console.log(text.includes('[DONE]'));
