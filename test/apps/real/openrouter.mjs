// `@openrouter/sdk` prompts an intern, with the SDK's defaults.
import { OpenRouter } from '@openrouter/sdk';

const sdk = new OpenRouter({ serverURL: process.env.INTERN_BASE_URL, apiKey: process.env.INTERN_API_KEY });
const { result } = await sdk.interns.chat({
  internId: process.env.INTERN_INTERN_ID,
  internChatCompletionRequest: { stream: true, messages: [{ role: 'user', content: 'one two three' }] },
});
for await (const chunk of result) process.stdout.write(chunk.choices[0]?.delta.content ?? '');
