// The example of `openai` for its helper for streams: events, and the whole completion at the end.
import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: `${process.env.INTERN_BASE_URL}/interns/${process.env.INTERN_INTERN_ID}`,
  apiKey: process.env.INTERN_API_KEY,
});
const stream = client.chat.completions.stream({
  model: 'any',
  messages: [{ role: 'user', content: 'one two three' }],
});
stream.on('content', (delta) => process.stdout.write(delta));
const completion = await stream.finalChatCompletion();
console.log(completion.choices[0].message.role);
