// The example of `fetch-retry`: three retries, a second apart.
import builder from 'fetch-retry';

const fetchRetry = builder(fetch);
const response = await fetchRetry(
  `${process.env.INTERN_BASE_URL}/interns/${process.env.INTERN_INTERN_ID}/chat/completions`,
  {
    method: 'POST',
    headers: { authorization: `Bearer ${process.env.INTERN_API_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'one two three' }] }),
    retries: 3,
    retryDelay: 1000,
  },
);
if (!response.ok) throw new Error(`${response.status}`);
const text = await response.text();
if (!text.includes('"finish_reason":"stop"')) throw new Error('the reply was cut');
