// The example of `async-retry`: a 403 is given up, anything else is tried again.
import retry from 'async-retry';

const text = await retry(
  async (bail) => {
    const response = await fetch(
      `${process.env.INTERN_BASE_URL}/interns/${process.env.INTERN_INTERN_ID}/chat/completions`,
      {
        method: 'POST',
        headers: { authorization: `Bearer ${process.env.INTERN_API_KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'one two three' }] }),
        signal: AbortSignal.timeout(60_000),
      },
    );
    if (response.status === 403) return bail(new Error('Unauthorized'));
    if (!response.ok) throw new Error(`${response.status}`);
    return response.text();
  },
  { retries: 2 },
);
if (!text.includes('"finish_reason":"stop"')) throw new Error('the reply was cut');
