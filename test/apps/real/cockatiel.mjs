// The example of `cockatiel`: retries within a circuit breaker, around a fetch.
import { ConsecutiveBreaker, circuitBreaker, ExponentialBackoff, handleAll, retry, wrap } from 'cockatiel';

const retryPolicy = retry(handleAll, { maxAttempts: 3, backoff: new ExponentialBackoff() });
const breakerPolicy = circuitBreaker(handleAll, { halfOpenAfter: 10 * 1000, breaker: new ConsecutiveBreaker(5) });
const retryWithBreaker = wrap(retryPolicy, breakerPolicy);
const reply = await retryWithBreaker.execute(async () => {
  const response = await fetch(
    `${process.env.INTERN_BASE_URL}/interns/${process.env.INTERN_INTERN_ID}/chat/completions`,
    {
      method: 'POST',
      headers: { authorization: `Bearer ${process.env.INTERN_API_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'one two three' }] }),
    },
  );
  if (!response.ok) throw new Error(`${response.status}`);
  return response.text();
});
if (!reply.includes('"finish_reason":"stop"')) throw new Error('the reply was cut');
const chunks = reply.split(/\r?\n\r?\n/).filter((event) => event.startsWith('data: {'));
console.log(chunks.map((event) => JSON.parse(event.slice(6)).choices[0]?.delta?.content ?? '').join(''));
