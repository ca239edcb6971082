// The example of `axios-retry`, with a prompt for its request.
import axios from 'axios';
import axiosRetry from 'axios-retry';

axiosRetry(axios, { retries: 3 });
const { data } = await axios.post(
  `${process.env.INTERN_BASE_URL}/interns/${process.env.INTERN_INTERN_ID}/chat/completions`,
  { stream: true, messages: [{ role: 'user', content: 'one two three' }] },
  { headers: { authorization: `Bearer ${process.env.INTERN_API_KEY}` } },
);
const chunks = data.split(/\r?\n\r?\n/).filter((event) => event.startsWith('data: {'));
console.log(chunks.map((event) => JSON.parse(event.slice(6)).choices[0]?.delta?.content ?? '').join(''));
