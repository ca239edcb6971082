// `streamText` of the AI SDK, with its provider for services that speak as OpenAI does.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { streamText } from 'ai';

const provider = createOpenAICompatible({
  name: 'interns',
  baseURL: `${process.env.INTERN_BASE_URL}/interns/${process.env.INTERN_INTERN_ID}`,
  apiKey: process.env.INTERN_API_KEY,
});
const { textStream } = streamText({ model: provider('any'), prompt: 'one two three' });
for await (const text of textStream) process.stdout.write(text);
