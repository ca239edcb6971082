// OpenRouter's SDK: tsx clients/adapters/openrouter.ts
import { createRequire } from 'node:module';
import { OpenRouter } from '@openrouter/sdk';
import type { ChatRequest, ChatStreamChunk } from '@openrouter/sdk/models';
import { accumulate } from './accumulate.js';
import { adapt } from './adapter.js';

const { version } = createRequire(import.meta.url)('@openrouter/sdk/package.json') as { version: string };

const named = (value: unknown, name: (key: string) => string): unknown => {
  if (Array.isArray(value)) return value.map((one) => named(one, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [name(key), named(one, name)]));
};
/** The SDK returns keys in camel case; the lab names them as on the wire. */
const snake = (value: unknown) => named(value, (key) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
const camel = (value: unknown) => named(value, (key) => key.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase()));

await adapt({ adapter: '@openrouter/sdk', version, layers: ['chat'] }, async (run, answer, tell) => {
  const sdk = new OpenRouter({
    apiKey: run.headers.authorization.replace('Bearer ', ''),
    serverURL: run.base_url,
    timeoutMs: run.timeout,
    ...(run.retries === 0 ? { retryConfig: { strategy: 'none' } } : {}),
  });
  const { add, chat } = accumulate();
  const chatRequest = camel(run.body) as ChatRequest;
  try {
    const stream = await sdk.chat.send({ chatRequest });
    let chunks = 0;
    for await (const chunk of stream as AsyncIterable<ChatStreamChunk>) {
      add(snake(chunk));
      tell({});
      if (chunk.error) throw Object.assign(new Error(chunk.error.message), { code: chunk.error.code });
      if (++chunks === run.stop_after) break;
    }
  } finally {
    answer.chat = chat();
  }
});
