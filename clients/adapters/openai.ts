// OpenAI's client: tsx clients/adapters/openai.ts [name of the package that holds it]
import type OpenAIClient from 'openai';
import type { ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions';
import { accumulate } from './accumulate.js';
import { adapt } from './adapter.js';

const name = process.argv[2] ?? 'openai';
const { default: OpenAI } = (await import(name)) as { default: typeof OpenAIClient };
const { VERSION: version } = (await import(`${name}/version`)) as { VERSION: string };

await adapt({ adapter: 'openai', version, layers: ['chat'] }, async (run, answer, tell) => {
  const client = new OpenAI({
    apiKey: run.headers.authorization.replace('Bearer ', ''),
    baseURL: run.base_url,
    timeout: run.timeout,
    ...(run.retries === 0 ? { maxRetries: 0 } : {}),
  });
  const { add, chat } = accumulate();
  const request = run.body as unknown as ChatCompletionCreateParamsStreaming;
  try {
    let chunks = 0;
    for await (const chunk of await client.chat.completions.create(request)) {
      add(chunk);
      tell({});
      if (++chunks === run.stop_after) break;
    }
  } finally {
    answer.chat = chat();
  }
});
