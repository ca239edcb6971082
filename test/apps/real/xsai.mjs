// The example of `xsai` for streams.
import { streamText } from 'xsai';

const { textStream } = streamText({
  apiKey: process.env.INTERN_API_KEY,
  baseURL: `${process.env.INTERN_BASE_URL}/interns/${process.env.INTERN_INTERN_ID}/`,
  messages: [{ role: 'user', content: 'one two three' }],
  model: 'any',
});
for await (const textPart of textStream) process.stdout.write(textPart);
