// The example of `@langchain/openai` for streams, with the retries of LangChain.
import { ChatOpenAI } from '@langchain/openai';

const model = new ChatOpenAI({
  model: 'any',
  apiKey: process.env.INTERN_API_KEY,
  configuration: { baseURL: `${process.env.INTERN_BASE_URL}/interns/${process.env.INTERN_INTERN_ID}` },
});
for await (const chunk of await model.stream('one two three')) process.stdout.write(String(chunk.content));
