// The example of `together-ai` for streams, with the client's defaults.
import Together from 'together-ai';

const client = new Together({
  baseURL: `${process.env.INTERN_BASE_URL}/interns/${process.env.INTERN_INTERN_ID}`,
  apiKey: process.env.INTERN_API_KEY,
});
const stream = await client.chat.completions.create({
  messages: [{ role: 'user', content: 'one two three' }],
  model: 'any',
  stream: true,
});
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta?.content || '');
