// OpenAI's client: tsx clients/adapters/openai.ts [name of the package that holds it]
import type OpenAIClient from 'openai';
import type { ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions';
import { accumulate } from './accumulate.js';
import { adapt } from './adapter.js';

const name = process.argv[2] ?? 'openai';
const { default: OpenAI } = (await import(name)) as { default: typeof OpenAIClient };
const { VERSION: version } = (await import(`${name}/version`)) as { VERSION: string };

const hello = { adapter: 'openai', version, layers: ['chat'], abilities: ['abort'] };
await adapt(hello, async (run, answer, tell, { aborted, signal }) => {
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
    for await (const chunk of await client.chat.completions.create(request, { signal })) {
      add(chunk);
      tell({});
      if (++chunks === run.stop_after) break;
    }
    // An aborted stream of this client ends without an error.
    if (aborted()) throw new Error('aborted');
  } finally {
    answer.chat = chat();
  }
});
