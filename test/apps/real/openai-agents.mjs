// The example of `@openai/agents` for streams, with a model of another service.
import { Agent, OpenAIChatCompletionsModel, run, setTracingDisabled } from '@openai/agents';
import OpenAI from 'openai';

setTracingDisabled(true);
const client = new OpenAI({
  baseURL: `${process.env.INTERN_BASE_URL}/interns/${process.env.INTERN_INTERN_ID}`,
  apiKey: process.env.INTERN_API_KEY,
});
const agent = new Agent({ name: 'Assistant', model: new OpenAIChatCompletionsModel(client, 'any') });
const stream = await run(agent, 'one two three', { stream: true });
for await (const text of stream.toTextStream()) process.stdout.write(text);
await stream.completed;
