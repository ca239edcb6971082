// The example of `p-retry`: a fetch that is tried again when it fails.
import pRetry, { AbortError } from 'p-retry';

async function run() {
  const response = await fetch(
    `${process.env.INTERN_BASE_URL}/interns/${process.env.INTERN_INTERN_ID}/chat/completions`,
    {
      method: 'POST',
      headers: { authorization: `Bearer ${process.env.INTERN_API_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'one two three' }] }),
      signal: AbortSignal.timeout(60_000),
    },
  );
  if (response.status === 404) throw new AbortError(response.statusText);
  if (!response.ok) throw new Error(`${response.status}`);
  return response.text();
}
const events = (await pRetry(run, { retries: 3 })).split(/\r?\n\r?\n/);
if (!events.some((event) => event.includes('"finish_reason":"stop"'))) throw new Error('the reply was cut');
const chunks = events.filter((event) => event.startsWith('data: {')).map((event) => JSON.parse(event.slice(6)));
console.log(chunks.map((chunk) => chunk.choices[0]?.delta?.content ?? '').join(''));
