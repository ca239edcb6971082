// The same, mended: nothing is sent again, silence has a limit, and the end of the stream is looked at.
import OpenAI from 'openai';

const limit = new AbortController();
let timer;
const alive = () => {
  clearTimeout(timer);
  timer = setTimeout(() => limit.abort(new Error('nothing came for a minute')), 60_000);
};
const client = new OpenAI({
  baseURL: `${process.env.INTERN_BASE_URL}/interns/${process.env.INTERN_INTERN_ID}`,
  apiKey: process.env.INTERN_API_KEY,
  maxRetries: 0,
});
alive();
const stream = await client.chat.completions.create(
  { model: 'any', messages: [{ role: 'user', content: 'one two three' }], stream: true },
  { signal: limit.signal },
);
let finish;
for await (const chunk of stream) {
  alive();
  process.stdout.write(chunk.choices?.[0]?.delta?.content || '');
  finish = chunk.choices?.[0]?.finish_reason ?? finish;
}
clearTimeout(timer);
limit.signal.throwIfAborted();
if (finish !== 'stop') throw new Error(`the reply ended with ${finish}`);
