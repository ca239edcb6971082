// Vercel's AI SDK with @ai-sdk/openai-compatible.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { streamText } from 'ai';
import { adapt } from '../adapters/adapter.ts';
import { versionOf } from './version.mjs';

const version = `${versionOf('ai')} with @ai-sdk/openai-compatible ${versionOf('@ai-sdk/openai-compatible')}`;

await adapt({ adapter: 'ai', version, layers: ['chat'] }, async (run, answer) => {
  const provider = createOpenAICompatible({
    name: 'lab',
    baseURL: run.base_url,
    apiKey: run.headers.authorization.replace('Bearer ', ''),
    includeUsage: true,
  });
  const chat = { content: '', tool_calls: [], finish_reason: null, usage: null };
  answer.chat = chat;
  const { fullStream } = streamText({
    model: provider('lab/model'),
    prompt: 'hello',
    abortSignal: AbortSignal.timeout(run.timeout),
    ...(run.retries === 0 ? { maxRetries: 0 } : {}),
    // What it would log is returned as the answer.
    onError: () => {},
  });
  let parts = 0;
  for await (const part of fullStream) {
    if (part.type === 'error') throw part.error;
    if (part.type === 'text-delta') chat.content += part.text;
    if (part.type === 'tool-call' && !part.invalid)
      chat.tool_calls.push({ id: part.toolCallId, name: part.toolName, arguments: JSON.stringify(part.input) });
    if (part.type === 'tool-call' && part.invalid)
      chat.tool_calls.push({
        id: part.toolCallId,
        name: part.toolName,
        arguments: typeof part.input === 'string' ? part.input : JSON.stringify(part.input),
      });
    if (part.type === 'finish') {
      chat.finish_reason =
        { 'tool-calls': 'tool_calls', 'content-filter': 'content_filter', unknown: null }[part.finishReason] ??
        part.finishReason;
      if (part.finishReason === 'unknown') chat.finish_reason = null;
      const { inputTokens, outputTokens, totalTokens } = part.totalUsage;
      if (inputTokens !== undefined)
        chat.usage = { prompt_tokens: inputTokens, completion_tokens: outputTokens, total_tokens: totalTokens };
    }
    if (part.type === 'text-delta' && ++parts === run.stop_after) break;
  }
});
