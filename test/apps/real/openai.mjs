// The quick start of `openai`: a streamed completion, with the client's defaults.
import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: `${process.env.INTERN_BASE_URL}/interns/${process.env.INTERN_INTERN_ID}`,
  apiKey: process.env.INTERN_API_KEY,
});
const stream = await client.chat.completions.create({
  model: 'any',
  messages: [{ role: 'user', content: 'one two three' }],
  stream: true,
});
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta?.content || '');
